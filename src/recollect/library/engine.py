"""What a memory inside a program stands on: open services, and one project of theirs. Erasing always takes
all that rested on what is erased, and leaves nothing in the files.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from msgspec.structs import replace
from pydantic import ValidationError

from recollect.app import forget as erasures
from recollect.app import projects, tasks
from recollect.app.forget import Kind
from recollect.app.services import Services, open_services
from recollect.errors import Conflict, InvalidInput, ModelUnavailable, NotFound
from recollect.graph.acting import Acting, Target
from recollect.graph.types import Access
from recollect.library import convert
from recollect.library.results import Forgotten
from recollect.models import weights
from recollect.models.manifest import EMBEDDER, PARSER
from recollect.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

ACTOR = "library"


def choose(path: str | PathLike[str] | None, given: Settings | None) -> Settings:
    """The settings given, or those of the environment; *path* is the folder if there is one."""
    try:
        chosen = given or Settings.model_validate({})
    except ValidationError as error:
        # The value itself is left out: it may be a secret.
        wrong = error.errors(include_input=False, include_url=False)[0]
        name = "_".join(map(str, wrong["loc"])).upper()
        raise InvalidInput(f"RECOLLECT_{name}: {wrong['msg']}") from None
    return chosen if path is None else chosen.model_copy(update={"data": Path(path), "store": None})


class Opened(NamedTuple):
    """Services, and the whole project: whoever has the folder may do everything."""

    services: Services
    access: Access


class Engine:
    """Opens, carries out use cases, waits and closes.

    *acting* is the command that uses the library; a program's acts are the library's.
    """

    def __init__(
        self, settings: Settings, *, project: str, workers: int, acting: Acting | None = None
    ) -> None:
        self.settings = settings
        self._acting = acting
        self._project = project
        self._workers = workers
        self._opened: Opened | None = None
        self._closed = False

    @property
    def opened(self) -> Opened:
        """What is open; an error says so when nothing is."""
        if self._opened is None:
            state = "closed" if self._closed else "not open yet"
            raise Conflict(f"this memory is {state}: use it while it is open")
        return self._opened

    async def open(self) -> None:
        """Open the folder, made when missing, and let workers learn what is told."""
        if self._opened is not None or self._closed:
            raise Conflict("a memory is opened once: ask for another one")
        services = await open_services(self.settings, reads_here=True)
        try:
            acting = self._acting or Acting(actor=ACTOR, action="project.create", commands=True)
            entered = await projects.enter(services, acting, self._project)
        except BaseException:
            await services.close()
            raise
        self._opened = Opened(services, replace(entered, acting=self._acting))
        services.start_workers(self._workers, owner=ACTOR)

    async def close(self) -> None:
        """Finish the jobs under way and let go of everything; safe to repeat."""
        opened, self._opened, self._closed = self._opened, None, True
        if opened is not None:
            await opened.services.close()

    async def ask(
        self,
        use_case: Callable[Concatenate[Services, Access, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Carry out a use case that changes nothing."""
        services, access = self.opened
        await services.hide_expired(access)
        with text_only():
            return await use_case(services, access, *args, **kwargs)

    async def act(
        self,
        access: Access,
        use_case: Callable[Concatenate[Services, Access, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Carry out a use case that changes something; `acts` gives the access for it."""
        services = self.opened.services
        await services.hide_expired(access)
        try:
            with text_only():
                return await use_case(services, access, *args, **kwargs)
        finally:
            services.next_expiry.changed()

    def acts(self, action: str, target: Target | None, *, erases: bool = False) -> Access:
        """The access for one act, of which the audit log tells as *action* on *target*."""
        access = self.opened.access
        who = self._acting or Acting(
            actor=ACTOR, action=action, project_id=access.project_id, target=target, erases=erases
        )
        return replace(access, acting=who)

    def require_models(self) -> None:
        """Say at once when nothing could be learned here, before anything is stored."""
        services = self.opened.services
        if services.language_model is not None or services.settings.extraction == "off":
            return
        states = weights.check(services.settings.models, weights=(EMBEDDER, PARSER))
        missing = [state.weight.name for state in states if state.state != "present"]
        if self._workers and missing:
            raise ModelUnavailable(
                f"models are missing ({', '.join(missing)}): run `recollect models install`"
            )

    async def learned(self, task_uuid: str) -> None:
        """Wait until everything of a task was read, by whoever works on the folder."""
        services, access = self.opened
        await tasks.learned(services, access, task_uuid, lambda: self.opened)


@contextmanager
def text_only() -> Iterator[None]:
    """Refuse half of a surrogate pair, as cut JSON or a broken argument brings it, as input."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidInput("text: half of a character in it cannot be written") from error


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
