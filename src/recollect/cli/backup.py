"""`recollect backup`, `restore`, `migrate` and `rebuild`: the store as one file and back, its schema, and
folding its graphs again."""

import asyncio
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect import log
from recollect.app import maintenance, stores
from recollect.app.maintenance import GraphState, backup
from recollect.app.stores import has_store
from recollect.cli import common, lock
from recollect.cli.common import (
    DataOption,
    JsonOption,
    err,
    fail,
    files_only,
    out,
    say,
    settings,
    show,
)
from recollect.clock import system_clock
from recollect.errors import RecollectError
from recollect.settings import Settings

_NAME = "recollect-{at:%Y%m%dT%H%M%S}Z.db"
_NAMES = "recollect-????????T??????Z.db"


def backup_(
    to: Annotated[
        Path, typer.Option("--to", help="Folder for backups, or the file to write.")
    ] = Path("recollect-backups"),
    keep: Annotated[
        int | None,
        typer.Option(
            help="Keep this many backups of this store in the folder, and remove older ones.",
            min=1,
            show_default="all",
        ),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Back up the store to one file; a server may be running.

    The file gets its name only when it is complete and checked. It contains everything: what people
    said, keys (as hashes) and audit logs.
    """
    chosen = settings(data=data)
    files_only(chosen, "backup")
    is_folder = to.is_dir() or not to.suffix
    if keep is not None and not is_folder:
        raise fail("--keep needs a folder", "Name it with --to.")
    file = to / _NAME.format(at=system_clock()) if is_folder else to
    try:
        _write(chosen, file, quiet=as_json)
        removed = _remove_older(file, keep) if keep is not None else []
    except (RecollectError, OSError, sqlite3.Error) as error:
        raise fail(str(error)) from error
    if as_json:
        size = file.stat().st_size
        told = {"file": str(file), "bytes": size, "removed": [str(one) for one in removed]}
        show([told], (), as_json=True)
        return
    out.print(f"{file}: {file.stat().st_size:,} bytes, checked")
    for one in removed:
        out.print(f"{one}: removed")


def _write(chosen: Settings, file: Path, *, quiet: bool) -> None:
    if file.exists():
        raise fail(f"{file} exists already")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.part")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)  # it contains user data
    try:
        with common.bar("copying", 100, quiet=quiet) as step:
            backup.write(chosen.data, partial, lambda done, total: step(100 * done // total))
        backup.check(partial)
        partial.rename(file)
    finally:
        partial.unlink(missing_ok=True)


def _remove_older(newest: Path, keep: int) -> list[Path]:
    """Remove older backups of the same store; other stores may have theirs in the same folder."""
    store = backup.origin(newest)
    every = sorted(newest.parent.glob(_NAMES))
    older = [file for file in every if store is not None and backup.origin(file) == store][:-keep]
    for file in older:
        file.unlink()
    return older


def restore(
    file: Annotated[Path, typer.Argument(help="File written by `recollect backup`.")],
    check_only: Annotated[
        bool, typer.Option("--check", help="Only check the file; nothing is restored.")
    ] = False,
    fold: Annotated[
        bool,
        typer.Option(
            "--fold", help="Also rebuild every graph from its readings on a copy, and compare."
        ),
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a backup, and restore it into a folder without a store.

    The file itself is only read. What was forgotten after the backup was made is back again: forget it
    once more.
    """
    chosen = settings(data=data)
    if not check_only:
        files_only(chosen, "restore")
    log.configure(chosen.log_format, "warning")
    try:
        with _folder(chosen, check_only=check_only) as folder:
            version = backup.check(file)
            backup.place(file, folder)
            try:
                found = asyncio.run(maintenance.inspect(stores.at(chosen, str(folder)), fold=fold))
            except BaseException:
                backup.remove(folder)
                raise
    except (RecollectError, OSError, sqlite3.Error) as error:
        raise fail(str(error)) from error
    if as_json:
        show([{"file": str(file), "schema": version, **asdict(found)}], (), as_json=True)
        return
    out.print(f"{file}: schema {version}; every page, index and reference is sound")
    out.print(f"audit logs of {found.projects} projects: all {found.audit_entries} entries hold")
    graphs = f"{found.graphs} graphs with {found.episodes} episodes and {found.facts} facts"
    out.print(f"{graphs}{', all identical when rebuilt' if fold else ''}")
    out.print("nothing was restored" if check_only else f"restored to {chosen.data}")


@contextmanager
def _folder(chosen: Settings, *, check_only: bool) -> Iterator[Path]:
    """Where to unpack the backup: the locked target folder, or a temporary one for a check."""
    if check_only:
        with tempfile.TemporaryDirectory(prefix="recollect-restore-") as scratch:
            yield Path(scratch)
    else:
        with lock.hold(chosen.data):
            yield chosen.data


def migrate(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Bring the store's schema up to date. `recollect serve` does the same when it starts."""
    chosen = settings(data=data)
    try:
        applied, version = maintenance.migrated(chosen)
    except (OSError, sqlite3.Error) as error:
        raise fail(f"cannot open the store in {chosen.data}: {error}") from error
    except RecollectError as error:
        raise fail(error.message) from error
    lines = [*(f"applied {name}" for name in applied), f"schema {version} is up to date"]
    say("\n".join(lines), {"applied": applied, "schema": version}, as_json=as_json)


_COLUMNS = ("project", "kind", "graph", "entities", "facts", "unread", "edits", "result")


def rebuild_(
    verify: Annotated[
        bool, typer.Option("--verify", help="Only compare, on a copy; nothing is changed.")
    ] = False,
    read: Annotated[
        bool,
        typer.Option(
            "--read",
            help="Read every episode again first; after an interruption, the same command resumes.",
        ),
    ] = False,
    graph: Annotated[
        str | None, typer.Option(help="Only graphs (or users) with this id.", show_default="all")
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rebuild entities and facts from the readings stored with the episodes.

    This uses no reader and no model. With --verify, it works on a copy and compares: exit code 1 if a
    graph comes out differently. With --read, the reader named by RECOLLECT_READER reads all episodes
    again first: exit code 1 if it failed for some of them.
    """
    chosen = settings(data=data)
    log.configure(chosen.log_format, "warning")  # the result is printed at the end
    _require_something_to_derive(chosen, verify=verify, read=read)
    try:
        if verify:
            compared, left = asyncio.run(maintenance.verify(chosen, graph)), 0
        else:
            reading = partial(common.bar, "reading", quiet=as_json) if read else None
            with lock.alone(chosen):
                compared, left = asyncio.run(maintenance.refold(chosen, graph, reading))
    except RecollectError as error:
        raise fail(error.message) from error
    tell = _verified if verify else _rebuilt
    listed = [_row(after, tell(before, after)) for before, after in compared]
    show(listed, _COLUMNS, as_json=as_json)
    if left:
        err.print(f"{left} episodes wait to be read again; `recollect readings` tells more")
    if left or (verify and any(before.digest != after.digest for before, after in compared)):
        raise typer.Exit(1)


def _require_something_to_derive(chosen: Settings, *, verify: bool, read: bool) -> None:
    if not has_store(chosen):
        raise fail(f"there is no store in {chosen.data}", "Choose its folder with --data.")
    if verify and read:
        raise fail("give either --verify or --read", "Reading again may lead to different results.")
    if read and chosen.extraction == "off":
        raise fail(
            "RECOLLECT_EXTRACTION is off, so nothing would be read",
            "Turn it on for this command.",
        )


def _verified(before: GraphState, after: GraphState) -> str:
    return "same" if before.digest == after.digest else "differs"


def _rebuilt(before: GraphState, after: GraphState) -> str:
    return "as before" if before.digest == after.digest else "changed"


def _row(state: GraphState, result: str) -> dict[str, Any]:
    return {
        "project": state.project,
        "kind": state.kind,
        "graph": state.graph_id,
        "entities": state.entities,
        "facts": state.facts,
        "unread": state.unread,
        "edits": state.edits,
        "result": result,
    }
