"""Corrections: appended like everything else, they name the episode they correct.

A correction is an episode of the same type whose `meta.corrects` is an id. Readers of the raw log
see both; whoever shows the log to somebody shows the corrected text in the place of the first.
"""

from collections.abc import Sequence
from typing import Any

from recollect.episodic.episode import BOUNDARY, ITEM, Episode
from recollect.episodic.errors import InvalidEpisode
from recollect.episodic.log import Episodic

CORRECTS = "corrects"


def correct(
    log: Episodic,
    episode_id: int,
    replacement: Any,
    *,
    source: str | None = None,
    turn_id: str | None = None,
) -> Episode:
    """Append a correction of an item (by another item) or of a boundary (by another payload)."""
    target = next((one for one in reversed(log.episodes) if one.id == episode_id), None)
    if target is None:
        raise InvalidEpisode(f"there is no episode {episode_id} to correct")
    if target.type not in (ITEM, BOUNDARY):
        raise InvalidEpisode("an audit record is not corrected")
    payload = {"item": replacement} if target.type == ITEM else replacement
    meta = {CORRECTS: episode_id}
    return log.append(target.type, payload, source=source, turn_id=turn_id, meta=meta)


def corrected(episodes: Sequence[Episode]) -> Sequence[Episode]:
    """The episodes, each as its last correction has it, under its own id and meta.

    A correction stands where the episode stood that it corrects. If that is not among *episodes*,
    it stands where it was appended.
    """
    if not any(CORRECTS in one.meta for one in episodes):
        return episodes
    shown: list[Episode] = []
    places: dict[int, int] = {}
    for one in episodes:
        target = one.meta.get(CORRECTS)
        place = places.get(target) if type(target) is int else None
        if place is not None and shown[place].type == one.type:
            shown[place] = shown[place]._replace(payload=one.payload)
            places[one.id] = place
        else:
            places[one.id] = len(shown)
            shown.append(one)
    return shown
