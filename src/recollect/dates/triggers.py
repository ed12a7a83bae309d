"""Whether a text can name a time at all: asked first, because most texts do not."""

import re

from recollect.dates import holidays, numbers
from recollect.dates.lexicon import MEALS, WORDS
from recollect.dates.symbols import kinds

# Words that help to name a time and do not do so alone. A text that has only these is not read.
_HELPERS = kinds(
    "A THE OF IN ON AT FOR FROM TO THROUGH BETWEEN AND OR SINCE BEFORE AFTER BY BACK LATER EARLIER "
    "WITHIN DURING OVER AROUND EARLY MID LATE START MIDDLE END EVERY ALL ANY OTHER PASTWORD LAST "
    "PREVIOUS NEXT THIS THAT MORE LESS THAN STARTING ONWARD ANOTHER PRESENT COUPLE FEW ISH GOOD HUNDRED "
    "THOUSAND BUSINESS TIMES UNTIL MEAL ZONE DOZEN EXTRA"
)
_TRIGGERS = frozenset(
    {word for word, (kind, _) in WORDS.items() if kind not in _HELPERS}
    | {head + ending for head in holidays.HEADS for ending in ("", "s")}
    | {word for word, number in numbers.CARDINAL.items() if number >= 10}
    | {word for word, number in numbers.ORDINAL.items() if number >= 3}
    | set(MEALS)
    | {"pm", "clock", "commencing", "moment", "present", "possible", "recently", "previously"}
)
_HOUR = f"(?:{'|'.join(numbers.CARDINAL)})"
_SPELLED_HOUR = re.compile(
    rf"\b{_HOUR}\s+a\.?\s?m\b|\bfrom\s+{_HOUR}\s+(?:to|until|till)\s+{_HOUR}\b", re.IGNORECASE
)
_LETTERS = re.compile(r"[a-z]+")
_DIGIT = re.compile(r"\d")


def may_speak_of_time(text: str) -> bool:
    """False when no date or time can be found in *text*."""
    if _DIGIT.search(text):
        return True
    if not _TRIGGERS.isdisjoint(_LETTERS.findall(text.lower())):
        return True
    return _SPELLED_HOUR.search(text) is not None
