"""What is wrong with the store in a folder, and how to fix it."""

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recollect.clock import system_clock
from recollect.governance import quotas, webhooks
from recollect.governance.quotas import SpentQuota
from recollect.governance.soundness import check
from recollect.governance.webhooks import WebhookState
from recollect.graph.usage import NO_LIMITS, UsageLimits
from recollect.ids import TimeOrderedIds
from recollect.ingest import queue, rereadings
from recollect.limits import PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.store.sqlite import migrate
from recollect.store.sqlite.checking import is_damage
from recollect.store.sqlite.connection import FILE_NAME, SqliteTransaction, connect

_PARKED_SHOWN_MAX = 10
_REPAIR = "restore a backup, or save what can be read with `recollect doctor --repair NEW-FOLDER`"
_CLOCK_S_MAX = 5.0
_LOOK_AGAIN_S = 2.0
_GOES_ON = "mend the cause; they go on by themselves, and nothing is held against them"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    what: str
    state: Literal["ok", "warning", "wrong"]
    says: str
    mend: str = ""


def store(data: Path, *, served: bool, limits: UsageLimits = NO_LIMITS) -> list[Finding]:
    """Check the file, its schema, its backlog, and which quotas are used up.

    *served*: a server is using the folder. *limits* apply to projects without limits of their own.
    """
    path = data / FILE_NAME
    if not path.exists():
        return [Finding("store", "ok", "not made yet; `recollect serve` makes it")]
    try:
        connection = connect(path, writer=False)
        try:
            found = [
                schema(migrate.version(connection), len(migrate.available())),
                _integrity(connection, path),
            ]
            if migrate.version(connection) != len(migrate.available()):
                return found
            tx = SqliteTransaction(connection, system_clock, TimeOrderedIds())
            return [*found, *waiting(tx, served=served), *quotas_spent(tx, limits)]
        finally:
            connection.close()
    except sqlite3.Error as error:
        mend = _REPAIR if is_damage(error) else "check the file's permissions"
        return [Finding("store", "wrong", f"{path}: {error}", mend)]


def schema(have: int, known: int) -> Finding:
    """Compare the store's schema version with this program's."""
    if have > known:
        says = f"schema {have} is newer than this program ({known})"
        return Finding("schema", "wrong", says, "install the release that wrote it")
    if have < known:
        says = f"schema {have}, this program has {known}"
        return Finding("schema", "warning", says, "run `recollect migrate`, or just start serving")
    return Finding("schema", "ok", f"version {have}")


def waiting(tx: Transaction, *, served: bool) -> list[Finding]:
    """The backlog, what holds it up, and what is parked; *served*: a server is using the store."""
    return [*_queue(tx, served=served), *_readings(tx), *_webhooks(tx)]


def quotas_spent(tx: Transaction, limits: UsageLimits) -> list[Finding]:
    """The projects and keys that have used up a daily quota, or nearly."""
    return [
        Finding(
            "quota",
            "warning",
            f"{one.limit} of {_whose(one)}: {one.used} of {one.most} used today",
            "writes beyond it are answered with 429 until midnight UTC; `recollect project limit "
            f"{one.project}` shows and changes it",
        )
        for one in quotas.spent(tx, limits, PAGE_MAX)
    ]


def _whose(one: SpentQuota) -> str:
    return f"project {one.project}" if one.key is None else f"key {one.key} of {one.project}"


def _integrity(connection: sqlite3.Connection, path: Path) -> Finding:
    answer = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if answer != "ok":
        return Finding("store", "wrong", f"{path}: {' '.join(answer.split())}", _REPAIR)
    return Finding("store", "ok", f"{path} ({path.stat().st_size / 1e6:.1f} MB) is sound")


def _queue(tx: Transaction, *, served: bool) -> list[Finding]:
    state = queue.state(tx)
    found = [
        Finding(
            "queue", "ok", f"{state.pending} pending, oldest waits {state.oldest_wait_s:.0f} s"
        ),
        *_hindered(tx, served=served),
    ]
    if state.parked:
        jobs = queue.parked(tx, None, _PARKED_SHOWN_MAX)
        lines = "; ".join(
            f"episode {job.episode_uuid} ({job.graph_kind} {job.graph}, {job.attempts} tries): "
            f"{job.error}"
            for job in jobs
        )
        mend = (
            "mend the cause, then `recollect retry --all` (`--project` names another than default)"
        )
        found.append(Finding("parked jobs", "wrong", f"{state.parked} parked: {lines}", mend))
    return found


