"""`recollect forget`: erase, after showing what will be removed."""

from enum import StrEnum
from typing import Annotated

import typer

from recollect.app import forget as erasures
from recollect.app.forget import Kind, Receipt
from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli import telling
from recollect.cli.common import DataOption, JsonOption, err, fail, out, safe
from recollect.cli.memory import ProjectOption, change
from recollect.library.engine import Opened


class What(StrEnum):
    """What can be forgotten by id."""

    episode = "episode"
    thread = "thread"
    user = "user"
    graph = "graph"


def forget(
    what: Annotated[What, typer.Argument(help="Kind of thing to erase.")],
    name: Annotated[str, typer.Argument(metavar="ID", help="Its id.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase a user, a graph, a thread or an episode, and everything derived from it alone.

    Shows what will be erased and asks for confirmation, unless --yes is given. Facts that it ended
    hold again, as if it had never been read. Only a backup can bring it back.
    """
    kind: Kind = what.value

    async def look(opened: Opened) -> Receipt:
        return await erasures.preview(*opened, kind, name, "forget")

    async def erase(opened: Opened) -> Receipt:
        return await erasures.one(*opened, kind, name, "forget")

    if not yes:
        _ask(what, name, change(data, project, look))
    receipt = change(data, project, erase)
    if as_json:
        telling.as_json({"removed": receipt.removed, "wiped": receipt.scrubbed, "id": receipt.uuid})
        return
    out.print(f"erased: {_counts(receipt)}")
    if not receipt.scrubbed:
        err.print("a long read still uses the old data: the files will be wiped as soon as it ends")


def _ask(what: What, name: str, receipt: Receipt) -> None:
    err.print(f"{what.value} {safe(name)}: {_counts(receipt)} will be erased")
    if not typer.confirm("Erase it for good?", err=True):
        raise fail("nothing was erased")


def _counts(receipt: Receipt) -> str:
    """What is removed, in words; index rows do not interest anybody."""
    told = {
        name: count for name, count in receipt.removed.items() if count and name != "index_rows"
    }
    return ", ".join(f"{count} {_word(name, count)}" for name, count in told.items()) or "nothing"


def _word(name: str, count: int) -> str:
    words = name.replace("_", " ")
    if count != 1:
        return words
    return words.removesuffix("ies") + "y" if words.endswith("ies") else words.removesuffix("s")
