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
    """Undo the end of a fact: it holds again, and the same words will not end it again.

    `recollect why` shows what ended it. It stays open when the graph is rebuilt.
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
    """Undo the last manual change to a fact.

    Such a change is a correction, an end or a reopening. The fact becomes what it would be if the
    change had never been made.
    """
    _tell(correct(data, project, lambda memory: memory.undo(fact_uuid)), as_json)


def merge(
    kept: Annotated[
        str,
        typer.Argument(
            metavar="ENTITY", help="Id of the entity to keep, as `recollect entity` shows it."
        ),
    ],
    other: Annotated[
        str, typer.Argument(metavar="OTHER", help="Id of the entity to merge into it.")
    ],
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Declare two entities to be the same: the first takes over facts and names of the other.

    From now on, what is said about either is said about it. `recollect unmerge OTHER` undoes this.
    """
    _tell(correct(data, project, lambda memory: memory.merge(kept, other)), as_json)


def unmerge(
    other: Annotated[
        str,
        typer.Argument(metavar="OTHER", help="Id of the entity that was merged into another one."),
    ],
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Undo a merge: both entities have their own facts again.

    Facts learned since the merge go to the entity that they are about.
    """
    _tell(correct(data, project, lambda memory: memory.unmerge(other)), as_json)


def _tell(found: Fact | Entity, as_json: bool) -> None:
    if as_json:
        telling.as_json(found)
    else:
        telling.things([found])
