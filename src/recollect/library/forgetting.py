"""Erasing through the library: always with all that rested on it, and out of the files."""

from collections.abc import Callable, Mapping

from recollect.errors import InvalidInput, NotFound
from recollect.governance.audit_targets import Target
from recollect.governance.erasure import Mode
from recollect.governance.receipts import Erased
from recollect.graph.types import Access
from recollect.library import telling
from recollect.library.engine import Engine
from recollect.library.results import Forgotten
from recollect.store.protocol import Transaction
from recollect.subjects import erasing, knowledge

_Erase = Callable[[Transaction, Access, str, Mode], Erased]
_ERASES: dict[str, tuple[str, _Erase]] = {
    "user": ("user.delete", erasing.user),
    "graph": ("graph.delete", erasing.graph),
    "thread": ("thread.delete", erasing.thread),
    "episode": ("graph.episode.delete", erasing.episode),
}


async def forget(engine: Engine, named: Mapping[str, str | None]) -> Forgotten:
    """Erase the one thing that is named."""
    given = [(kind, value) for kind, value in named.items() if value is not None]
    if len(given) != 1:
        raise InvalidInput(f"give exactly one of {', '.join(named)}")
    ((kind, value),) = given
    if kind == "fact":
        return await _fact(engine, value)
    action, unit = _ERASES[kind]
    target = Target(kind, value, chosen=kind != "episode")
    return telling.forgotten(await engine.erase(action, target, unit, value, "forget"))


async def _fact(engine: Engine, uuid: str) -> Forgotten:
    """The sentence alone; the episodes that said it stay."""
    target = Target("edge", uuid)
    await engine.write("graph.edge.delete", target, _delete_fact, uuid)
    services = engine.opened.services
    services.finder.forget()
    wiped = await services.store.scrub()
    if not wiped:
        services.store.scrub_soon()
    return Forgotten(removed={"facts": 1}, wiped=wiped)


def _delete_fact(tx: Transaction, access: Access, uuid: str) -> None:
    try:
        knowledge.delete_fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error
