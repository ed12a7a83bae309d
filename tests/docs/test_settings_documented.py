"""Undocumented means unfinished: every setting and every command has its line in the reference."""

from pathlib import Path
from typing import Any

import pytest

from recollect.cli import main as program
from recollect.settings import Settings

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def _commands(command: Any, words: tuple[str, ...]) -> list[str]:
    """Every command that can be run, spelt as it is typed."""
    children = getattr(command, "commands", None)
    if children is None:
        return [" ".join(words)]
    return [found for name, child in children.items() for found in _commands(child, (*words, name))]


COMMANDS = [
    found
    for name in program.COMMANDS
    for found in _commands(program.load(name), ("recollect", name))
]


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_setting_is_documented(name: str) -> None:
    """`name`, and the variable that sets it."""
    text = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    assert f"`{name}`" in text
    assert f"RECOLLECT_{name.upper()}" in text or "RECOLLECT_<NAME>" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_documented(command: str) -> None:
    """As it is typed, in code marks, with or without its arguments."""
    text = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    assert f"`{command}`" in text or f"`{command} " in text


def test_there_are_commands_to_document() -> None:
    """The walk over the command tree finds the ones that everybody needs."""
    assert {"recollect serve", "recollect migrate", "recollect key create"} <= set(COMMANDS)