def _hindered(tx: Transaction, *, served: bool) -> list[Finding]:
    """What holds up graphs, and graphs that wait although nothing holds them up."""
    found = [
        Finding("waiting", "warning", f"{one.graphs} graphs wait: {one.reason}", _GOES_ON)
        for one in queue.hindrances(tx, _PARKED_SHOWN_MAX)
    ]
    state = queue.state(tx)
    if state.ahead_s > _CLOCK_S_MAX:
        says = f"the oldest pending episode was accepted {state.ahead_s:.0f} s from now"
        found.append(Finding("clock", "warning", says, "the clock was set back; set it right"))
    if served and state.due and not state.held:
        time.sleep(_LOOK_AGAIN_S)
        again = queue.state(tx)
        if (again.oldest_id, again.due, again.held) == (state.oldest_id, state.due, 0):
            says = f"{state.due} graphs could be worked on, and nobody does"
            mend = "start a `recollect worker`, or look into the server's log and restart it"
            found.append(Finding("workers", "warning" if found else "wrong", says, mend))
    return found


def _readings(tx: Transaction) -> list[Finding]:
    """Episodes that wait for a second reading, and parked ones with the reason."""
    counted = rereadings.counts(tx)
    listed = [f"{one.count} for {one.reader}" for one in counted if one.status == "waiting"]
    says = f"waiting to be read again: {', '.join(listed)}" if listed else "none waits"
    found = [Finding("readings", "ok", says)]
    parked = rereadings.listed(tx, None, limit=_PARKED_SHOWN_MAX, status="parked")
    if parked:
        count = sum(one.count for one in counted if one.status == "parked")
        lines = "; ".join(
            f"episode {one.episode_uuid} ({one.graph_kind} {one.graph}, {one.attempts} tries): "
            f"{one.error}"
            for one in parked
        )
        mend = "each keeps its first reading; `recollect readings retry --all` tries them again"
        found.append(Finding("parked readings", "warning", f"{count} parked: {lines}", mend))
    return found


def _webhooks(tx: Transaction) -> list[Finding]:
    """Webhooks with failed or missed deliveries; nothing if no webhook is registered."""
    found = webhooks.states(tx, PAGE_MAX)
    if not found:
        return []
    waiting = sum(one.waiting for one in found)
    says = f"{len(found)} registered, {waiting} deliveries wait"
    return [Finding("webhooks", "ok", says), *(_troubled(one) for one in found if _untold(one))]


def _untold(one: WebhookState) -> bool:
    return bool(one.given_up or one.missed or one.off not in (None, webhooks.SWITCHED_OFF))


def _troubled(one: WebhookState) -> Finding:
    says = f"{one.uuid} of {one.project}: {one.given_up} deliveries given up, {one.missed} missed"
    says += f", off: {one.off}" if one.off else ""
    mend = (
        f"see `recollect webhook log {one.uuid} --project {one.project}`; `redeliver` tries again"
    )
    return Finding("webhook", "warning", says, mend)


def soundness(data: Path) -> list[Finding]:
    """Whether all derived data is still supported by something."""
    path = data / FILE_NAME
    if not path.exists():
        return []
    try:
        with closing(connect(path, writer=False)) as connection:
            if migrate.version(connection) != len(migrate.available()):
                return []  # the schema check reports this
            connection.execute("BEGIN")
            return unsound(SqliteTransaction(connection, system_clock, TimeOrderedIds()))
    except sqlite3.Error as error:
        return [Finding("soundness", "wrong", f"{path}: {error}", "restore a backup")]


def unsound(tx: Transaction) -> list[Finding]:
    """Derived data that nothing supports, or a finding that there is none."""
    mend = "run `recollect rebuild`, which derives everything from the log again"
    found = [
        Finding("soundness", "wrong", f"{one.what}: {one.count}, such as {one.example}", mend)
        for one in check(tx)
    ]
    return found or [Finding("soundness", "ok", "everything that is stored rests on something")]
