"""A context split into pieces: the lines about items, and the block's own text between them.

The pieces joined are the context, so a log of them can reproduce it. A line that has to be erased can
be removed without parsing the rest.
"""

import re
from collections.abc import Sequence

from recollect.context.blocks import ToldLine
from recollect.graph.types import Record


class ContextPiece(Record):
    """A part of a context; *line* is None for the block's own text."""

    text: str
    line: ToldLine | None = None


def apart(text: str, told: Sequence[ToldLine]) -> list[ContextPiece]:
    """Split *text* into pieces, with each of the *told* lines a piece of its own."""
    lines = {one.text: one for one in told if one.text}
    if not lines:
        return [ContextPiece(text=text)] if text else []
    # Longest first: one line may be a prefix of another.
    any_line = re.compile("|".join(map(re.escape, sorted(lines, key=len, reverse=True))))
    found: list[ContextPiece] = []
    end = 0
    for match in any_line.finditer(text):
        if match.start() > end:
            found.append(ContextPiece(text=text[end : match.start()]))
        found.append(ContextPiece(text=match[0], line=lines[match[0]]))
        end = match.end()
    if end < len(text):
        found.append(ContextPiece(text=text[end:]))
    return found
