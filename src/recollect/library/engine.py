"""What an embedded memory is built on: open services, and one of their projects.

Erasing always removes everything that only the erased items supported, and wipes the files.
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
    """The given settings, or those of the environment; *path* overrides the folder."""
    try:
        chosen = given or Settings.model_validate({})
    except ValidationError as error:
        # The value is omitted: it may be a secret.
        wrong = error.errors(include_input=False, include_url=False)[0]
        name = "_".join(map(str, wrong["loc"])).upper()
        raise InvalidInput(f"RECOLLECT_{name}: {wrong['msg']}") from None
    return chosen if path is None else chosen.model_copy(update={"data": Path(path), "store": None})


class Opened(NamedTuple):
    """Services, and full access to the project: the folder's owner may do everything."""

    services: Services
    access: Access


class Engine:
    """Opens the services, runs use cases, waits for their work, and closes.

    *acting* is the actor for the audit log if a command uses the library; otherwise it is the library.
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
        """The open services; raises Conflict if they are not open."""
        if self._opened is None:
            state = "closed" if self._closed else "not open yet"
            raise Conflict(f"this memory is {state}: use it while it is open")
        return self._opened

    async def open(self) -> None:
        """Open the folder, creating it if missing, and start the workers."""
        if self._opened is not None or self._closed:
            raise Conflict("a memory can be opened only once: create another one")
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
        """Finish the jobs in progress and release everything; safe to repeat."""
        opened, self._opened, self._closed = self._opened, None, True
        if opened is not None:
            await opened.services.close()

    async def ask(
        self,
        use_case: Callable[Concatenate[Services, Access, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a use case that reads."""
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
        """Run a use case that writes; `acts` gives the access for it."""
        services = self.opened.services
        await services.hide_expired(access)
        try:
            with text_only():
                return await use_case(services, access, *args, **kwargs)
        finally:
            services.next_expiry.changed()

    def acts(self, action: str, target: Target | None, *, erases: bool = False) -> Access:
        """The access for one write, which the audit log records as *action* on *target*."""
        access = self.opened.access
        who = self._acting or Acting(
            actor=ACTOR, action=action, project_id=access.project_id, target=target, erases=erases
        )
        return replace(access, acting=who)

    def require_models(self) -> None:
        """Raise ModelUnavailable if nothing can be learned here, before anything is stored."""
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
        """Wait until all episodes of a task have been read, by this process or another one."""
        services, access = self.opened
        await tasks.learned(services, access, task_uuid, lambda: self.opened)


@contextmanager
def text_only() -> Iterator[None]:
    """Report a lone surrogate, as truncated JSON or a broken argument produces it, as InvalidInput."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidInput("text: contains an unpaired surrogate") from error


_ACTIONS: dict[Kind, str] = {
    "user": "user.delete",
    "graph": "graph.delete",
    "thread": "thread.delete",
    "episode": "graph.episode.delete",
}


async def forget(engine: Engine, named: Mapping[str, str | None]) -> Forgotten:
    """Erase the one thing that is named; raises InvalidInput unless it is exactly one."""
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
    """Erase a fact only; the episodes that state it stay."""
    access = engine.acts("graph.edge.delete", Target("edge", uuid), erases=True)
    try:
        receipt = await engine.act(access, erasures.fact, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error
    return Forgotten(removed={"facts": 1}, wiped=receipt.scrubbed)
