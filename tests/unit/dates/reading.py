"""What the tests of the resolver share: one reference, and short ways to write what is expected."""

from datetime import UTC, datetime

from recollect.dates import Tense, When, find

# A Wednesday, in the afternoon.
REFERENCE = datetime(2023, 5, 17, 15, 30, tzinfo=UTC)


def only(text: str, tense: Tense | None = None, zone: str | None = None) -> When:
    """The one time that *text* names."""
    found = find(text, reference=REFERENCE, tense=tense, zone=zone)
    assert len(found) == 1, [when.text for when in found]
    return found[0]


def span(when: When) -> str:
    """Begin and end as "2023-05-17..2023-05-18"; midnight is left out."""
    return f"{_short(when.first)}..{_short(when.last)}"


def _short(moment: datetime | None) -> str:
    if moment is None:
        return "-"
    form = (
        "%Y-%m-%d" if (moment.hour, moment.minute, moment.second) == (0, 0, 0) else "%Y-%m-%dT%H:%M"
    )
    return moment.strftime(form)
