"""`recollect doctor`: what is wrong, and how to mend it."""

import asyncio
import json
import os
import socket
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from recollect.cli import lock
from recollect.cli.common import DataOption, JsonOption, out, settings
from recollect.cli.repair import repair
from recollect.clock import system_clock
from recollect.errors import ModelAnswerInvalid, ModelUnavailable
from recollect.governance import soundness
from recollect.ids import TimeOrderedIds
from recollect.ingest import queue, rereading_lists
from recollect.models import language_model, weights
from recollect.settings import Settings
from recollect.store.sqlite import migrate
from recollect.store.sqlite.checking import is_damage
from recollect.store.sqlite.connection import FILE_NAME, SqliteTransaction, connect

_STYLES = {"ok": "green", "warning": "yellow", "wrong": "red"}
_PARKED_SHOWN_MAX = 10
_KEY_CHARS_MIN = 16
_REPAIR = "restore a backup, or save what can be read with `recollect doctor --repair NEW-FOLDER`"
_FREE_BYTES_MIN = 256 * 1024 * 1024
_CLOCK_S_MAX = 5.0
_LOOK_AGAIN_S = 2.0
_GOES_ON = "mend the cause; they go on by themselves, and nothing is held against them"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    state: Literal["ok", "warning", "wrong"]
    says: str
    mend: str = ""


CheckOption = Annotated[
    bool,
    typer.Option("--check", help="Also look whether everything stored rests on something."),
]


RepairOption = Annotated[
    Path | None,
    typer.Option(
        "--repair",
        metavar="NEW-FOLDER",
        help="Save what can be read of a damaged store into a new folder instead.",
    ),
]


def doctor(
    data: DataOption = None,
    as_json: JsonOption = False,
    check: CheckOption = False,
    into: RepairOption = None,
) -> None:
    """Look at everything the server needs. Exit code 1 when something is wrong."""
    chosen = settings(data=data)
    if into is not None:
        repair(chosen, into)
        return
    looks = [*LOOKS, _soundness] if check else LOOKS
    findings = [finding for look in looks for finding in look(chosen)]
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings]))
    else:
        for finding in findings:
            line = Text(f"{finding.state:8}", style=_STYLES[finding.state])
            out.print(line.append(f"{finding.what}: {finding.says}", style="default"))
            if finding.mend:
                out.print(f"        → {finding.mend}")
    if any(finding.state == "wrong" for finding in findings):
        raise typer.Exit(1)


def _folder(chosen: Settings) -> list[Finding]:
    folder = chosen.data
    existing = next(p for p in (folder.resolve(), *folder.resolve().parents) if p.exists())
    if not existing.is_dir():
        mend = "choose a folder with --data or RECOLLECT_DATA"
        return [Finding("data folder", "wrong", f"{existing} is not a folder", mend)]
    if not os.access(existing, os.W_OK | os.X_OK):
        mend = f"make {existing} writable for this user, or choose another folder with --data"
        return [Finding("data folder", "wrong", f"{existing} is not writable", mend)]
    stat = os.statvfs(existing)
    free = stat.f_bavail * stat.f_frsize
    if free < _FREE_BYTES_MIN:
        says = f"only {free // 1_000_000} MB free at {existing}"
        return [Finding("data folder", "warning", says, "make room, or move the folder")]
    return [Finding("data folder", "ok", str(folder.resolve()))]


def _store(chosen: Settings) -> list[Finding]:
    path = chosen.data / FILE_NAME
    if not path.exists():
        return [Finding("store", "ok", "not made yet; `recollect serve` makes it")]
    try:
        connection = connect(path, writer=False)
        try:
            found = [_schema(connection), _integrity(connection, path)]
            return [*found, *_queue(connection, chosen), *_readings(connection)]
        finally:
            connection.close()
    except sqlite3.Error as error:
        mend = _REPAIR if is_damage(error) else "check the file's permissions"
        return [Finding("store", "wrong", f"{path}: {error}", mend)]


def _schema(connection: sqlite3.Connection) -> Finding:
    have, known = migrate.version(connection), len(migrate.available())
    if have > known:
        says = f"schema {have} is newer than this program ({known})"
        return Finding("schema", "wrong", says, "install the release that wrote it")
    if have < known:
        says = f"schema {have}, this program has {known}"
        return Finding("schema", "warning", says, "run `recollect migrate`, or just start serving")
    return Finding("schema", "ok", f"version {have}")


def _integrity(connection: sqlite3.Connection, path: Path) -> Finding:
    answer = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if answer != "ok":
        return Finding("store", "wrong", f"{path}: {answer}", _REPAIR)
    return Finding("store", "ok", f"{path} ({path.stat().st_size / 1e6:.1f} MB) is sound")


def _queue(connection: sqlite3.Connection, chosen: Settings) -> list[Finding]:
    if migrate.version(connection) != len(migrate.available()):
        return []
    tx = SqliteTransaction(connection, system_clock, TimeOrderedIds())
    state = queue.state(tx)
    found = [
        Finding(
            "queue", "ok", f"{state.pending} pending, oldest waits {state.oldest_wait_s:.0f} s"
        ),
        *_waiting(tx, chosen),
    ]
    if state.parked:
        jobs = queue.parked(tx, None, _PARKED_SHOWN_MAX)
        lines = "; ".join(
            f"episode {job.episode_uuid} ({job.graph_kind} {job.graph}, {job.attempts} tries): "
            f"{job.error}"
            for job in jobs
        )
        mend = "mend the cause, then POST /api/v1/jobs/<episode>/retry with the project's key"
        found.append(Finding("parked jobs", "wrong", f"{state.parked} parked: {lines}", mend))
    return found


