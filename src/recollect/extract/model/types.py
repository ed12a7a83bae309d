"""The types that hold for a reading: the project's own over the default ones."""

from recollect.extract.brief import Guidance
from recollect.extract.ontology.tables import DEFAULTS
from recollect.graph.found import FoundEntity
from recollect.subjects.guidance import EdgeType, Ends, EntityType, Property


def entity_types(guidance: Guidance) -> dict[str, EntityType]:
    """Entity types by name; one of the project's replaces a default of that name."""
    found = _default_entities() if guidance.defaults else {}
    return found | {item.name: item for item in guidance.ontology.entity_types}


def edge_types(guidance: Guidance) -> dict[str, EdgeType]:
    """Fact types by name; one of the project's replaces a default of that name."""
    found = _default_edges() if guidance.defaults else {}
    return found | {item.name: item for item in guidance.ontology.edge_types}


def fits(type_: EdgeType, source: FoundEntity, target: FoundEntity) -> bool:
    """Whether a fact between these two can be of the type; no pairs means that any can."""
    return not type_.source_targets or any(
        _side_fits(ends.source, source) and _side_fits(ends.target, target)
        for ends in type_.source_targets
    )


def _side_fits(wanted: str | None, entity: FoundEntity) -> bool:
    named = {entity.label, "Entity", entity.who.capitalize() if entity.who else None}
    return wanted is None or wanted in named


def _default_entities() -> dict[str, EntityType]:
    return {
        name: EntityType(
            name=name,
            description=item.description,
            # What there is only one of gets its fields from the profile, not from the text.
            properties=()
            if item.single
            else tuple(
                Property(name=field, type="Text", description="") for field in item.attributes
            ),
        )
        for name, item in DEFAULTS.entity.items()
    }


def _default_edges() -> dict[str, EdgeType]:
    return {
        name: EdgeType(
            name=name,
            description=item.description,
            source_targets=(Ends(source=item.source, target=item.target),),
        )
        for name, item in DEFAULTS.edge.items()
    }
