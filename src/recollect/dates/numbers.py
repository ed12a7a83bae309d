"""Numbers written in words: cardinals, ordinals, hundreds and thousands."""

from collections.abc import Sequence


def _listed(text: str) -> list[str]:
    return text.split()


_ONES = _listed("one two three four five six seven eight nine")
_TEENS = _listed("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = _listed(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
CARDINAL = {
    "zero": 0,
    **{word: number for number, word in enumerate(_ONES, 1)},
    **{word: number for number, word in enumerate(_TEENS, 10)},
    **{word: number * 10 for number, word in enumerate(_TENS, 2)},
}
ORDINAL = {**{word: number for number, word in enumerate(_ORDINALS, 1)}, "thirtieth": 30}
_SCALES = {"hundred": 100, "thousand": 1000}


class Spelled:
    """A number found in words: its value, whether it is an ordinal, and how many words it took."""

    __slots__ = ("ordinal", "taken", "value")

    def __init__(self, value: int, taken: int, ordinal: bool = False) -> None:
        self.value = value
        self.taken = taken
        self.ordinal = ordinal


def read(words: Sequence[str]) -> Spelled | None:
    """The number that *words* begin with; "-" may stand between tens and ones.

    "two thirty" is two numbers, "twenty two" is one; "second" alone is left to the caller.
    """
    small = _below_hundred(words)
    if small is None or small.ordinal:
        return small
    value, taken = small.value, small.taken
    for scale in ("hundred", "thousand"):
        if taken < len(words) and words[taken] == scale:
            rest = _tail(words[taken + 1 :])
            value, taken = value * _SCALES[scale], taken + 1
            if rest is not None and not rest.ordinal:
                value, taken = value + rest.value, taken + rest.taken
            break
    return Spelled(value, taken)


def _below_hundred(words: Sequence[str]) -> Spelled | None:
    first = words[0]
    if first in ORDINAL:
        return Spelled(ORDINAL[first], 1, ordinal=True)
    value = CARDINAL.get(first)
    if value is None:
        return None
    if value >= 20:
        skip = 2 if words[1:2] == ["-"] else 1
        after = words[skip] if len(words) > skip else ""
        if after in _ONES:
            return Spelled(value + CARDINAL[after], skip + 1)
        if ORDINAL.get(after, 10) < 10:
            return Spelled(value + ORDINAL[after], skip + 1, ordinal=True)
    return Spelled(value, 1)


def _tail(words: Sequence[str]) -> Spelled | None:
    """What follows a hundred or a thousand: "and fifteen", "ninety three"."""
    skip = 1 if words[:1] == ["and"] else 0
    rest = _below_hundred(words[skip:]) if len(words) > skip else None
    return Spelled(rest.value, rest.taken + skip, rest.ordinal) if rest else None
