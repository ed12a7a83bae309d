"""A context taken apart: the lines that tell of something, and the words of the block between them.

Put together again the pieces are the context, so a log of them can tell it once more; and a line that
has to go can be taken out without reading the rest.
"""

import re
from collections.abc import Sequence

from recollect.context.blocks import ToldLine
from recollect.graph.types import Record


class ContextPiece(Record):
    """Some words of a context; *line* is None for those of the block itself."""

    text: str
    line: ToldLine | None = None


def apart(text: str, told: Sequence[ToldLine]) -> list[ContextPiece]:
    """*text* in pieces, each of *told* by itself wherever it stands."""
    lines = {one.text: one for one in told if one.text}
    if not lines:
        return [ContextPiece(text=text)] if text else []
    # The longest first: one line may begin like another.
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
