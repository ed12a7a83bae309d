"""Which episodes a read returns: a pure function over any sequence of episodes.

With a limit the sequence is walked from its end, and only as far as needed.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from recollect.session_log.episode import TYPES, Episode
from recollect.session_log.errors import InvalidQuery

READ_LIMIT_DEFAULT = 100
# Filters by their wire names, and their names here.
FILTERS = {"fromId": "from_id", "limit": "limit", "type": "type", "turnId": "turn_id"}


def both(query: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The filters of a query object and the named ones together; none may be given twice."""
    if not isinstance(query, Mapping):
        raise InvalidQuery("a query is an object")
    asked = dict(named)
    for name, value in query.items():
        if name not in FILTERS:
            raise InvalidQuery(f"{name}: there is no such filter; there are {', '.join(FILTERS)}")
        if asked[FILTERS[name]] is not None:
            raise InvalidQuery(f"{name}: is given twice")
        asked[FILTERS[name]] = value
    return asked


def select(
    episodes: Sequence[Episode],
    *,
    from_id: float | None = None,
    limit: float | None = None,
    type: str | Iterable[str] | None = None,  # noqa: A002 - the wire's own word
    turn_id: str | None = None,
    rising: bool = False,
) -> list[Episode]:
    """The last *limit* episodes that pass every filter, oldest first, as a new list.

    *from_id* is exclusive. Without any filter the limit is 100; with one it is unlimited. A limit
    is truncated to a whole number; one that is not positive or not finite selects nothing.
    *rising*: ids rise along the sequence, which allows a binary search.
    """
    if limit is None and from_id is None and type is None and turn_id is None:
        limit = READ_LIMIT_DEFAULT
    wanted = None if limit is None else min(whole(limit), len(episodes))
    if wanted == 0:
        return []
    start = _start(episodes, from_id) if rising and from_id is not None else 0
    passes = _filter(None if rising else from_id, type, turn_id)
    if passes is None:
        first = start if wanted is None else max(start, len(episodes) - wanted)
        latest = episodes[first:]
        return latest if isinstance(latest, list) else list(latest)
    if wanted is None:
        return [one for one in episodes[start:] if passes(one)]
    backwards = islice(reversed(episodes), len(episodes) - start)
    found = list(islice(filter(passes, backwards), wanted))
    found.reverse()
    return found


def whole(limit: float) -> int:
    """A limit as a count: cut to an integer, 0 if it is negative or not finite."""
    if not isinstance(limit, int) and not math.isfinite(limit):
        return 0
    return max(0, math.trunc(limit))


def _start(episodes: Sequence[Episode], from_id: float) -> int:
    """The position of the first episode past *from_id*, by binary search."""
    low, high = 0, len(episodes)
    while low < high:
        middle = (low + high) // 2
        if episodes[middle].id > from_id:
            high = middle
        else:
            low = middle + 1
    return low


def _filter(
    from_id: float | None,
    type: str | Iterable[str] | None,  # noqa: A002
    turn_id: str | None,
) -> Callable[[Episode], bool] | None:
    """The predicate for an episode; None if everything passes."""
    tests: list[Callable[[Episode], bool]] = []
    if from_id is not None:
        tests.append(lambda episode: episode.id > from_id)
    if type is not None:
        types = {type} if isinstance(type, str) else set(type)
        if not types <= TYPES:
            raise InvalidQuery(f"type is one of {', '.join(sorted(TYPES))}, or several")
        tests.append(lambda episode: episode.type in types)
    if turn_id is not None:
        tests.append(lambda episode: episode.meta.get("turnId") == turn_id)
    if len(tests) < 2:
        return tests[0] if tests else None
    return lambda episode: all(test(episode) for test in tests)
