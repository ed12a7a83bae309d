"""The webhooks of a project. A secret is shown once, on creation.

Webhooks report on the whole project, so only its administrators can have them.
"""

import base64
import secrets
from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlsplit

import msgspec

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.types import Access, Record
from recollect.graph.webhooks import EVENTS, Delivery, DeliveryState, Try, Webhook
from recollect.limits import WEBHOOK_GRACE_H_MAX, WEBHOOK_URL_CHARS_MAX, WEBHOOKS_PER_PROJECT_MAX
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.webhooks import DeliveryRow, WebhookRow

SECRET_PREFIX = "whsec_"  # noqa: S105 - what every such secret begins with
SWITCHED_OFF = "switched off"
_SECRET_BYTES = 32


class NewWebhook(Record):
    """A webhook, at the only moment its secret is shown."""

    secret: str
    made: Webhook


class WebhookState(Record):
    """The state of a webhook, for the operator of all projects."""

    uuid: str
    project: str
    waiting: int
    given_up: int
    missed: int
    off: str | None


def create(
    tx: Transaction, access: Access, url: str, events: Sequence[str], *, with_text: bool = False
) -> NewWebhook:
    """Add a webhook to the project."""
    if len(tx.webhooks.of_project(project_id=access.project_id)) >= WEBHOOKS_PER_PROJECT_MAX:
        raise Conflict(f"a project has at most {WEBHOOKS_PER_PROJECT_MAX} webhooks")
    uuid = tx.new_id()
    secret = _new_secret()
    tx.webhooks.insert(
        uuid=uuid,
        project_id=access.project_id,
        url=_address(url),
        events=_listed(events),
        with_text=with_text,
        secret=secret,
        now=rows.micros(tx.now),
    )
    return NewWebhook(secret=secret, made=get(tx, access, uuid))


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def rotate(tx: Transaction, access: Access, uuid: str, grace_h: float) -> NewWebhook:
    """Replace a webhook's secret.

    For *grace_h* hours calls are also signed with the old one, so that the receiver can switch in
    between; use 0 if the secret has leaked.
    """
    row = _row(tx, access, uuid)
    if not 0 <= grace_h <= WEBHOOK_GRACE_H_MAX:
        raise InvalidInput(f"grace_h: must be between 0 and {WEBHOOK_GRACE_H_MAX}")
    secret = _new_secret()
    until = rows.micros(tx.now + timedelta(hours=grace_h))
    tx.webhooks.rotate(id=row.id, secret=secret, until=until, now=rows.micros(tx.now))
    return NewWebhook(secret=secret, made=get(tx, access, uuid))


def _address(url: str) -> str:
    """Validate a URL; where it leads is checked when it is called."""
    checks.text("url", url, WEBHOOK_URL_CHARS_MAX, required=True)
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidInput(f"url: {error}") from error
    if not all("!" <= character <= "~" for character in url):
        raise InvalidInput("url: must be printable ASCII without spaces")
    if parts.scheme not in {"http", "https"} or not host:
        raise InvalidInput("url: must begin with http:// or https:// and a host")
    if parts.username is not None or parts.fragment:
        raise InvalidInput(
            "url: must not contain a user, a password or a fragment; deliveries are signed instead"
        )
    return url


def _listed(events: Sequence[str]) -> str:
    for event in events:
        if event not in EVENTS:
            raise InvalidInput(f"events: must be one or more of {', '.join(EVENTS)}")
    if not events:
        raise InvalidInput("events: at least one is required")
    return msgspec.json.encode([event for event in EVENTS if event in events]).decode()


def get(tx: Transaction, access: Access, uuid: str) -> Webhook:
    """A webhook of the project."""
    return _webhook(_row(tx, access, uuid))


def list_(tx: Transaction, access: Access) -> list[Webhook]:
    """The webhooks of the project, oldest first."""
    return [_webhook(row) for row in tx.webhooks.of_project(project_id=access.project_id)]


def change(
    tx: Transaction,
    access: Access,
    uuid: str,
    *,
    url: str | None = None,
    events: Sequence[str] | None = None,
    with_text: bool | None = None,
    on: bool | None = None,
) -> Webhook:
    """Change what is given. While a webhook is off, its backlog waits and no deliveries are added."""
    old = _row(tx, access, uuid)
    off = old.off if on is None else None if on else old.off or SWITCHED_OFF
    tx.webhooks.change(
        id=old.id,
        url=old.url if url is None else _address(url),
        events=old.events if events is None else _listed(events),
        with_text=bool(old.with_text) if with_text is None else with_text,
        off=off,
    )
    return get(tx, access, uuid)


def delete(tx: Transaction, access: Access, uuid: str) -> Webhook:
    """Delete a webhook and its deliveries; returns it as it was."""
    row = _row(tx, access, uuid)
    tx.webhooks.delete(id=row.id)
    return _webhook(row)


def deliveries(
    tx: Transaction, access: Access, uuid: str, *, state: DeliveryState | None, limit: int
) -> list[Delivery]:
    """The deliveries of a webhook and their outcomes, newest first."""
    row = _row(tx, access, uuid)
    found = tx.webhooks.deliveries(webhook_id=row.id, state=state, limit=limit)
    return [_delivery(one) for one in found]


def redeliver(tx: Transaction, access: Access, uuid: str, delivery: str) -> Webhook:
    """Queue a delivery again, whatever its outcome was."""
    row = _row(tx, access, uuid)
    if not tx.webhooks.again(webhook_id=row.id, uuid=delivery, now=rows.micros(tx.now)):
        raise NotFound(f"there is no delivery {delivery}")
    return get(tx, access, uuid)


def states(tx: Transaction, limit: int) -> list[WebhookState]:
    """The state of the webhooks of all projects."""
    return [
        WebhookState(
            uuid=row.uuid,
            project=row.project_name,
            waiting=row.waiting,
            given_up=row.given_up,
            missed=row.missed,
            off=row.off,
        )
        for row in tx.webhooks.states(limit=limit)
    ]


def _row(tx: Transaction, access: Access, uuid: str) -> WebhookRow:
    row = tx.webhooks.by_uuid(uuid=uuid, project_id=access.project_id)
    if row is None:
        raise NotFound(f"there is no webhook {uuid}")
    return row


def _webhook(row: WebhookRow) -> Webhook:
    return Webhook(
        uuid=row.uuid,
        url=row.url,
        events=rows.from_json(row.events),
        with_text=bool(row.with_text),
        off=row.off,
        waiting=row.waiting,
        given_up=row.given_up,
        missed=row.missed,
        created_at=rows.moment(row.created_at),
    )


def _delivery(row: DeliveryRow) -> Delivery:
    return Delivery(
        uuid=row.uuid,
        event=row.event,
        data=rows.from_json(row.data),
        state=row.state,
        attempts=row.attempts,
        tries=msgspec.json.decode(row.tries, type=list[Try]),
        created_at=rows.moment(row.created_at),
        due_at=rows.moment(row.due_at) if row.state == "waiting" else None,
    )
