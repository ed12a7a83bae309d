"""The scopes of guidance, and the rows that store it.

Guidance belongs to a scope: the whole project, or one graph, a user's or a standalone one. A graph
with its own guidance uses only that; one without uses the project's.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from recollect.errors import InvalidInput, InvariantViolated
from recollect.graph.types import Access, Graph, Record
from recollect.records import graphs
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.guidance import GuidanceRow


def check_count(field: str, items: Sequence[object], most: int) -> None:
    """Refuse more items than allowed."""
    if len(items) > most:
        raise InvalidInput(f"{field}: at most {most}, got {len(items)}")


def check_unique(field: str, names: Iterable[str]) -> None:
    """Refuse duplicate names."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InvalidInput(f"{field}: {twice!r} is given twice")


Kind = Literal["ontology", "extraction", "summary", "steering", "template", "memory"]
T = TypeVar("T")


class Scope(Record):
    """The scope of guidance: one graph, or the whole project."""

    key: str = ""
    graph_id: int | None = None


class Targets(Record):
    """The users and graphs that a request names; if there are none, the project."""

    user_ids: tuple[str, ...] = ()
    graph_ids: tuple[str, ...] = ()


PROJECT = Scope()


def scope_of(graph: Graph) -> Scope:
    """The scope of one graph; it is deleted with the graph or its user."""
    noun = "user" if graph.kind == "user" else "graph"
    return Scope(key=f"{noun}:{graph.uuid}", graph_id=graph.id)


def scope(tx: Transaction, access: Access, user_id: str | None, graph_id: str | None) -> Scope:
    """The single scope that a request names; the project if it names none."""
    if user_id is None and graph_id is None:
        return PROJECT
    return scope_of(graphs.target(tx, access, user_id, graph_id))


def every(tx: Transaction, access: Access, targets: Targets, most: int) -> list[Scope]:
    """All scopes that a request names; each must exist."""
    check_count("user_ids", targets.user_ids, most)
    check_count("graph_ids", targets.graph_ids, most)
    named = [graphs.of_user(tx, access, user_id) for user_id in targets.user_ids]
    named += [graphs.get(tx, access, graph_id) for graph_id in targets.graph_ids]
    return [scope_of(graph) for graph in named] or [PROJECT]


def put(
    tx: Transaction, access: Access, kind: Kind, where: Scope, value: Any, name: str = ""
) -> None:
    """Store a value at a scope, replacing the one of the same name."""
    tx.guidance.put(
        uuid=tx.new_id(),
        project_id=access.project_id,
        kind=kind,
        scope=where.key,
        graph_id=where.graph_id,
        name=name,
        value=rows.to_json(value),
        now=rows.micros(tx.now),
    )


def at(tx: Transaction, access: Access, kind: Kind, where: Scope) -> list[GuidanceRow]:
    """The guidance stored at exactly this scope."""
    return tx.guidance.at(project_id=access.project_id, kind=kind, scope=where.key)


def named(
    tx: Transaction, access: Access, kind: Kind, where: Scope, name: str
) -> GuidanceRow | None:
    """The guidance of one name at exactly this scope."""
    return tx.guidance.named(project_id=access.project_id, kind=kind, scope=where.key, name=name)


def effective(tx: Transaction, access: Access, kind: Kind, where: Scope) -> list[GuidanceRow]:
    """The guidance of a scope, or else the project's; never a mixture."""
    return at(tx, access, kind, where) or at(tx, access, kind, PROJECT)


def delete(
    tx: Transaction, access: Access, kind: Kind, where: Scope, names: Sequence[str] | None = None
) -> int:
    """Delete guidance of a scope, all of it without names; returns how much."""
    return tx.guidance.delete(
        project_id=access.project_id,
        kind=kind,
        scope=where.key,
        names=rows.to_json(names or None),
    )


def value(row: GuidanceRow, type_: type[T]) -> T:
    """Decode a row; it was checked when it was written, so it must still fit."""
    try:
        return msgspec.json.decode(row.value, type=type_)
    except msgspec.DecodeError as error:
        raise InvariantViolated(f"guidance {row.uuid} cannot be read: {error}") from error
