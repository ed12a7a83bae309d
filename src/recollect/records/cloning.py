"""Copies of whole graphs: a user's as a new user, a standalone one as a new graph.

Episodes, nodes, facts with their provenance, categories, index rows and guidance are copied under new
uuids, in one transaction. Threads are not: the copy's log has what was said in them, but the copy has
no message history. Membership in user groups is not copied either.
"""

from collections.abc import Callable, Sequence
from typing import Any

from recollect import ids
from recollect.derive import derived_copies, knowledge, readings
from recollect.errors import AlreadyExists, InvalidInput, NotAllowed
from recollect.graph import checks
from recollect.graph.types import Access, Entity, Graph, Kind, Record, User
from recollect.records import graphs, guidance, users
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails
from recollect.store import index, numbers, rows, tasks
from recollect.store.protocol import Transaction
from recollect.store.queries.copies import CloneFactsOfRow
from recollect.store.queries.shapes import IdUuidRow


class ClonedEnds(Record):
    """What to copy, and the id of the copy; both are users, or both are graphs."""

    source_user: str | None = None
    source_graph: str | None = None
    target_user: str | None = None
    target_graph: str | None = None


class Copied(Record):
    """The new graph, and the task for its episodes; None if it has none."""

    graph: Graph
    task_uuid: str | None


def clone(tx: Transaction, access: Access, ends: ClonedEnds) -> Copied:
    """Copy a graph to an owner that does not exist yet; requires full visibility."""
    if access.visibility is not None:
        raise NotAllowed(
            "policies hide part of the graph from this key, and a copy would contain all of it"
        )
    for side in ("source", "target"):
        if getattr(ends, f"{side}_user") is not None and getattr(ends, f"{side}_graph") is not None:
            raise InvalidInput(f"{side}_user_id and {side}_graph_id: give one of them, not both")
    if ends.source_user is not None and ends.target_user is not None:
        return _clone_user(tx, access, ends.source_user, ends.target_user)
    if ends.source_graph is not None and ends.target_graph is not None:
        return _clone_graph(tx, access, ends.source_graph, ends.target_graph)
    raise InvalidInput(
        "source_user_id and target_user_id, or source_graph_id and target_graph_id: "
        "give a source and a target of the same kind"
    )


def _clone_graph(tx: Transaction, access: Access, source_id: str, target_id: str) -> Copied:
    source = graphs.get(tx, access, source_id)
    details = GraphDetails(
        name=source.name,
        description=source.description,
        time_zone=source.time_zone,
        rating=source.rating,
    )
    target = graphs.create(tx, access, target_id, details, field="target_graph_id")
    return _Copy(tx, source, target).run()


def _clone_user(tx: Transaction, access: Access, source_id: str, target_id: str) -> Copied:
    source = users.get(tx, access, source_id)
    checks.caller_id("target_user_id", target_id)
    if tx.users.by_name(project_id=access.project_id, user_id=target_id) is not None:
        raise AlreadyExists(f"target_user_id: {target_id!r} exists already")
    details = UserDetails(
        email=source.email,
        first_name=source.first_name,
        last_name=source.last_name,
        metadata=source.metadata,
        time_zone=source.time_zone,
        disable_default_ontology=source.disable_default_ontology,
        rating=source.rating,
    )
    target = users.create(tx, access, target_id, details)
    old = users.node(tx, access, source_id)
    new = users.node(tx, access, target_id)
    _teach(tx, (source, old), (target, new))
    graph = graphs.of_user(tx, access, target_id)
    return _Copy(tx, graphs.of_user(tx, access, source_id), graph, (old, new)).run()


def _teach(tx: Transaction, source: tuple[User, Entity], target: tuple[User, Entity]) -> None:
    """Give the new user's node what the old one learned, under its own name and id."""
    (old_user, old), (new_user, new) = source, target
    kept_name = old.name != users.display_name(old_user)
    own = {"user_id", "email", "first_name", "last_name"}
    learned = {key: item for key, item in (old.attributes or {}).items() if key not in own}
    told = [name for name in _names(tx, old) if name != old_user.user_id]
    answers = list(dict.fromkeys([*_names(tx, new), *told]))
    tx.entities.learn(
        id=new.id,
        name=old.name if kept_name else users.display_name(new_user),
        labels=rows.to_json(old.labels),
        summary=old.summary,
        attributes=rows.to_json({**learned, **(new.attributes or {})}),
        kind="person",
        names=rows.to_json(answers),
    )
    knowledge.put_names(tx, new.graph_id, new.id, answers)


def _names(tx: Transaction, entity: Entity) -> list[str]:
    row = tx.entities.by_id(id=entity.id)
    return [] if row is None else list(rows.from_json(row.names))


