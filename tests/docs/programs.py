"""The programs that pages print: found under their heading, and run with a released client."""

import re
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from tests.contract.sdk.environments import (
    Client,
    NodeUnavailable,
    client_environment,
    driver_command,
)
from tests.docs.reference import ROOT

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)$")


def blocks(page: str) -> list[tuple[str, str, str]]:
    """Every printed block of a page: the heading above it, its language and its text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found, heading, place = [], "", 0
    for block in _BLOCK.finditer(text):
        for line in text[place : block.start()].splitlines():
            named = _HEADING.match(line)
            heading = named[1] if named else heading
        place = block.end()
        found.append((heading, block[1], block[2]))
    return found


def replaced(text: str, **by: str) -> str:
    """A text with placeholders replaced, each of which must be there."""
    for placeholder, value in by.items():
        assert placeholder in text, f"{placeholder!r} is not in\n{text}"
        text = text.replace(placeholder, value)
    return text


def said_with(client: Client, code: str) -> str:
    """What a program prints that uses a released client; it must end well."""
    interpreter, folder, ending = _interpreter(client)
    path = folder / f"example-{uuid4().hex}{ending}"
    path.write_text(code, encoding="utf-8")
    try:
        done = subprocess.run(
            [interpreter, str(path)],
            env=client_environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        path.unlink()
    assert done.returncode == 0, done.stderr
    return done.stdout


def _interpreter(client: Client) -> tuple[str, Path, str]:
    """What runs a client's code, a folder from which its packages are found, and a suffix."""
    try:
        words = driver_command(client)
    except NodeUnavailable as reason:
        pytest.skip(str(reason))
    if client.language == "python":
        return words[0], Path(words[0]).parent, ".py"
    return words[0], Path(words[-1]).parent, ".mjs"
