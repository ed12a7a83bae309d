"""How a log is divided into chapters: runs of episodes, and runs of chapters above them.

Because of the levels, any prefix of the log is covered by a handful of chapters.
"""

from recollect.limits import CHAPTER_EPISODES, CHAPTER_PARTS

Chapter = tuple[int, int]  # its level and its number, which begins at 1


def number_of(seq: int) -> int:
    """The lowest-level chapter of a log position."""
    return (seq - 1) // CHAPTER_EPISODES + 1


def extent(number: int) -> tuple[int, int]:
    """The first and the last log position of a lowest-level chapter."""
    return (number - 1) * CHAPTER_EPISODES + 1, number * CHAPTER_EPISODES


def before(seq: int) -> int:
    """How many lowest-level chapters end before a log position."""
    return max(seq - 1, 0) // CHAPTER_EPISODES


def parts(level: int, number: int) -> list[Chapter]:
    """The chapters that make up one of a higher level."""
    first = (number - 1) * CHAPTER_PARTS
    return [(level - 1, first + part) for part in range(1, CHAPTER_PARTS + 1)]


def above(number: int, whole: int) -> list[Chapter]:
    """The higher chapters that contain a lowest-level one, from the bottom up.

    Only those that are complete when the first *whole* lowest-level chapters are.
    """
    found: list[Chapter] = []
    level, extent_ = 1, CHAPTER_PARTS
    while extent_ <= whole:
        holding = (number - 1) // extent_ + 1
        if holding * extent_ > whole:
            break
        found.append((level, holding))
        level, extent_ = level + 1, extent_ * CHAPTER_PARTS
    return found


def making_up(whole: int) -> list[Chapter]:
    """The fewest chapters that cover the first *whole* of the lowest level."""
    found: list[Chapter] = []
    level = 0
    while whole:
        left = whole % CHAPTER_PARTS
        found += [(level, number) for number in range(whole - left + 1, whole + 1)]
        level, whole = level + 1, whole // CHAPTER_PARTS
    return found
