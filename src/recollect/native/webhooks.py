"""Webhooks, for administrators: signed HTTP notifications of what happened in a project.

They report on the whole project, so a key that policies restrict may not have one. The secret is returned
once, in a response that must not be cached.
"""

from datetime import datetime
from typing import Annotated

import msgspec

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import webhooks
from recollect.app.webhooks import NewWebhook
from recollect.graph.types import Json
from recollect.graph.webhooks import DeliveryState, Event, Webhook
from recollect.limits import (
    WEBHOOK_DELIVERIES_PER_PAGE_DEFAULT,
    WEBHOOK_DELIVERIES_PER_PAGE_MAX,
    WEBHOOK_GRACE_H_DEFAULT,
)


class ShownWebhook(msgspec.Struct):
    """A webhook without its secret, and how many deliveries wait, were given up, or were missed."""

    uuid: str
    url: str
    events: list[Event]
    with_text: bool
    off: str | None
    waiting: int
    given_up: int
    missed: int
    created_at: datetime


class WebhookWithSecret(ShownWebhook, kw_only=True):
    """A webhook at the only moment its secret is told."""

    secret: str


class Webhooks(msgspec.Struct):
    """The webhooks of a project, the oldest first."""

    webhooks: list[ShownWebhook]


class CreateWebhook(msgspec.Struct, forbid_unknown_fields=True):
    """Where to tell of what."""

    url: str
    events: list[Event]
    with_text: bool = False


class ChangeWebhook(msgspec.Struct, forbid_unknown_fields=True):
    """What is to change of a webhook; the rest stays."""

    url: str | None = None
    events: list[Event] | None = None
    with_text: bool | None = None
    on: bool | None = None


class RotateSecret(msgspec.Struct, forbid_unknown_fields=True):
    """For how many hours the old secret signs as well; 0 if it has leaked."""

    grace_h: float = WEBHOOK_GRACE_H_DEFAULT


class DeliveriesQuery(msgspec.Struct):
    """Which deliveries are asked for."""

    state: DeliveryState | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=WEBHOOK_DELIVERIES_PER_PAGE_MAX)] = (
        WEBHOOK_DELIVERIES_PER_PAGE_DEFAULT
    )


class DeliveryTry(msgspec.Struct):
    """One try to deliver: the status that was answered, or why there was none."""

    at: datetime
    status: int | None
    error: str | None
    duration_ms: int


class ShownDelivery(msgspec.Struct):
    """An event that a webhook is owed, or what became of it."""

    uuid: str
    event: Event
    data: Json
    state: DeliveryState
    attempts: int
    tries: list[DeliveryTry]
    created_at: datetime
    due_at: datetime | None


class Deliveries(msgspec.Struct):
    """Deliveries of a webhook, the newest first."""

    deliveries: list[ShownDelivery]


def _shown(found: Webhook) -> ShownWebhook:
    return ShownWebhook(**msgspec.structs.asdict(found))


async def create(call: Call) -> Reply:
    """A further webhook of this project."""
    sent: CreateWebhook = call.body
    made = await webhooks.create(
        call.services,
        call.access,
        sent.url,
        sent.events,
        with_text=sent.with_text,
        private=call.services.settings.webhook_private,
    )
    return _with_secret(made)


def _with_secret(made: NewWebhook) -> Reply:
    answer = WebhookWithSecret(secret=made.secret, **msgspec.structs.asdict(made.made))
    return Reply.json(answer, headers={"Cache-Control": "no-store"})


async def rotate(call: Call) -> Reply:
    """Give a webhook another secret."""
    sent: RotateSecret = call.body
    uuid = call.path["webhook_uuid"]
    return _with_secret(await webhooks.rotate(call.services, call.access, uuid, sent.grace_h))


async def list_webhooks(call: Call) -> Webhooks:
    """The webhooks of this project."""
    found = await webhooks.list_(call.services, call.access)
    return Webhooks(webhooks=[_shown(one) for one in found])


async def get(call: Call) -> ShownWebhook:
    """A webhook by its uuid."""
    return _shown(await webhooks.get(call.services, call.access, call.path["webhook_uuid"]))


async def change(call: Call) -> ShownWebhook:
    """Change where a webhook is, what it is told, or whether it is on."""
    sent: ChangeWebhook = call.body
    changed = await webhooks.change(
        call.services,
        call.access,
        call.path["webhook_uuid"],
        url=sent.url,
        events=sent.events,
        with_text=sent.with_text,
        on=sent.on,
        private=call.services.settings.webhook_private,
    )
    return _shown(changed)


async def delete(call: Call) -> ShownWebhook:
    """Remove a webhook with all that it is owed."""
    return _shown(await webhooks.delete(call.services, call.access, call.path["webhook_uuid"]))


async def deliveries(call: Call) -> Deliveries:
    """What a webhook is owed and what became of it."""
    sent: DeliveriesQuery = call.query
    found = await webhooks.deliveries(
        call.services,
        call.access,
        call.path["webhook_uuid"],
        state=sent.state,
        limit=sent.limit,
    )
    return Deliveries(deliveries=msgspec.convert(found, list[ShownDelivery], from_attributes=True))


async def redeliver(call: Call) -> ShownWebhook:
    """Owe a webhook a delivery once more, whatever became of it."""
    uuid, delivery = call.path["webhook_uuid"], call.path["delivery_uuid"]
    return _shown(await webhooks.redeliver(call.services, call.access, uuid, delivery))


_WEBHOOKS = "/api/v1/webhooks"
_WEBHOOK = f"{_WEBHOOKS}/{{webhook_uuid}}"

ROUTES = [
    Route("GET", _WEBHOOKS, "webhook.list", list_webhooks, "List webhooks", admin=True),
    Route(
        "POST",
        _WEBHOOKS,
        "webhook.create",
        create,
        "Create a webhook",
        body=CreateWebhook,
        answer=WebhookWithSecret,
        admin=True,
    ),
    Route("GET", _WEBHOOK, "webhook.get", get, "Get a webhook", admin=True),
    Route(
        "PATCH",
        _WEBHOOK,
        "webhook.change",
        change,
        "Change a webhook, or switch it on or off",
        body=ChangeWebhook,
        admin=True,
    ),
    Route(
        "POST",
        f"{_WEBHOOK}/rotate",
        "webhook.rotate",
        rotate,
        "Give a webhook a new secret",
        body=RotateSecret,
        answer=WebhookWithSecret,
        admin=True,
    ),
    Route("DELETE", _WEBHOOK, "webhook.delete", delete, "Delete a webhook", admin=True),
    Route(
        "GET",
        f"{_WEBHOOK}/deliveries",
        "webhook.list_deliveries",
        deliveries,
        "List the deliveries of a webhook and their outcomes",
        query=DeliveriesQuery,
        admin=True,
    ),
    Route(
        "POST",
        f"{_WEBHOOK}/deliveries/{{delivery_uuid}}/redeliver",
        "webhook.redeliver",
        redeliver,
        "Deliver something to a webhook again",
        admin=True,
    ),
]
