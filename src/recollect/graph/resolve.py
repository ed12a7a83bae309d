"""Entity resolution: which of the entities found are already known, and which of them are the same.

When in doubt, two entities are better than one wrong one. In order of precedence: the user's or the
assistant's own node; a uuid; what a reader that saw the graph says, while that entity still has the
name it was shown under; an equal name, alias, e-mail address or id; a first name that only one
known person has; the initials of an organization; a very similar name. Entities of incompatible
kinds never match, unless their names are equal and the kind found is a guess that readers often get
wrong, or someone merged them by hand. A full name never matches a known bare first name: "John"
need not be the John Lennon mentioned next.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from recollect.graph import names
from recollect.graph.delta import KnownEntity
from recollect.graph.found import EntityKind, Found, FoundEntity
from recollect.graph.gist import mark
from recollect.graph.types import Record
from recollect.limits import CANDIDATES_PER_KEY_MAX

_REMEMBERED = 16_384
# Kinds that a reader may confuse; entities of any other two kinds are different things.
_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        ("organization", "place"),
        ("organization", "object"),
        ("organization", "topic"),
        ("place", "topic"),
        ("document", "object"),
        ("document", "topic"),
        ("event", "topic"),
        ("object", "topic"),
    )
)
# Kinds that a name alone does not distinguish; person and place only if the name has several words.
_MISREAD = frozenset(
    frozenset(pair)
    for pair in (("person", "organization"), ("person", "animal"), ("organization", "animal"))
)
_MISREAD_IN_FULL = frozenset(("person", "place"))


class Resolution(Record):
    """The result, in the order of the entities found.

    *known* has the uuid of the known entity, or None; *groups* a number that is equal for those that
    are the same.
    """

    known: tuple[str | None, ...]
    groups: tuple[int, ...]


@dataclass(eq=False, slots=True)
class _Candidate:
    """A possible match: an entity of the graph, or one found earlier in the same episode."""

    order: int
    uuid: str | None
    asked: str | None
    name: str
    names: tuple[str, ...]
    kind: EntityKind | None
    who: str | None
    labels: tuple[str, ...]
    mentioned: bool = False
    taken_in: tuple[str, ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        """The keys it is looked up by."""
        return _keys(self.names)

    def add(self, item: FoundEntity) -> None:
        """Merge in a found entity that matched this one."""
        self.mentioned = True
        self.kind = self.kind or item.kind
        if item.label is not None:
            self.labels = (*self.labels, item.label)
        self.names = (*self.names, *new_names(self.names, item))


# Consecutive episodes mention the same entities.
@lru_cache(maxsize=_REMEMBERED)
def _keys(answers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(key for name in answers for key in names.keys(name))


@lru_cache(maxsize=_REMEMBERED)
def _forms(answers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(names.normal, answers))


def new_names(answers: Iterable[str], item: FoundEntity) -> list[str]:
    """The names of *item* that are new to an entity with the names *answers*.

    A person's first name and an organization's initials do not count: the full name finds them
    while they are unambiguous. What the user or the assistant is called in a text is not a name;
    their aliases are.
    """
    held = {names.normal(name) for name in answers}
    given = item.aliases if item.who is not None else (item.name, *item.aliases)
    fresh: dict[str, str] = {}
    for name in given:
        form = names.normal(name)
        if form and form not in held and not any(_shortens(name, full, item) for full in answers):
            fresh.setdefault(form, name)
    return list(fresh.values())


def _shortens(name: str, full: str, item: FoundEntity) -> bool:
    if item.kind == "person":
        return names.extends(full, name)
    return name not in item.aliases and names.abbreviates(name, full)


def compatible(one: EntityKind | None, two: EntityKind | None) -> bool:
    """Whether entities of these kinds can be the same."""
    return one is None or two is None or one == two or frozenset((one, two)) in _ALIKE


def resolve(known: tuple[KnownEntity, ...], found: Found) -> Resolution:
    """Match every entity found. *known* is what `needs.needs` asks for, or more.

    Fuller names go first, so that "Jane" finds the "Jane Smith" of the same episode.
    """
    pool = [
        _Candidate(
            order=place,
            uuid=item.uuid,
            asked=None,
            name=item.name,
            names=(item.name, *item.names),
            kind=item.kind,
            who=item.who,
            labels=item.labels,
            taken_in=item.taken_in,
        )
        for place, item in enumerate(sorted(known, key=lambda item: item.uuid))
    ]
    chosen: dict[int, _Candidate] = {}
    for number in sorted(range(len(found.entities)), key=lambda n: _turn(n, found.entities[n])):
        item = found.entities[number]
        match = _match(item, pool)
        if match is None:
            match = _Candidate(
                order=len(pool),
                uuid=None,
                asked=item.uuid,
                name=item.name,
                names=(item.name,),
                kind=item.kind,
                who=item.who,
                labels=(),
            )
            pool.append(match)
        match.add(item)
        chosen[number] = match
    return Resolution(
        known=tuple(chosen[n].uuid for n in range(len(found.entities))),
        groups=tuple(chosen[n].order for n in range(len(found.entities))),
    )


def _turn(number: int, item: FoundEntity) -> tuple[bool, int, bool, int, int]:
    form = names.normal(item.name)
    direct = item.who is not None or item.uuid is not None or item.known is not None
    unsure = item.kind is None or item.guessed
    return (not direct, -len(form.split()), unsure, -len(item.name), number)


def _match(item: FoundEntity, pool: list[_Candidate]) -> _Candidate | None:
    if item.uuid is not None:
        return next((one for one in pool if item.uuid in (one.uuid, one.asked)), None)
    if (recognized := _recognized(item, pool)) is not None:
        return recognized
    if item.who is not None:
        return next((one for one in pool if one.who == item.who), None)
    if (misread := _misread(item, pool)) is not None:
        return misread
    fitting = [one for one in pool if compatible(item.kind, one.kind) or _taken_in(one, item)]
    rules: tuple[Callable[[FoundEntity, list[_Candidate]], _Candidate | None], ...] = (
        _by_name,
        _by_first_name,
        _by_initials,
        _by_likeness,
    )
    return next((one for rule in rules if (one := rule(item, fitting)) is not None), None)


def _recognized(item: FoundEntity, pool: list[_Candidate]) -> _Candidate | None:
    """The entity a reader says it is, unless that is gone, was renamed, or differs in both kind and name."""
    shown = item.known
    if shown is None:
        return None
    one = next((one for one in pool if one.uuid == shown.uuid), None)
    form = names.normal(shown.name)
    if one is None or form not in _forms(one.names):
        return None
    return one if compatible(item.kind, one.kind) or _answers(one, item) else None


def _taken_in(one: _Candidate, item: FoundEntity) -> bool:
    """Whether someone merged an entity of this name into that one by hand, whatever its kind."""
    return bool(one.taken_in) and mark(item.name) in one.taken_in


def _by_name(item: FoundEntity, fitting: list[_Candidate]) -> _Candidate | None:
    """The one with an equal name. Of several, the one of the same kind, if there is one."""
    hits = [one for one in fitting if _answers(one, item)]
    same = [one for one in hits if one.kind == item.kind]
    if len(hits) > 1 and not same:
        return None
    form = names.normal(item.name)
    return min(
        same or hits,
        key=lambda one: (names.normal(one.name) != form, item.label not in one.labels, one.order),
        default=None,
    )


def goes_by(one: KnownEntity, item: FoundEntity) -> bool:
    """Whether an entity has the name of the one found, and a compatible kind."""
    return compatible(item.kind, one.kind) and _answers(one, item)


def _answers(one: _Candidate | KnownEntity, item: FoundEntity) -> bool:
    asked = (item.name, *item.aliases)
    if one.kind != "value" and item.kind != "value":
        return not _forms(asked).isdisjoint(_forms(one.names))
    # Every sign of a value counts: "-5" is not "5".
    return not {names.plain(name) for name in asked}.isdisjoint(map(names.plain, one.names))


def _misread(item: FoundEntity, pool: list[_Candidate]) -> _Candidate | None:
    """The only entity of an equal name, where the kind found may be a wrong guess."""
    hits = [one for one in pool if _answers(one, item)] if item.guessed else []
    if len(hits) != 1:
        return None
    sorts = frozenset((item.kind, hits[0].kind))
    in_full = sorts == _MISREAD_IN_FULL and len(names.normal(item.name).split()) > 1
    return hits[0] if sorts in _MISREAD or in_full else None


def _by_first_name(item: FoundEntity, fitting: list[_Candidate]) -> _Candidate | None:
    """A bare first name means the one person who has it, or the one just mentioned in full."""
    if item.kind != "person" or len(item.name.split()) != 1 or names.is_address(item.name):
        return None
    first = names.normal(item.name)
    if not first or _common("f:" + first, fitting):
        return None
    bearers = [one for one in fitting if one.kind == "person" and _is_called(one, first)]
    if len(bearers) != 1:
        bearers = [one for one in bearers if one.mentioned]
    return bearers[0] if len(bearers) == 1 else None


def _is_called(one: _Candidate, first: str) -> bool:
    return any(
        len(name.split()) > 1 and names.first_name(name) == first
        for name in one.names
        if not names.is_address(name)
    )


def _by_initials(item: FoundEntity, fitting: list[_Candidate]) -> _Candidate | None:
    """The only organization with these initials, which must be written in capitals."""
    short = names.initials(item.name)
    if item.kind != "organization" or short is None or _common("a:" + short, fitting):
        return None
    written = names.is_acronym(item.name)
    bearers = [
        one
        for one in fitting
        if one.kind == "organization"
        and any(
            names.is_acronym(name) != written and names.initials(name) == short
            for name in one.names
        )
    ]
    return bearers[0] if len(bearers) == 1 else None


def _by_likeness(item: FoundEntity, fitting: list[_Candidate]) -> _Candidate | None:
    """The one with a very similar name, if no other is as similar."""
    if item.kind == "value":
        return None
    own = set(names.keys(item.name))
    scores = [
        (max(names.likeness(item.name, name) for name in one.names), -place)
        for place, one in enumerate(fitting)
        if one.kind != "value" and not own.isdisjoint(one.keys)
    ]
    best = sorted((score for score in scores if score[0] > 0), reverse=True)[:2]
    if not best or (len(best) > 1 and best[0][0] == best[1][0]):
        return None
    return fitting[-best[0][1]]


def _common(key: str, fitting: Iterable[_Candidate]) -> bool:
    """Whether a key has as many entities as are ever loaded: there may be more, so it proves nothing."""
    return sum(key in one.keys for one in fitting) >= CANDIDATES_PER_KEY_MAX
