"""The thing that a part of a document is about, and when what is said of it holds."""

from datetime import datetime

import msgspec

from recollect.extract.documents.keys import Relation, table
from recollect.extract.documents.named import Named
from recollect.extract.documents.times import Period
from recollect.extract.documents.wording import Step
from recollect.graph.types import Record


class Owner(Record):
    """*path* leads from the thing to the part; *moment* is when the part was true, if it says."""

    named: Named
    path: tuple[Step, ...] = ()
    period: Period = Period()
    moment: datetime | None = None
    depth: int = 0
    record: bool = False
    made: bool = False
    spoken: tuple[str, ...] = ()

    def part(self, step: Step, period: Period) -> "Owner":
        """The same thing, one key further down."""
        timed = bool(period.spoken or period.parts)
        return msgspec.structs.replace(
            self,
            path=(*self.path, step),
            period=period if timed else self.period,
            moment=moment(period, self.named.noun) or self.moment,
            depth=self.depth + 1,
        )


class Holds(Record):
    """From when to when a fact holds; *dated*: the document says so."""

    valid_at: datetime | None
    invalid_at: datetime | None = None
    dated: bool = False


def is_record(period: Period, noun: str) -> bool:
    """Whether an object is something that happened once."""
    return period.happened is not None or (
        period.created is not None and noun in table().times.unchanging
    )


def moment(period: Period, noun: str) -> datetime | None:
    """When the state that an object describes was true."""
    if period.happened is not None:
        return period.happened.at
    if period.created is not None and noun in table().times.unchanging:
        return period.created.at
    return period.seen


def holds(owner: Owner, key: str, relation: Relation | None, at: datetime) -> Holds:
    """The time of a fact under *key*. Without any in the document it holds as of *at*."""
    begin, end = _bounds(owner, key, relation)
    start = begin or owner.moment
    if end is not None and start is not None and end <= start:
        end = None
    if start is None and end is not None and end <= at:
        return Holds(valid_at=None, invalid_at=end, dated=True)
    if start is None:
        return Holds(valid_at=at, invalid_at=end)
    return Holds(valid_at=start, invalid_at=end, dated=True)


def _bounds(
    owner: Owner, key: str, relation: Relation | None
) -> tuple[datetime | None, datetime | None]:
    for part in owner.period.parts:
        if key == part.prefix or key.startswith(f"{part.prefix}_"):
            return part.begin, part.end
    career = any(step.key in table().envelopes.careers for step in owner.path)
    # The start date in a person's record is that of the job, not of the person's age.
    if owner.named.kind == "person" and not career and not (relation and relation.term):
        return None, None
    return owner.period.begin, owner.period.end
