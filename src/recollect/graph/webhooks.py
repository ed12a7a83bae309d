"""Webhooks: the events that projects can subscribe to, and their deliveries."""

from datetime import datetime
from typing import Literal, get_args

from recollect.graph.types import Json, Record

Event = Literal["episode.processed", "fact.closed", "job.parked"]
EVENTS: tuple[Event, ...] = get_args(Event)
DeliveryState = Literal["waiting", "delivered", "given_up"]


class Webhook(Record):
    """Where a project wants to be told what happened.

    *with_text*: in words, too, and not only in ids and times. *off*: why nothing is sent for now.
    *missed* deliveries were never owed, because too many waited.
    """

    uuid: str
    url: str
    events: list[Event]
    with_text: bool = False
    off: str | None = None
    waiting: int = 0
    given_up: int = 0
    missed: int = 0
    created_at: datetime


class Try(Record):
    """One try to deliver: the status that was answered, or why there was none."""

    at: datetime
    status: int | None = None
    error: str | None = None
    duration_ms: int = 0


class Delivery(Record):
    """An event that a webhook is owed, or what became of it. *due_at*: when it is tried next."""

    uuid: str
    event: Event
    data: Json
    state: DeliveryState
    attempts: int
    tries: list[Try]
    created_at: datetime
    due_at: datetime | None = None
