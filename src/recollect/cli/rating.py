"""`recollect rate`: say how much facts matter."""

from typing import Annotated

import typer

from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli.common import DataOption, out
from recollect.cli.memory import (
    GraphOption,
    ProjectOption,
    UserOption,
    remember,
)


def rate(
    instruction: Annotated[str, typer.Argument(help="What makes a fact matter.")],
    high: Annotated[str, typer.Option(help="A fact that matters most.")],
    medium: Annotated[str, typer.Option(help="A fact in the middle.")],
    low: Annotated[str, typer.Option(help="A fact that hardly matters.")],
    user: UserOption = None,
    graph: GraphOption = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Have every fact learned from now on rated between 0 and 1.

    `recollect search --rating-min` leaves out what is rated lower. Facts learned before have no
    rating until `recollect rebuild --read`.
    """
    remember(
        data,
        project,
        lambda memory: memory.rate(
            instruction, high=high, medium=medium, low=low, user=user, graph=graph
        ),
        workers=0,
    )
    out.print("facts are rated from now on")
