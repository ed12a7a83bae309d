"""What a memory inside a program stands on: open services, and one project of theirs."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import Context
from os import PathLike
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from pydantic import ValidationError

from recollect.bootstrap import Services, open_services
from recollect.errors import Conflict, InvalidInput, ModelUnavailable, NotFound, Unavailable
from recollect.governance import audited, keys
from recollect.governance.audit_targets import Target
from recollect.governance.audited import Acting
from recollect.governance.receipts import Erased, Receipt
from recollect.graph.types import Access, Project
from recollect.ingest import queue
from recollect.models import weights
from recollect.models.manifest import EMBEDDER, PARSER
from recollect.settings import Settings
from recollect.store.protocol import Transaction

P = ParamSpec("P")
T = TypeVar("T")

ACTOR = "library"
_LOOK_S_FIRST = 0.005
_LOOK_S_MAX = 0.25
_OVER = ("succeeded", "partial", "failed")


def choose(path: str | PathLike[str] | None, given: Settings | None) -> Settings:
    """The settings given, or those of the environment; *path* is the folder if there is one."""
    try:
        chosen = given or Settings.model_validate({})
    except ValidationError as error:
        # The value itself is left out: it may be a secret.
        wrong = error.errors(include_input=False, include_url=False)[0]
        name = "_".join(map(str, wrong["loc"])).upper()
        raise InvalidInput(f"RECOLLECT_{name}: {wrong['msg']}") from None
    return chosen if path is None else chosen.model_copy(update={"data": Path(path)})


class Opened(NamedTuple):
    """Services, and the whole project: whoever has the folder may do everything."""

    services: Services
    access: Access


class Engine:
    """Opens, reads, writes, waits and closes; everything else says what."""

    def __init__(self, settings: Settings, *, project: str, workers: int) -> None:
        self.settings = settings
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
            with _acting(Acting(actor=ACTOR, action="project.create", commands=True)):
                found = await services.store.write(_project, self._project)
        except BaseException:
            await services.close()
            raise
        access = Access(project_id=found.id, project_uuid=found.uuid, key_uuid="")
        self._opened = Opened(services, access)
        # In a context of their own: workers act for nobody, whoever opens this.
        Context().run(services.start_workers, self._workers, owner=ACTOR)

    async def close(self) -> None:
        """Finish the jobs under way and let go of everything; safe to repeat."""
        opened, self._opened, self._closed = self._opened, None, True
        if opened is not None:
            await opened.services.close()

    async def read(
        self,
        unit: Callable[Concatenate[Transaction, Access, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a unit on one consistent snapshot."""
        services, access = self.opened
        with text_only():
            return await services.store.read(unit, access, *args, **kwargs)

    async def write(
        self,
        action: str,
        target: Target | None,
        unit: Callable[Concatenate[Transaction, Access, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a unit and commit it; the audit log tells of it as *action* on *target*."""
        services, access = self.opened
        with text_only(), _acting(_who(action, access, target)):
            return await services.store.write(unit, access, *args, **kwargs)

    async def erase(
        self,
        action: str,
        target: Target,
        unit: Callable[Concatenate[Transaction, Access, P], Erased],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Receipt:
        """Run a unit that erases; done when memory and, if possible now, files hold no more."""
        services, access = self.opened
        with _acting(_who(action, access, target, erases=True)):
            erased = await services.store.write(unit, access, *args, **kwargs)
        return await services.wipe(erased)

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
        self.opened.services.wake_workers()
        pause = _LOOK_S_FIRST
        while True:
            services, access = self.opened
            try:
                task = await services.store.glance(queue.task, access, task_uuid)
            except NotFound:  # forgotten meanwhile
                return
            if task.status in _OVER:
                break
            await asyncio.sleep(pause)
            pause = min(pause * 1.1, _LOOK_S_MAX)
        if task.parked:
            raise Unavailable(f"stored, but it could not be read: {task.error}")


def _project(tx: Transaction, name: str) -> Project:
    """The project of that name; the default one is made when it is missing."""
    if name == keys.DEFAULT_PROJECT and tx.one("project_by_name", name=name) is None:
        return keys.create_project(tx, name)
    return keys.project_named(tx, name)


def _who(action: str, access: Access, target: Target | None, *, erases: bool = False) -> Acting:
    return Acting(
        actor=ACTOR, action=action, project_id=access.project_id, target=target, erases=erases
    )


@contextmanager
def text_only() -> Iterator[None]:
    """Refuse half of a surrogate pair, as cut JSON or a broken argument brings it, as input."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidInput("text: half of a character in it cannot be written") from error


def _acting(who: Acting) -> AbstractContextManager[Any]:
    """Let *who* act, unless someone does already: a command that uses this library."""
    return audited.acting(who) if audited.who_acts() is None else nullcontext()
