"""`recollect completion`: the completion script of a shell."""

from enum import StrEnum
from typing import Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]  # its own, not listed


class Shell(StrEnum):
    """The supported shells."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(
    shell: Annotated[Shell, typer.Argument(help="The shell to complete in.")],
) -> None:
    """Print a completion script for a shell.

    bash: `eval "$(recollect completion bash)"` in ~/.bashrc; zsh: the same with `zsh` in ~/.zshrc,
    after compinit; fish: `recollect completion fish > ~/.config/fish/completions/recollect.fish`.
    """
    typer.echo(
        get_completion_script(
            prog_name="recollect", complete_var="_RECOLLECT_COMPLETE", shell=shell.value
        )
    )
