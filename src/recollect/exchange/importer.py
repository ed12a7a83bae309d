"""Imports a file of ours into a new project or graph, completely or not at all.

With new ids, every uuid is shifted by a fixed distance, so references still match and order is kept.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

import msgspec

from recollect import ids
from recollect.derive import derived_copies, readings, taken_in
from recollect.errors import AlreadyExists, InvalidInput
from recollect.exchange import lines
from recollect.exchange.exporter import ExportedGraph
from recollect.exchange.lines import CopiedProject, End, GraphMark, Header
from recollect.exchange.tables import OF_COPY, OF_PROJECT, OWN_UUIDS, RECORDS
from recollect.governance import keys, policies
from recollect.graph import checks
from recollect.graph.types import Project, Record
from recollect.graph.visibility import Value
from recollect.ingest import rebuild, shares
from recollect.store import numbers, rows
from recollect.store.protocol import Transaction
from recollect.store.statements import RowRefused

Rename = Callable[[str], str]


def by_distance(distance: int) -> Rename:
    """Shifts the last part of a uuid by a distance."""

    def rename(uuid: str) -> str:
        try:
            return ids.moved(uuid, distance)
        except ValueError as error:
            raise InvalidInput(f"{uuid!r} is not a uuid") from error

    return rename


def renamed(record: str, told: Mapping[str, Any], rename: Rename) -> dict[str, Any]:
    """A row with all its uuids renamed, references included."""
    table = RECORDS[record]
    uuids = OWN_UUIDS | set(table.references.split())
    new = {
        column: rename(value) if column in uuids and value is not None else value
        for column, value in told.items()
    }
    if new.get("scope"):
        noun, _, uuid = new["scope"].partition(":")
        new["scope"] = f"{noun}:{rename(uuid)}"
    if record == "observation":
        new["key"] = _renamed_key(new["key"], rename)
    if record == "entity_name":
        new["key"] = taken_in.renamed_key(new["key"], rename)
    if record == "entity" and new.get("given"):
        new["given"] = _renamed_given(new["given"], rename)
    return new


def _renamed_given(given: Any, rename: Rename) -> str:
    try:
        return rows.to_json(taken_in.renamed(rows.from_json(given), rename)) or ""
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidInput("given: not in the form that an export writes") from error


def _renamed_key(key: Any, rename: Rename) -> str:
    try:
        return derived_copies.key_with(key, rename)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{key!r} is not the key of an observation") from error


class ImportTarget(Record):
    """Where a file goes.

    *project*: the project for a single graph; by default the one named in the file. *into*: the new name
    of the project, or of the single graph. *new_ids*: give everything new uuids, because the original is
    still in this store. *copies*: a copy is expected, which replaces the original.
    """

    project: str | None = None
    into: str | None = None
    new_ids: bool = False
    copies: bool = False


class Imported(Record):
    """What an import wrote: its graphs, and how many records of each kind."""

    project_id: int
    project: str
    graphs: tuple[ExportedGraph, ...]
    counts: dict[str, int]


Progress = Callable[[int], Any]


def load(tx: Transaction, file: IO[bytes], target: ImportTarget, progress: Progress) -> Imported:
    """Import a whole file in one unit of work; *progress* is called with the number of bytes read.

    A file that is damaged, truncated, or yields another digest than it states is refused, and nothing of
    it is kept.
    """
    return _Import(tx, file, target, progress).run()


_SIDE = msgspec.json.Decoder(list[tuple[str, list[Value]]])
_WALLS = msgspec.json.Decoder(list[str])


def _check_walls(number: int, told: dict[str, Any]) -> None:
    """Refuse sides that no export could have written."""
    for column, decoder in (("side", _SIDE), ("walls", _WALLS)):
        try:
            decoder.decode(told.get(column) or "[]")
        except (msgspec.DecodeError, TypeError) as error:
            raise InvalidInput(f"line {number}: {column}: {error}") from error


class _CurrentGraph(Record):
    """The graph that records currently belong to."""

    id: int
    kind: str
    graph_id: str


class _Import:
    """One import under way."""

    def __init__(
        self, tx: Transaction, file: IO[bytes], target: ImportTarget, progress: Progress
    ) -> None:
        self._tx = tx
        self._file = file
        self._target = target
        self._progress = progress
        self._rename: Rename | None = None
        self._distance = 0
        self._place: _CurrentGraph | None = None
        self._counts: dict[str, int] = {}
        self._graphs: list[ExportedGraph] = []
        self._episodes_before = 0
        self._policies_known = 0

    def run(self) -> Imported:
        """Read every line, then run the checks that need the whole file."""
        read = lines.read(self._file)
        header = self._header(read)
        project = self._project(header)
        if self._target.new_ids:
            self._distance = ids.distance(f"{project.uuid}/{self._target.into or ''}")
            self._rename = by_distance(self._distance)
        number = 1
        for number, line in read:
            if isinstance(line, End):
                self._end(number, line, project, read)
                break
            self._line(number, line, header, project)
        else:
            raise InvalidInput(f"the file is cut short: it ends after line {number}")
        return Imported(
            project_id=project.id,
            project=project.name,
            graphs=tuple(self._graphs),
            counts=self._counts,
        )

    def _header(self, read: Iterator[tuple[int, msgspec.Struct]]) -> Header:
        first = next(read, None)
        if first is None or not isinstance(first[1], Header):
            raise InvalidInput("the file is empty")
        return first[1]

    def _project(self, header: Header) -> Project:
        """The project to write to: an empty one for a whole project, any for a graph."""
        if header.holds == "graph":
            return keys.project_named(self._tx, self._target.project or keys.DEFAULT_PROJECT)
        if self._target.project is not None:
            raise InvalidInput(
                "--project applies only to files with one graph; name this project with --into"
            )
        if (header.copied is not None) != self._target.copies:
            raise InvalidInput(
                "line 1: keys and logs can only be transferred with `recollect copy`"
            )
        name = self._target.into or header.project
        if header.copied is not None:
            made = self._copied(name, header.copied)
        else:
            row = self._tx.projects.by_name(name=name)
            made = keys.create_project(self._tx, name) if row is None else rows.project(row)
        if self._tx.exchange.project_used(project_id=made.id):
            raise AlreadyExists(
                f"project {name!r} already contains data; give another name with --into"
            )
        self._tx.exchange.put(
            "project",
            project_id=made.id,
            description=header.description,
            default_time_zone=header.default_time_zone,
        )
        return made

    def _copied(self, name: str, told: CopiedProject) -> Project:
        """Create the project with its original identity, in a store that has none of that name."""
        if self._tx.projects.by_name(name=name) is not None:
            raise AlreadyExists(f"a project named {name!r} exists already")
        try:
            self._tx.projects.insert(
                uuid=told.uuid, name=name, description=None, now=told.created_at
            )
        except RowRefused as error:
            raise AlreadyExists(
                f"the store already has project {name!r} under another name"
            ) from error
        shares.weigh(self._tx, name, told.weight)
        return keys.project_named(self._tx, name)

    def _line(self, number: int, line: msgspec.Struct, header: Header, project: Project) -> None:
        if isinstance(line, GraphMark):
            self._graph_end(number, line, project)
            return
        record = lines.kind_of(line)
        known = record in RECORDS and (header.copied is not None or record not in OF_COPY)
        if not known or (header.holds == "graph" and record in OF_PROJECT):
            raise InvalidInput(f"line {number}: {record!r} is not expected here")
        told = lines.values(record, line)
        if self._rename is not None:
            told = renamed(record, told, self._rename)
        if record == "graph":
            self._graph(number, told, header, project)
        else:
            if self._place is None and header.holds == "graph":
                raise InvalidInput(f"line {number}: {record}: it is outside of any graph")
            self._row(number, record, told, project)
        self._counts[record] = self._counts.get(record, 0) + 1
        self._progress(number)

    def _graph(self, number: int, told: dict[str, Any], header: Header, project: Project) -> None:
        if self._place is not None:
            raise InvalidInput(f"line {number}: the previous graph has no end record")
        self._guard(project)
        if header.holds == "graph" and self._graphs:
            raise InvalidInput(f"line {number}: the file should contain only one graph")
        told["graph_id"] = self._name(header, told["graph_id"])
        noun = "user" if told["kind"] == "user" else "graph"
        checks.caller_id(f"line {number}: {noun}", told["graph_id"] or "")
        self._refuse_known(noun, told, project)
        told["distance"] = ids.total((told["distance"] or 0), self._distance)
        self._insert(number, "graph", {**told, "project_id": project.id})
        row = self._tx.exchange.graph_anywhere(uuid=told["uuid"])
        if row is None:
            raise InvalidInput(f"line {number}: the graph has no uuid")
        self._place = _CurrentGraph(id=row, kind=told["kind"], graph_id=told["graph_id"])
        self._episodes_before = self._counts.get("episode", 0)

    def _name(self, header: Header, given: str) -> str:
        return self._target.into or given if header.holds == "graph" else given

    def _refuse_known(self, noun: str, told: dict[str, Any], project: Project) -> None:
        """Refuse to import something that already exists, and name it."""
        found = self._tx.graphs.by_name(
            project_id=project.id,
            kind=told["kind"],
            graph_id=told["graph_id"],
        )
        if found is not None:
            raise AlreadyExists(
                f"{noun} {told['graph_id']!r} exists in project {project.name!r}; give another id "
                "with --into"
            )
        if self._tx.exchange.graph_anywhere(uuid=told["uuid"]) is not None:
            raise AlreadyExists(
                f"this store holds the {noun} that was exported, under the same uuids; add "
                "--new-ids for a copy with its own"
            )

    def _row(self, number: int, record: str, told: dict[str, Any], project: Project) -> None:
        place = self._place
        _check_walls(number, told)
        if record == "user" and place is not None:
            told["user_id"] = place.graph_id
        where: dict[str, Any] = {"project_id": project.id, "graph_id": None}
        if place is not None:
            where = {**where, "graph_id": place.id, **numbers.of_graph(place.id)}
        self._insert(number, record, {**where, **told})

    def _insert(self, number: int, record: str, values: dict[str, Any]) -> None:
        try:
            added = self._tx.exchange.put(RECORDS[record].put, **values)
        except RowRefused as error:
            raise InvalidInput(f"line {number}: {record}: {error}") from error
        if added != 1:
            raise InvalidInput(
                f"line {number}: {record}: it refers to something that is not in the file"
            )

    def _graph_end(self, number: int, mark: GraphMark, project: Project) -> None:
        place = self._place
        if place is None:
            raise InvalidInput(f"line {number}: end record without a graph")
        self._owe(place.id)
        digest = rebuild.digest(self._tx, place.id)
        if digest != mark.digest and self._rename is None:
            raise InvalidInput(
                f"line {number}: {place.kind} {place.graph_id!r} came out differently from what "
                "was exported; the file was changed"
            )
        if self._tx.exchange.mend_sides(graph_id=place.id):
            readings.fold_again(self._tx, place.id, 0)
        guarded = rows.to_json(sorted(policies.guarded(self._tx, project.id)))
        self._tx.edits.part(project_id=project.id, graph_id=place.id, keys=guarded)
        self._graphs.append(
            ExportedGraph(
                kind=place.kind,
                graph_id=place.graph_id,
                episodes=self._counts.get("episode", 0) - self._episodes_before,
                digest=digest,
            )
        )
        self._place = None

    def _owe(self, graph_id: int) -> None:
        """Queue the graph if it has unprocessed episodes."""
        self._tx.queue.enter(graph_id=graph_id)
        self._tx.queue.leave(graph_id=graph_id)

    def _guard(self, project: Project) -> None:
        """Apply the policies read so far."""
        sets = self._counts.get("policy_set", 0)
        if sets != self._policies_known:
            policies.guard(self._tx, project.id)
            self._policies_known = sets

    def _end(
        self, number: int, end: End, project: Project, read: Iterator[tuple[int, msgspec.Struct]]
    ) -> None:
        if self._place is not None:
            raise InvalidInput(f"line {number}: the last graph has no end record")
        self._guard(project)
        counted = sum(self._counts.values())
        if counted != end.records:
            raise InvalidInput(
                f"line {number}: the file should have {end.records} records but has {counted}"
            )
        if next(read, None) is not None:
            raise InvalidInput(f"line {number}: there are lines after the end of the file")
