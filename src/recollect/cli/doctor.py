"""`recollect doctor`: what is wrong, and how to fix it."""

import asyncio
import json
import os
import socket
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from recollect import extras
from recollect.app import diagnosis, stores
from recollect.app.diagnosis import Finding
from recollect.app.maintenance import rescue
from recollect.cli import lock
from recollect.cli.common import DataOption, JsonOption, fail, files_only, out, settings
from recollect.errors import ModelAnswerInvalid, ModelUnavailable, RecollectError, StoreUnavailable
from recollect.graph import usage
from recollect.models import language_model, weights
from recollect.settings import Settings

_STYLES = {"ok": "green", "warning": "yellow", "wrong": "red"}
_KEY_CHARS_MIN = 16
_FREE_BYTES_MIN = 256 * 1024 * 1024


CheckOption = Annotated[
    bool,
    typer.Option("--check", help="Also check the stored data for orphans and inconsistencies."),
]


RepairOption = Annotated[
    Path | None,
    typer.Option(
        "--repair",
        metavar="NEW-FOLDER",
        help="Instead, save what is readable of a damaged store into this new folder.",
    ),
]


def doctor(
    data: DataOption = None,
    as_json: JsonOption = False,
    check: CheckOption = False,
    into: RepairOption = None,
) -> None:
    """Check everything the server needs. Exit code 1 if something is wrong."""
    chosen = settings(data=data)
    if into is not None:
        files_only(chosen, "doctor --repair")
        _repair(chosen, into)
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


def _repair(chosen: Settings, into: Path) -> None:
    """Save what can be read of a damaged store, and report how much."""
    try:
        if into.resolve() == chosen.data.resolve():
            raise StoreUnavailable(f"{into} is not empty: choose a folder that is not there yet")
        with lock.hold(chosen.data):
            saved = rescue.save(chosen.data, into)
    except (RecollectError, OSError) as error:
        raise fail(str(error)) from error
    for one in saved:
        if one.rows or one.broken:
            out.print(f"{one.table}: {one.rows} rows{', some lost' if one.broken else ''}")
    out.print(f"Saved in {into}; {chosen.data} is as it was.")
    typer.echo(
        f"Look at it with `recollect doctor --check --data {into}`, and derive what was lost of "
        f"the graphs again with `recollect rebuild --data {into}`."
    )


def _folder(chosen: Settings) -> list[Finding]:
    if chosen.store is not None:
        return []
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
    try:
        url = stores.database(chosen)
    except StoreUnavailable as error:
        return [Finding("database", "wrong", error.message)]
    if url is None:
        served = lock.holder(chosen.data) is not None
        return diagnosis.store(chosen.data, served=served, limits=usage.of_settings(chosen))
    from recollect.app import database_diagnosis

    return database_diagnosis.database(url, stores.place(chosen), usage.of_settings(chosen))


def _soundness(chosen: Settings) -> list[Finding]:
    if chosen.store is None:
        return diagnosis.soundness(chosen.data)
    if extras.missing("postgres"):
        return []
    from recollect.app import database_diagnosis

    return database_diagnosis.soundness(chosen.store.get_secret_value())


def _model(chosen: Settings) -> list[Finding]:
    """Check the configured language model with one tiny call."""
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


def _server(chosen: Settings) -> list[Finding]:
    pid = lock.holder(chosen.data) if chosen.store is None else None
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
