"""The results of tools, made from the results of their use cases.

A field that a tool promises is always present, null if unknown. Edges also have `edge_type`, besides
the `name` of the HTTP API.
"""

from typing import Any

from recollect.graph.types import Json

_USER_FIELDS = ("email", "first_name", "last_name", "metadata")
_ENDS = ("source", "target")


def as_it_is(answer: Any) -> Any:
    """The result of the use case, unchanged."""
    return answer


def user(answer: Json) -> Json:
    """A user with all optional fields present."""
    return _with(answer, *_USER_FIELDS)


def users(answer: Json) -> Json:
    """Users with all optional fields present."""
    return answer | {"users": [user(each) for each in answer["users"]]}


def threads(answer: list[Json]) -> list[Json]:
    """Threads with their metadata."""
    return [_with(each, "metadata") for each in answer]


def episode(answer: Json) -> Json:
    """An episode with its metadata."""
    return _with(answer, "metadata")


def episodes(answer: list[Json]) -> list[Json]:
    """Episodes with their metadata."""
    return [episode(each) for each in answer]


def edges(answer: Any) -> Any:
    """Complete the edges in a result: one edge, a list of them, or an object that contains some."""
    if isinstance(answer, list):
        return [edges(each) for each in answer]
    if "source_node_uuid" in answer:
        return {**_with(answer, "valid_at"), "edge_type": answer.get("name")}
    return answer | {name: edges(answer[name]) for name in ("edges",) if answer.get(name)}


def found(answer: Json) -> Json:
    """The result of a search; the nodes that its edges join are added, to follow up on.

    A node whose name the caller may not see has only its uuid.
    """
    answer = edges(answer)
    if answer.get("episodes"):
        answer |= {"episodes": episodes(answer["episodes"])}
    if not answer.get("edges") or answer.get("nodes"):
        return answer
    return answer | {"nodes": _joined(answer["edges"])}


def _joined(facts: list[Json]) -> list[Json]:
    """The nodes at the ends of edges, each once, in the order of the edges."""
    nodes: dict[str, Json] = {}
    for fact in facts:
        for end in _ENDS:
            uuid = fact[f"{end}_node_uuid"]
            said = {name: fact.get(f"{end}_node_{name}") for name in ("name", "labels")}
            told = {name: value for name, value in said.items() if value is not None}
            nodes.setdefault(uuid, {"uuid": uuid, **told})
    return list(nodes.values())


def _with(answer: Json, *names: str) -> Json:
    return answer | {name: None for name in names if name not in answer}