def _waiting(tx: SqliteTransaction, chosen: Settings) -> list[Finding]:
    """What keeps graphs waiting, and what waits although nothing keeps it."""
    found = [
        Finding("waiting", "warning", f"{one.graphs} graphs wait: {one.reason}", _GOES_ON)
        for one in queue.hindrances(tx, _PARKED_SHOWN_MAX)
    ]
    state = queue.state(tx)
    if state.ahead_s > _CLOCK_S_MAX:
        says = f"the oldest pending episode was accepted {state.ahead_s:.0f} s from now"
        found.append(Finding("clock", "warning", says, "the clock was set back; set it right"))
    if lock.holder(chosen.data) is not None and state.due and not state.held:
        time.sleep(_LOOK_AGAIN_S)
        again = queue.state(tx)
        if (again.oldest_id, again.due, again.held) == (state.oldest_id, state.due, 0):
            says = f"{state.due} graphs could be worked on, and nobody does"
            mend = "start a `recollect worker`, or look into the server's log and restart it"
            found.append(Finding("workers", "warning" if found else "wrong", says, mend))
    return found


def _readings(connection: sqlite3.Connection) -> list[Finding]:
    """What waits for another reading, and what is parked and why."""
    if migrate.version(connection) < len(migrate.available()):
        return []
    tx = SqliteTransaction(connection, system_clock, TimeOrderedIds())
    counted = rereading_lists.counts(tx)
    waiting = [f"{one.count} for {one.reader}" for one in counted if one.status == "waiting"]
    says = f"waiting to be read again: {', '.join(waiting)}" if waiting else "none waits"
    found = [Finding("readings", "ok", says)]
    parked = rereading_lists.listed(tx, None, limit=_PARKED_SHOWN_MAX, status="parked")
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


def _model(chosen: Settings) -> list[Finding]:
    """One tiny call of the endpoint that is configured."""
    if chosen.llm_url is None:
        return []
    what, place = "language model", f"{chosen.llm_model} at {chosen.llm_url}"
    try:
        seconds = asyncio.run(language_model.probe(chosen))
    except ModelAnswerInvalid as error:
        mend = "it is there; try RECOLLECT_LLM_FORMAT=json_object, or another model"
        return [Finding(what, "warning", f"{place} answers, but: {error.message}", mend)]
    except ModelUnavailable as error:
        mend = "episodes keep their embedded reading meanwhile, and are read again when it is back"
        return [Finding(what, "wrong", error.message, mend)]
    return [Finding(what, "ok", f"{place} answered within {seconds:.1f} s")]


def _soundness(chosen: Settings) -> list[Finding]:
    path = chosen.data / FILE_NAME
    if not path.exists():
        return []
    try:
        with closing(connect(path, writer=False)) as connection:
            if migrate.version(connection) != len(migrate.available()):
                return []  # of which the schema tells
            connection.execute("BEGIN")
            tx = SqliteTransaction(connection, system_clock, TimeOrderedIds())
            troubles = soundness.check(tx)
    except sqlite3.Error as error:
        return [Finding("soundness", "wrong", f"{path}: {error}", "restore a backup")]
    mend = "run `recollect rebuild`, which derives everything from the log again"
    found = [
        Finding("soundness", "wrong", f"{one.what}: {one.count}, such as {one.example}", mend)
        for one in troubles
    ]
    return found or [Finding("soundness", "ok", "everything that is stored rests on something")]


def _server(chosen: Settings) -> list[Finding]:
    pid = lock.holder(chosen.data)
    if pid is not None:
        says = f"a server (process {pid}) uses this data folder"
        mend = "fine if you meant it to run; a second one needs its own --data and --port"
        return [Finding("server", "ok", says, mend)]
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((chosen.host, chosen.port))
        except OSError as error:
            says = f"{chosen.host}:{chosen.port} cannot be used: {error.strerror}"
            mend = "stop what uses the port, or choose another one with --port or RECOLLECT_PORT"
            return [Finding("port", "wrong", says, mend)]
    return [Finding("port", "ok", f"{chosen.host}:{chosen.port} is free")]


def _key(chosen: Settings) -> list[Finding]:
    if chosen.api_key is None:
        return []
    if len(chosen.api_key.get_secret_value()) < _KEY_CHARS_MIN:
        says = f"RECOLLECT_API_KEY is shorter than {_KEY_CHARS_MIN} characters"
        mend = "leave it unset to have a strong key made, or choose a longer one"
        return [Finding("API key", "warning", says, mend)]
    return [Finding("API key", "ok", "taken from RECOLLECT_API_KEY")]


def _models(chosen: Settings) -> list[Finding]:
    found = []
    for state in weights.check(chosen.models, full=True):
        what = f"model {state.weight.name}"
        if state.state == "present":
            found.append(Finding(what, "ok", f"{state.size_bytes / 1e6:.1f} MB in {state.path}"))
        else:
            mend = "run `recollect models install`"
            found.append(Finding(what, "warning", state.state, mend))
    return found


LOOKS: list[Callable[[Settings], list[Finding]]] = [
    _folder,
    _server,
    _store,
    _key,
    _models,
    _model,
]
