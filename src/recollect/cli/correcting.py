"""`recollect reopen`, `merge`, `unmerge` and `undo`: correct the memory by hand."""

from typing import Annotated

import typer

from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli import telling
from recollect.cli.common import DataOption, JsonOption
from recollect.cli.memory import ProjectOption, correct
from recollect.library.results import Entity, Fact


def reopen(
    fact_uuid: Annotated[
        str,
        typer.Argument(metavar="FACT", help="Id of the fact, as the other commands show it."),
    ],
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back what ended a fact: it holds again, and the same words do not end it once more.

    `recollect why` shows what ended it. It stays open when the graph is folded again.
    """
    found = correct(data, project, lambda memory: memory.reopen(fact_uuid))
    _tell(found, as_json)


def undo(
    fact_uuid: Annotated[
        str,
        typer.Argument(metavar="FACT", help="Id of the fact, as the other commands show it."),
    ],
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back the last change by hand to a fact.

    That is a correction, an end, or that it was reopened. The fact is what it would be now if that
    change had never been made.
    """
    _tell(correct(data, project, lambda memory: memory.undo(fact_uuid)), as_json)


def merge(
    kept: Annotated[
        str,
        typer.Argument(metavar="ENTITY", help="Id of the one that stays, as `entity` shows it."),
    ],
    other: Annotated[
        str, typer.Argument(metavar="OTHER", help="Id of the one that is the same, and goes.")
    ],
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that two entities are the same: facts and names of the other go over to the first.

    What is said of either from now on is said of it. `recollect unmerge OTHER` takes it back.
    """
    _tell(correct(data, project, lambda memory: memory.merge(kept, other)), as_json)


def unmerge(
    other: Annotated[
        str, typer.Argument(metavar="OTHER", help="Id of the entity that went into another one.")
    ],
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back a merge: both entities have the facts of their own again.

    Those told since the merge go to the one that they are about.
    """
    _tell(correct(data, project, lambda memory: memory.unmerge(other)), as_json)


def _tell(found: Fact | Entity, as_json: bool) -> None:
    if as_json:
        telling.as_json(found)
    else:
        telling.things([found])
