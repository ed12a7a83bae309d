"""`recollect reopen`: take back what the memory got wrong."""

from typing import Annotated

import typer

from recollect.cli import telling
from recollect.cli.common import DataOption, JsonOption
from recollect.cli.memory import DEFAULT_PROJECT, ProjectOption, correct


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
    if as_json:
        telling.as_json(found)
    else:
        telling.things([found])
