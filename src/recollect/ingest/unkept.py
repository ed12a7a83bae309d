"""Makes readings for episodes that were processed before readings were kept.

The embedded reader finds the same again. A language model is not asked a second time: what it found is
reconstructed from the graph, which has all of it except the wording of mere restatements.
"""

from recollect.derive import readings
from recollect.extract.brief import Extracted
from recollect.graph.found import EntityKind, Found, FoundEntity, FoundFact
from recollect.graph.types import Job
from recollect.ingest import briefing, naming
from recollect.ingest.pipeline import Extractor, to_learn
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from recollect.store.queries.facts import StatedFactRow
from recollect.store.queries.shapes import EntityRow

_BY_MODEL = "model:"


async def read(store: Store, extractor: Extractor | None, graph_id: int) -> None:
    """Give every processed episode of a graph a reading, if it has none."""
    while unread := await store.read(_unread, graph_id, extractor.together if extractor else 16):
        await store.write(_put_together, [job.id for job in unread])
        left = await store.read(_without, unread)
        if not left or extractor is None:
            await store.write(
                _keep, [(job, Extracted(found=Found(extractor="none"))) for job in left]
            )
            continue
        owed = await store.read(briefing.brief, graph_id, left, wants_known=False, again=True)
        found = await extractor.extract([to_learn(job.episode, brief) for job, brief in owed])
        await store.write(_keep, list(zip([job for job, _ in owed], found, strict=True)))


def there_are(tx: Transaction, graph_id: int) -> bool:
    """Whether a graph has processed episodes without a reading."""
    return bool(_unread(tx, graph_id, 1))


def _unread(tx: Transaction, graph_id: int, limit: int) -> list[Job]:
    return [rows.job(row) for row in tx.readings.steps_unread(graph_id=graph_id, limit=limit)]


def _without(tx: Transaction, jobs: list[Job]) -> list[Job]:
    return [job for job in jobs if readings.of_episode(tx, job.id) is None]


def _keep(tx: Transaction, found: list[tuple[Job, Extracted]]) -> None:
    for job, extracted in found:
        kept = naming.guarded(tx, job.graph_id, extracted.found)
        readings.put(tx, job.id, kept, extracted.fact_vectors)


def _put_together(tx: Transaction, episode_ids: list[int]) -> None:
    """Store what a model found in these episodes, reconstructed from the graph."""
    for number in episode_ids:
        facts = [
            row
            for row in tx.facts.stated_by(episode_id=number)
            if (row.fact.extractor or "").startswith(_BY_MODEL)
        ]
        if facts:
            found, vectors = _found(tx, number, facts)
            readings.put(tx, number, found, vectors)


def _found(
    tx: Transaction, episode_id: int, facts: list[StatedFactRow]
) -> tuple[Found, readings.Vectors]:
    mentioned = tx.entities.mentioned_by(episode_id=episode_id)
    places = {row.id: place for place, row in enumerate(mentioned)}
    kept = [row for row in facts if row.fact.source_id in places and row.fact.target_id in places]
    found = Found(
        entities=tuple(map(_entity, mentioned)),
        facts=tuple(_fact(row, places) for row in kept),
        extractor=facts[0].fact.extractor or "",
    )
    return found, tuple(row.vector for row in kept)


def _entity(row: EntityRow) -> FoundEntity:
    labels = [label for label in rows.from_json(row.labels) if label != "Entity"]
    kind: EntityKind | None = row.kind
    return FoundEntity(
        name=row.name,
        kind=kind,
        label=labels[0] if labels else None,
        aliases=tuple(name for name in rows.from_json(row.names) if name != row.name),
        who="user" if row.is_user else "assistant" if row.is_assistant else None,
        attributes=None if row.is_user else rows.from_json(row.attributes),
    )


def _fact(stated: StatedFactRow, places: dict[int, int]) -> FoundFact:
    row, start, end = stated.fact, stated.span_start, stated.span_end
    return FoundFact(
        source=places[row.source_id],
        target=places[row.target_id],
        name=row.name,
        predicate=row.predicate,
        fact=row.fact,
        valid_at=rows.moment_or_none(row.valid_at),
        invalid_at=rows.moment_or_none(row.invalid_at) if stated.ended_itself else None,
        dated=row.valid_at is not None and row.valid_at != stated.said_at,
        negated=bool(row.negated),
        ends=bool(row.ends),
        slot=row.slot,
        attributes=rows.from_json(row.attributes),
        span=None if start is None or end is None else (start, end),
        confidence=row.confidence,
        rating=row.rating,
    )
