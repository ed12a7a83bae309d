"""What a world contains and who may see it, from its tables and an independent rule."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tests.property.hidden_policies import Policy, carried
from tests.property.hidden_worlds import World

MARKS = re.compile(r"(?:mark|trait)\d{5}q")
Json = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """An episode."""

    id: int
    uuid: str
    content: str
    metadata: Json
    shown: bool  # whether it is listed: the episode of directly added knowledge is not
    named: bool  # whether a fact may name it: not if it carries directly added nodes


@dataclass(frozen=True)
class Thing:
    """An object that episodes support, and the facts that it mentions."""

    uuid: str
    kind: str
    episodes: frozenset[int]
    facts: frozenset[int] = frozenset()
    id: int = 0
    text: str = ""
    ends: tuple[str, ...] = ()  # the nodes that a fact joins
    is_user: bool = False


@dataclass
class Truth:
    """Everything in a world, by uuid."""

    episodes: dict[int, Told]
    things: dict[str, Thing] = field(default_factory=dict)
    papers: dict[str, Json] = field(default_factory=dict)
    said_of_nodes: str = ""  # all summaries of nodes
    endings: list[tuple[str, int]] = field(default_factory=list)  # facts, and what ended them

    @cached_property
    def facts(self) -> dict[int, Thing]:
        """The facts by their row ids."""
        return {thing.id: thing for thing in self.things.values() if thing.kind == "fact"}


def _pairs(world: World, query: str) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {}
    for one, two in world.running.rows(query):
        found.setdefault(one, set()).add(two)
    return {key: frozenset(values) for key, values in found.items()}


def truth(world: World) -> Truth:
    """Read everything from the tables of a world."""
    rows = world.running.rows
    episodes = {
        row[0]: Told(
            *row[:3],
            json.loads(row[3] or "{}"),
            row[4] not in ("fact_triple", "nodes"),
            row[4] != "nodes",
        )
        for row in rows("SELECT id, uuid, content, metadata, kind FROM episodes")
    }
    made = Truth(episodes)
    supports = _pairs(world, "SELECT fact_id, episode_id FROM supports")
    mentions = _pairs(world, "SELECT entity_id, episode_id FROM mentions")
    evidence = _pairs(world, "SELECT observation_id, fact_id FROM observation_facts")
    about = _pairs(world, "SELECT source_id, id FROM facts UNION SELECT target_id, id FROM facts")
    kept = _pairs(world, "SELECT summary_id, fact_id FROM summary_facts")
    said = _pairs(
        world,
        "SELECT s.id, e.id FROM summaries s JOIN episodes e ON e.thread_id = s.thread_id"
        " OR (e.graph_id = s.graph_id AND e.document_id = s.document_id)",
    )
    none: frozenset[int] = frozenset()

    def add(kind: str, query: str, behind: Mapping[int, Any], facts: Mapping[int, Any]) -> None:
        for number, uuid, text in rows(query):
            made.things[uuid] = Thing(
                uuid, kind, behind.get(number, none), facts.get(number, none), number, text
            )

    add("fact", "SELECT id, uuid, fact FROM facts", supports, {})
    for uuid, *ends in rows(_ENDS):
        made.things[uuid] = replace(made.things[uuid], ends=tuple(ends))
    add("entity", "SELECT id, uuid, name FROM entities", mentions, about)
    for (uuid,) in rows("SELECT uuid FROM entities WHERE is_user = 1"):
        made.things[uuid] = replace(made.things[uuid], is_user=True)
    add("summary", "SELECT id, uuid, summary FROM summaries", said, kept)
    behind = {
        number: frozenset(e for fact in facts for e in supports.get(fact, none))
        for number, facts in evidence.items()
    }
    add("observation", "SELECT id, uuid, name FROM observations", behind, evidence)
    made.endings = rows(
        "SELECT f.uuid, c.episode_id FROM closings c JOIN facts f ON f.id = c.fact_id"
        " WHERE c.episode_id IS NOT NULL"
    )
    made.said_of_nodes = " ".join(row[0] for row in rows("SELECT summary FROM entities"))
    for told in episodes.values():
        if told.uuid in made.things:
            continue  # a directly added fact has the uuid of its episode
        made.things[told.uuid] = Thing(told.uuid, "episode", frozenset({told.id}), id=told.id)
    for uuid, metadata in rows("SELECT uuid, metadata FROM documents"):
        made.papers[uuid] = json.loads(metadata or "{}")
    return made


_ENDS = (
    "SELECT f.uuid, s.uuid, t.uuid FROM facts f"
    " JOIN entities s ON s.id = f.source_id JOIN entities t ON t.id = f.target_id"
)


class View:
    """What a policy lets a key see of the truth."""

    def __init__(self, all_: Truth, policy: Policy) -> None:
        self.all = all_
        self._seen = {n: policy.sees([e.metadata]) for n, e in all_.episodes.items()}
        self.facts = {n: policy.sees(self._said(t.episodes)) for n, t in all_.facts.items()}
        self.visible = {uuid: self._sees(thing, policy) for uuid, thing in all_.things.items()}
        self.visible |= {uuid: policy.sees([given]) for uuid, given in all_.papers.items()}

    def _said(self, episodes: Iterable[int]) -> list[Json]:
        return [self.all.episodes[number].metadata for number in sorted(episodes)]

    def _sees(self, thing: Thing, policy: Policy) -> bool:
        if thing.kind == "observation" and not all(self.facts[n] for n in thing.facts):
            return False
        if thing.is_user:  # it is on all sides: only its visible episodes count
            return policy.sees(self._said(n for n in thing.episodes if self._seen[n]))
        return policy.sees(self._said(thing.episodes))

    def heard(self, thing: Thing) -> bool:
        """Whether every episode behind an object is visible."""
        return all(self._seen[number] for number in thing.episodes)

    def whole(self, thing: Thing) -> bool:
        """Whether everything that an object rests on and mentions is visible."""
        return self.heard(thing) and all(self.facts[number] for number in thing.facts)

    def metadata(self, thing: Thing) -> dict[str, list[Any]]:
        """The effective metadata of an object, from its visible episodes."""
        return carried(self._said(n for n in thing.episodes if self._seen[n]))

    def episodes(self, thing: Thing) -> set[str]:
        """The visible episodes that are shown with an object."""
        told = (self.all.episodes[n] for n in thing.episodes if self._seen[n])
        return {one.uuid for one in told if one.shown}

    def ended_by_hidden(self) -> set[str]:
        """The facts that a hidden episode ended."""
        return {uuid for uuid, episode in self.all.endings if not self._seen[episode]}

    def named(self, thing: Thing) -> set[str]:
        """The visible episodes that a fact names, including those of directly added facts."""
        told = (self.all.episodes[n] for n in thing.episodes if self._seen[n])
        return {one.uuid for one in told if one.named}

    def hidden(self) -> Iterator[str]:
        """The uuids of hidden objects."""
        return (uuid for uuid, seen in self.visible.items() if not seen)

    def is_node(self, uuid: str) -> bool:
        """Whether the uuid is that of an entity."""
        return uuid in self.all.things and self.all.things[uuid].kind == "entity"

    def neighbours(self, node: str) -> dict[str, set[str]]:
        """The visible neighbours of a node, with the visible facts that lead there."""
        found: dict[str, set[str]] = {}
        for number, fact in self.all.facts.items():
            others = set(fact.ends) - {node}
            if self.facts[number] and node in fact.ends and others:
                (other,) = others
                if self.visible[other]:
                    found.setdefault(other, set()).add(fact.uuid)
        return found

    @cached_property
    def secrets(self) -> frozenset[str]:
        """Strings that no response may contain."""
        found: set[str] = set()
        for number, told in self.all.episodes.items():
            if not self._seen[number]:
                own = set() if self.visible[told.uuid] else {told.uuid}
                found |= own | {str(told.metadata["tag"])} if "tag" in told.metadata else own
                found.update(MARKS.findall(told.content))
        for uuid in self.hidden():
            # The uuid of a hidden node stays on the edges that lead to it.
            if uuid in self.all.papers or self.all.things[uuid].kind != "entity":
                found.add(uuid)
        for thing in self.all.things.values():
            if thing.kind in ("summary", "entity") and not self.whole(thing):
                found.add(written(thing))
        told = {t.text for n, t in self.all.facts.items() if self.facts[n]}
        unsaid = {t.text for n, t in self.all.facts.items() if not self.facts[n]} - told
        return frozenset(found | {one for one in unsaid if not any(one in two for two in told)})


def written(thing: Thing) -> str:
    """The text that the tests pretend a language model wrote about an object."""
    return f"written about {thing.kind} {thing.id:05d}q"
