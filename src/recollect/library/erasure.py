"""Erasing through the library: always with all that rested on it, and out of the files."""

from collections.abc import Mapping
from typing import cast

from recollect.app import forget as erasures
from recollect.app.forget import Kind
from recollect.errors import InvalidInput, NotFound
from recollect.graph.acting import Target
from recollect.library import convert
from recollect.library.engine import Engine
from recollect.library.results import Forgotten

_ACTIONS: dict[Kind, str] = {
    "user": "user.delete",
    "graph": "graph.delete",
    "thread": "thread.delete",
    "episode": "graph.episode.delete",
}


async def forget(engine: Engine, named: Mapping[str, str | None]) -> Forgotten:
    """Erase the one thing that is named."""
    given = [(kind, value) for kind, value in named.items() if value is not None]
    if len(given) != 1:
        raise InvalidInput(f"give exactly one of {', '.join(named)}")
    ((kind, value),) = given
    if kind == "fact":
        return await _fact(engine, value)
    what = cast("Kind", kind)
    target = Target(kind, value, chosen=kind != "episode")
    access = engine.acts(_ACTIONS[what], target, erases=True)
    return convert.forgotten(await engine.act(access, erasures.one, what, value, "forget"))


async def _fact(engine: Engine, uuid: str) -> Forgotten:
    """The sentence alone; the episodes that said it stay."""
    access = engine.acts("graph.edge.delete", Target("edge", uuid), erases=True)
    try:
        receipt = await engine.act(access, erasures.fact, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error
    return Forgotten(removed={"facts": 1}, wiped=receipt.scrubbed)
