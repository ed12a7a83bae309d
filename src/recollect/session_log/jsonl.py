"""Episodes as lines of JSON, and back.

Writing is exact: one object per line, no newline at the end. Reading never raises: a line that is
not a valid episode is skipped and counted, the others are kept.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from recollect.session_log.episode import (
    META,
    PARSE_ERROR_EVENT,
    SAFE_INTEGER,
    Episode,
    from_wire,
    make_meta,
    make_payload,
    renumbered,
)
from recollect.session_log.errors import InvalidEpisode

ERRORS_SHOWN_MAX = 5
# What JavaScript trims: a byte order mark is whitespace there, the separators U+001C to U+001F are not.
BLANK = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)

_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_write_ascii = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


class Parsed(NamedTuple):
    """The contents of a JSONL text: its valid lines with their ids, and the errors of the others."""

    episodes: list[Episode]
    bad_lines: int
    errors: list[str]


def line_of(episode: Episode) -> str:
    """One line, without its newline."""
    line = _write(episode.to_wire())
    if line.isascii():
        return line
    try:
        line.encode()
    except UnicodeEncodeError:  # a lone surrogate can only be written as an escape
        return _write_ascii(episode.to_wire())
    return line


def dump(episodes: Iterable[Episode]) -> str:
    """One object per line, joined by newlines, none at the end."""
    return "\n".join(map(line_of, episodes))


def parse(data: str | bytes) -> Parsed:
    """The episodes of a JSONL text, each under the id it was written with. Never raises."""
    episodes: list[Episode] = []
    errors: list[str] = []
    bad = 0
    for number, line in enumerate(_lines(data), 1):
        try:
            text = (line.decode() if isinstance(line, bytes) else line).strip(BLANK)
            if text:
                episodes.append(from_wire(_decoded(text)))
        except (ValueError, RecursionError) as error:
            bad += 1
            if len(errors) < ERRORS_SHOWN_MAX:
                errors.append(f"line {number}: {_what_is_wrong(error)}")
    return Parsed(episodes, bad, errors)


def load(data: str | bytes) -> list[Episode]:
    """The episodes of a JSONL text under rising ids, then one `error.parse` if a line was bad.

    A line keeps its id unless that is taken or too low; then it gets the next. If ids would exceed
    the safe integers, all are renumbered from 1.
    """
    return numbered(parse(data))


def numbered(parsed: Parsed, after: int = 0) -> list[Episode]:
    """The same for a parsed text that is appended to a log that is at *after*."""
    found = list(parsed.episodes)
    if parsed.bad_lines:
        found.append(_parse_error(parsed))
    ids = list(_rising((episode.id for episode in found), after + 1))
    if ids and ids[-1] > SAFE_INTEGER:
        ids = list(range(after + 1, after + len(found) + 1))
    # A reference to an id means the last earlier line with that id.
    moved: dict[int, int] = {}
    for place, (episode, new) in enumerate(zip(found, ids, strict=True)):
        if moved or episode.id != new:
            found[place] = renumbered(episode, new, moved)
            moved[episode.id] = new
    return found


def _parse_error(parsed: Parsed) -> Episode:
    data = {"count": parsed.bad_lines, "errors": parsed.errors}
    payload = {"event": PARSE_ERROR_EVENT, "data": data}
    return Episode(0, META, make_meta("runtime"), make_payload(META, payload))


def _rising(ids: Iterable[int], following: int) -> Iterator[int]:
    for own in ids:
        taken = max(own, following)
        yield taken
        following = taken + 1


def _lines(data: str | bytes) -> Sequence[str | bytes]:
    return data.split("\n") if isinstance(data, str) else bytes(data).split(b"\n")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= 4_000 else float(digits)


_read = json.JSONDecoder(parse_constant=_no_constant).decode
_read_long_integers = json.JSONDecoder(parse_constant=_no_constant, parse_int=_integer).decode


def _decoded(text: str) -> Any:
    try:
        return _read(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python refuses to parse integers of thousands of digits, which JSON allows
        return _read_long_integers(text)


def _what_is_wrong(error: Exception) -> str:
    if isinstance(error, InvalidEpisode):
        return str(error)
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    if isinstance(error, RecursionError):
        return "nested too deep"
    return "not JSON"