class _Copy:
    """One copy in progress. *nodes* are the two users' own nodes; the second already exists."""

    def __init__(
        self,
        tx: Transaction,
        source: Graph,
        target: Graph,
        nodes: tuple[Entity, Entity] | None = None,
    ) -> None:
        self._tx = tx
        self._source = source
        self._target = target
        self._nodes = nodes
        self._task = tx.new_id()
        self._distance = ids.distance(target.uuid)

    def run(self) -> Copied:
        """Copy everything, in foreign-key order."""
        episodes = self._renamed(self._tx.copies.episodes_of)
        self._insert(self._tx.copies.episodes, pairs=_json(episodes), task_uuid=self._task)
        entities = self._entities()
        facts = self._facts(entities)
        self._insert(self._tx.copies.readings, source=self._source.id)
        self._edits()
        self._insert(self._tx.copies.mentions, pairs=_json(entities))
        self._insert(self._tx.copies.supports, pairs=_json(facts))
        self._insert(self._tx.copies.closings, pairs=_json(facts))
        self._insert(self._tx.copies.doubts, pairs=_json(facts))
        seen = derived_copies.copy(
            self._tx,
            self._source.id,
            self._target.id,
            entities=entities,
            facts=facts,
            moved=self._moved,
        )
        self._index(
            {
                "episode": self._new_ids(episodes, self._tx.copies.episodes_of),
                "entity": entities,
                "fact": facts,
                "observation": seen,
            }
        )
        self._guidance()
        self._sorting()
        self._insert(
            self._tx.copies.counters, source=self._source.id, distance=self._whole_distance()
        )
        self._rename_user()
        self._owe(len(episodes))
        # The copy's user node is a different one, with its own record.
        readings.fold_again(self._tx, self._target.id, 0)
        return Copied(graph=self._target, task_uuid=self._task if episodes else None)

    def _index(self, copied: dict[Kind, Sequence[tuple[int, int]]]) -> None:
        """Index the copy; its versions come after those it was created with."""
        row = self._tx.graphs.next_version(id=self._target.id, count=0)
        after = row or 0
        for kind, pairs in copied.items():
            self._insert(
                self._tx.copies.index,
                pairs=_json(pairs),
                source=self._source.id,
                item_kind=kind,
                after=after,
            )

    def _rename_user(self) -> None:
        """Index the new user's node by its own name instead of the old one's."""
        row = self._tx.entities.by_id(id=self._nodes[1].id) if self._nodes else None
        if row is not None:
            found = index.entity_item(row.id, row.name, row.summary)
            index.put(self._tx, self._target.id, [found])

    def _moved(self, uuid: str) -> str:
        """The uuid of the copy of something."""
        return ids.moved(uuid, self._distance)

    def _whole_distance(self) -> int:
        """The distance from the uuids that the readings contain, which may be those of a copy's original."""
        row = self._tx.graphs.distance(id=self._source.id)
        return ids.total(row or 0, self._distance)

    def _insert(self, copy: Callable[..., int], **params: Any) -> None:
        copy(graph_id=self._target.id, **params)

    def _renamed(
        self, read: Callable[..., Sequence[IdUuidRow | CloneFactsOfRow]]
    ) -> list[tuple[int, str]]:
        """The ids of the rows to copy, each with a new uuid."""
        found = read(graph_id=self._source.id)
        return [(row.id, self._moved(row.uuid)) for row in found]

    def _new_ids(
        self,
        pairs: Sequence[tuple[int, str]],
        read: Callable[..., Sequence[IdUuidRow | CloneFactsOfRow]],
        **params: Any,
    ) -> list[tuple[int, int]]:
        """The ids of the copied rows, each with the id of its copy."""
        found = read(graph_id=self._target.id, **params)
        made = {row.uuid: row.id for row in found}
        return [(old, made[uuid]) for old, uuid in pairs]

    def _entities(self) -> list[tuple[int, int]]:
        renamed = self._renamed(self._tx.copies.entities_of)
        self._insert(
            self._tx.copies.entities, pairs=_json(renamed), **numbers.of_graph(self._target.id)
        )
        ids = self._new_ids(renamed, self._tx.copies.entities_of)
        if self._nodes is not None:
            old, new = self._nodes
            ids.append((old.id, new.id))
        self._insert(self._tx.copies.entity_names, pairs=_json(ids), user_node=self._user_node)
        return ids

    @property
    def _user_node(self) -> int | None:
        return None if self._nodes is None else self._nodes[0].id

    def _facts(self, entities: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        ends = dict(entities)
        found = self._tx.copies.facts_of(graph_id=self._source.id, user_node=self._user_node)
        pairs = [
            (row.id, self._moved(row.uuid), ends[row.source_id], ends[row.target_id])
            for row in found
        ]
        self._insert(self._tx.copies.facts, pairs=_json(pairs), **numbers.of_graph(self._target.id))
        renamed = [(old, uuid) for old, uuid, *_ in pairs]
        return self._new_ids(renamed, self._tx.copies.facts_of, user_node=None)

    def _edits(self) -> None:
        found = self._tx.copies.edits_of(graph_id=self._source.id)
        pairs = [
            (row.id, self._moved(row.subject), row.near and self._moved(row.near)) for row in found
        ]
        self._insert(self._tx.copies.edits, pairs=_json(pairs))

    def _guidance(self) -> None:
        found = self._tx.copies.guidance_of(graph_id=self._source.id)
        pairs = [(row, self._tx.new_id()) for row in found]
        scope = guidance.scope_of(self._target).key
        self._insert(self._tx.copies.guidance, pairs=_json(pairs), scope=scope, now=self._now)

    def _sorting(self) -> None:
        """How MemMachine clients organise features."""
        for read, copy in (
            (self._tx.copies.feature_set_types_of, self._tx.copies.feature_set_types),
            (self._tx.copies.feature_categories_of, self._tx.copies.feature_categories),
            (self._tx.copies.feature_tags_of, self._tx.copies.feature_tags),
        ):
            held = read(graph_id=self._source.id)
            self._insert(copy, pairs=_json([(row, self._tx.new_id()) for row in held]))
        self._insert(self._tx.copies.feature_categories_off, source=self._source.id)

    def _owe(self, episodes: int) -> None:
        if episodes:
            tasks.owe(self._tx, self._task, "graph.clone", self._target.id, episodes)
        self._insert(self._tx.copies.jobs, task_uuid=self._task, now=self._now)
        self._tx.queue.enter(graph_id=self._target.id)
        self._tx.queue.leave(graph_id=self._target.id)

    @property
    def _now(self) -> int:
        return rows.micros(self._tx.now)


def _json(pairs: Sequence[tuple[int | str | None, ...]]) -> str | None:
    return rows.to_json(pairs)
