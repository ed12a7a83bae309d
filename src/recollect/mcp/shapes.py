"""What tools answer, made from what their use cases do.

A field that a tool promises is always there, null where nothing is known. Edges also say
`edge_type`, beside the `name` of the HTTP API.
"""

from typing import Any

from recollect.graph.types import Json

_USER_FIELDS = ("email", "first_name", "last_name", "metadata")
_ENDS = ("source", "target")


def as_it_is(answer: Any) -> Any:
    """The answer of the use case."""
    return answer


def user(answer: Json) -> Json:
    """A user with all that may be said of one."""
    return _with(answer, *_USER_FIELDS)


def users(answer: Json) -> Json:
    """Users with all that may be said of each."""
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
    """An edge, a list of them, or an object that has some."""
    if isinstance(answer, list):
        return [edges(each) for each in answer]
    if "source_node_uuid" in answer:
        return {**_with(answer, "valid_at"), "edge_type": answer.get("name")}
    return answer | {name: edges(answer[name]) for name in ("edges",) if answer.get(name)}


def found(answer: Json) -> Json:
    """What a search found; beside edges stand the nodes they join, to be followed up.

    Of a node that the edges do not name to whoever asks, there is the uuid.
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
