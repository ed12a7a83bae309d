"""The webhooks of a project: registering them, and managing their deliveries."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from recollect.app.services import Services
from recollect.app.stores import WithStore
from recollect.app.units import reads, writes
from recollect.governance import webhooks
from recollect.governance.webhooks import NewWebhook, WebhookState
from recollect.graph.types import Access
from recollect.graph.webhooks import Delivery, DeliveryState, Webhook
from recollect.limits import PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.webhooks import addresses

__all__ = ["NewWebhook", "WebhookState"]


async def create(
    services: WithStore,
    access: Access,
    url: str,
    events: Sequence[str],
    *,
    with_text: bool = False,
    private: str = "",
) -> NewWebhook:
    """Register a webhook; its secret is only available in this result.

    *private*: the networks that may be called besides the public internet.
    """
    _refuse(url, private)
    return await services.store.write(webhooks.create, access, url, events, with_text=with_text)


async def change(
    services: WithStore,
    access: Access,
    uuid: str,
    *,
    url: str | None = None,
    events: Sequence[str] | None = None,
    with_text: bool | None = None,
    on: bool | None = None,
    private: str = "",
) -> Webhook:
    """Change a webhook, or switch it on or off; None leaves a field as it is."""
    if url is not None:
        _refuse(url, private)
    return await services.store.write(
        webhooks.change, access, uuid, url=url, events=events, with_text=with_text, on=on
    )


def _refuse(url: str, private: str) -> None:
    """Reject a forbidden address now instead of at every call; invalid URLs are rejected elsewhere."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return
    addresses.refuse_number(host or "", private)


@reads
def list_(tx: Transaction, access: Access) -> list[Webhook]:
    """The webhooks of the project, oldest first."""
    return webhooks.list_(tx, access)


@reads
def get(tx: Transaction, access: Access, uuid: str) -> Webhook:
    """A webhook of the project."""
    return webhooks.get(tx, access, uuid)


@writes
def delete(tx: Transaction, access: Access, uuid: str) -> Webhook:
    """Delete a webhook with its deliveries; returns it as it was."""
    return webhooks.delete(tx, access, uuid)


@reads
def deliveries(
    tx: Transaction, access: Access, uuid: str, *, state: DeliveryState | None, limit: int
) -> list[Delivery]:
    """The deliveries of a webhook, pending or made, newest first."""
    return webhooks.deliveries(tx, access, uuid, state=state, limit=limit)


@writes
def rotate(tx: Transaction, access: Access, uuid: str, grace_h: float) -> NewWebhook:
    """Rotate a webhook's secret; the old one also signs for *grace_h* hours.

    The new secret is only available in this result.
    """
    return webhooks.rotate(tx, access, uuid, grace_h)


@writes
def redeliver(tx: Transaction, access: Access, uuid: str, delivery: str) -> Webhook:
    """Queue a delivery again, whatever its state."""
    return webhooks.redeliver(tx, access, uuid, delivery)


async def states(services: Services) -> list[WebhookState]:
    """The state of the webhooks of all projects, for the metrics."""
    return await services.store.read(webhooks.states, PAGE_MAX)
