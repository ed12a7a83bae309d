"""Reading a file of ours into a project or graph that is not there yet: all of it, or nothing."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import IO, Any

import msgspec

from recollect import ids
from recollect.errors import AlreadyExists, InvalidInput
from recollect.exchange import lines
from recollect.exchange.lines import End, GraphMark, Header
from recollect.exchange.renaming import Rename, by_distance, renamed
from recollect.exchange.tables import OF_PROJECT, RECORDS
from recollect.exchange.writing import WrittenGraph
from recollect.governance import keys, policies
from recollect.graph import checks
from recollect.graph.sight import Value
from recollect.graph.types import Project, Record
from recollect.ingest import rebuild
from recollect.store import numbers, readings, rows
from recollect.store.protocol import Transaction


class Target(Record):
    """Where a file goes.

    *project*: into which project one graph goes; by default its own name decides. *into*: what
    the project, or the one graph, is to be called. *new_ids*: give everything new uuids, because
    what was exported is still in the same store.
    """

    project: str | None = None
    into: str | None = None
    new_ids: bool = False


class Imported(Record):
    """What an import wrote: its graphs, and how many records of each kind."""

    project_id: int
    project: str
    graphs: tuple[WrittenGraph, ...]
    counts: dict[str, int]


Progress = Callable[[int], Any]


def load(tx: Transaction, file: IO[bytes], target: Target, progress: Progress) -> Imported:
    """Read a whole file in one unit of work; *progress* hears how many bytes were read.

    A file that is broken, cut short or derives to another digest than it says is refused, and
    nothing of it stays.
    """
    return _Import(tx, file, target, progress).run()


_SIDE = msgspec.json.Decoder(list[tuple[str, list[Value]]])
_WALLS = msgspec.json.Decoder(list[str])


def _check_walls(number: int, told: dict[str, Any]) -> None:
    """Refuse sides that nobody could have written."""
    for column, decoder in (("side", _SIDE), ("walls", _WALLS)):
        try:
            decoder.decode(told.get(column) or "[]")
        except (msgspec.DecodeError, TypeError) as error:
            raise InvalidInput(f"line {number}: {column}: {error}") from error


class _Place(Record):
    """The graph that records go to just now."""

    id: int
    kind: str
    graph_id: str


class _Import:
    """One import under way."""

    def __init__(
        self, tx: Transaction, file: IO[bytes], target: Target, progress: Progress
    ) -> None:
        self._tx = tx
        self._file = file
        self._target = target
        self._progress = progress
        self._rename: Rename | None = None
        self._distance = 0
        self._place: _Place | None = None
        self._counts: dict[str, int] = {}
        self._graphs: list[WrittenGraph] = []
        self._episodes_before = 0
        self._policies_known = 0

    def run(self) -> Imported:
        """Every line, and the checks that the last one allows."""
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
        """The project that is written to: an empty one for a whole project, any for a graph."""
        if header.holds == "graph":
            return keys.project_named(self._tx, self._target.project or keys.DEFAULT_PROJECT)
        if self._target.project is not None:
            raise InvalidInput("--project is for files of one graph; name this one with --into")
        name = self._target.into or header.project
        row = self._tx.one("project_by_name", name=name)
        made = keys.create_project(self._tx, name) if row is None else rows.project(row)
        used = self._tx.one("import_finds_project_used", project_id=made.id)
        if used is not None and used["used"]:
            raise AlreadyExists(
                f"project {name!r} has memory already; give another name with --into"
            )
        self._tx.run(
            "import_project",
            project_id=made.id,
            description=header.description,
            default_time_zone=header.default_time_zone,
        )
        return made

    def _line(self, number: int, line: msgspec.Struct, header: Header, project: Project) -> None:
        if isinstance(line, GraphMark):
            self._graph_end(number, line, project)
            return
        record = lines.kind_of(line)
        if record not in RECORDS or (header.holds == "graph" and record in OF_PROJECT):
            raise InvalidInput(f"line {number}: {record!r} does not belong here")
        told = lines.values(record, line)
        if self._rename is not None:
            told = renamed(record, told, self._rename)
        if record == "graph":
            self._graph(number, told, header, project)
        else:
            if self._place is None and header.holds == "graph":
                raise InvalidInput(f"line {number}: {record}: it belongs to no graph")
            self._row(number, record, told, project)
        self._counts[record] = self._counts.get(record, 0) + 1
        self._progress(number)

    def _graph(self, number: int, told: dict[str, Any], header: Header, project: Project) -> None:
        if self._place is not None:
            raise InvalidInput(f"line {number}: the graph before this one has no end")
        self._guard(project)
        if header.holds == "graph" and self._graphs:
            raise InvalidInput(f"line {number}: the file says that it holds one graph")
        told["graph_id"] = self._name(header, told["graph_id"])
        noun = "user" if told["kind"] == "user" else "graph"
        checks.caller_id(f"line {number}: {noun}", told["graph_id"] or "")
        self._refuse_known(noun, told, project)
        told["distance"] = ids.total((told["distance"] or 0), self._distance)
        self._insert(number, "graph", {**told, "project_id": project.id})
        row = self._tx.one("import_finds_graph_anywhere", uuid=told["uuid"])
        if row is None:
            raise InvalidInput(f"line {number}: the graph has no uuid")
        self._place = _Place(id=row["id"], kind=told["kind"], graph_id=told["graph_id"])
        self._episodes_before = self._counts.get("episode", 0)

    def _name(self, header: Header, given: str) -> str:
        return self._target.into or given if header.holds == "graph" else given

    def _refuse_known(self, noun: str, told: dict[str, Any], project: Project) -> None:
        """Say clearly what an import would run into."""
        found = self._tx.one(
            "graph_by_name",
            project_id=project.id,
            kind=told["kind"],
            graph_id=told["graph_id"],
        )
        if found is not None:
            raise AlreadyExists(
                f"{noun} {told['graph_id']!r} exists in project {project.name!r}; give another id "
                "with --into"
            )
        if self._tx.one("import_finds_graph_anywhere", uuid=told["uuid"]) is not None:
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
            added = self._tx.run(RECORDS[record].put, **values)
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError) as error:
            raise InvalidInput(f"line {number}: {record}: {error}") from error
        if added != 1:
            raise InvalidInput(f"line {number}: {record}: it refers to what the file does not have")

    def _graph_end(self, number: int, mark: GraphMark, project: Project) -> None:
        place = self._place
        if place is None:
            raise InvalidInput(f"line {number}: there is no graph to end")
        self._owe(place.id)
        digest = rebuild.digest(self._tx, place.id)
        if digest != mark.digest and self._rename is None:
            raise InvalidInput(
                f"line {number}: {place.kind} {place.graph_id!r} came out differently from what "
                "was exported; the file was changed"
            )
        if self._tx.run("import_sides", graph_id=place.id):
            readings.fold_again(self._tx, place.id, 0)
        guarded = rows.to_json(sorted(policies.guarded(self._tx, project.id)))
        self._tx.run("edits_part", project_id=project.id, graph_id=place.id, keys=guarded)
        self._graphs.append(
            WrittenGraph(
                kind=place.kind,
                graph_id=place.graph_id,
                episodes=self._counts.get("episode", 0) - self._episodes_before,
                digest=digest,
            )
        )
        self._place = None

    def _owe(self, graph_id: int) -> None:
        """Let workers find what was not read yet."""
        self._tx.run("queue_enter", graph_id=graph_id)
        self._tx.run("queue_leave", graph_id=graph_id)

    def _guard(self, project: Project) -> None:
        """Let the policies that were read so far draw their walls."""
        sets = self._counts.get("policy_set", 0)
        if sets != self._policies_known:
            policies.guard(self._tx, project.id)
            self._policies_known = sets

    def _end(
        self, number: int, end: End, project: Project, read: Iterator[tuple[int, msgspec.Struct]]
    ) -> None:
        if self._place is not None:
            raise InvalidInput(f"line {number}: the last graph has no end")
        self._guard(project)
        counted = sum(self._counts.values())
        if counted != end.records:
            raise InvalidInput(
                f"line {number}: the file should have {end.records} records and has {counted}"
            )
        if next(read, None) is not None:
            raise InvalidInput(f"line {number}: there are lines after the end of the file")
