"""`recollect webhook`: register a project's webhooks, and follow their deliveries."""

import json
from enum import StrEnum
from typing import Annotated, Any

import msgspec
import typer

from recollect.app import webhooks
from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli.common import DataOption, JsonOption, in_project, out, settings, show
from recollect.graph.webhooks import EVENTS, Delivery, DeliveryState, Webhook
from recollect.limits import WEBHOOK_GRACE_H_DEFAULT

app = typer.Typer(help="Notify a URL of what happens in a project.", no_args_is_help=True)

ProjectOption = Annotated[str, typer.Option(help="Name of the project.")]
WebhookArgument = Annotated[
    str, typer.Argument(help="Id of the webhook, as `recollect webhook list` shows it.")
]


class StateChoice(StrEnum):
    """The states of a delivery, as an option takes them."""

    waiting = "waiting"
    delivered = "delivered"
    given_up = "given_up"


_STATE: dict[StateChoice, DeliveryState] = {
    StateChoice.waiting: "waiting",
    StateChoice.delivered: "delivered",
    StateChoice.given_up: "given_up",
}


@app.command()
def create(
    url: Annotated[str, typer.Argument(help="URL to notify: https://… or http://…")],
    event: Annotated[
        list[str] | None, typer.Option(help=f"Event to send: {', '.join(EVENTS)}; default all.")
    ] = None,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Include the texts, not only ids and times.")
    ] = False,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a webhook and print the secret that signs its deliveries. It is shown only once."""
    made = in_project(
        data,
        project,
        webhooks.create,
        url,
        event or list(EVENTS),
        with_text=with_text,
        private=settings(data=data).webhook_private,
    )
    if as_json:
        typer.echo(json.dumps({"id": made.made.uuid, "secret": made.secret}))
    else:
        out.print(f"{made.made.uuid}\n{made.secret}")


def _row(found: Webhook) -> dict[str, Any]:
    return {
        "id": found.uuid,
        "url": found.url,
        "events": found.events,
        "state": found.off or "on",
        "with_text": found.with_text,
        "waiting": found.waiting,
        "given_up": found.given_up,
        "missed": found.missed,
    }


@app.command("list")
def list_(
    project: ProjectOption = DEFAULT_PROJECT, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """List webhooks and their numbers of pending deliveries."""
    rows = [_row(one) for one in in_project(data, project, webhooks.list_)]
    if not as_json:
        rows = [
            {**row, "events": ", ".join(row["events"]), "given up": row["given_up"]} for row in rows
        ]
    columns = ["id", "url", "events", "state", "waiting", "given up", "missed"]
    show(rows, columns, as_json=as_json)


@app.command()
def change(
    webhook_id: WebhookArgument,
    on: Annotated[
        bool | None, typer.Option("--on/--off", help="Whether deliveries are sent.")
    ] = None,
    url: Annotated[str | None, typer.Option(help="New URL.")] = None,
    event: Annotated[
        list[str] | None, typer.Option(help="Events to send from now on; may be repeated.")
    ] = None,
    with_text: Annotated[
        bool | None,
        typer.Option("--with-text/--without-text", help="Whether to include the texts."),
    ] = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Change a webhook, or switch it on or off. While it is off, its deliveries wait."""
    changed = in_project(
        data,
        project,
        webhooks.change,
        webhook_id,
        url=url,
        events=event or None,
        with_text=with_text,
        on=on,
        private=settings(data=data).webhook_private,
    )
    out.print(f"{changed.url}: {', '.join(changed.events)}; {changed.off or 'on'}")


@app.command()
def rotate(
    webhook_id: WebhookArgument,
    grace_h: Annotated[
        float,
        typer.Option(help="Hours during which the old secret also signs; 0 if it has leaked."),
    ] = WEBHOOK_GRACE_H_DEFAULT,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Give a webhook a new secret and print it. It is shown only once."""
    out.print(in_project(data, project, webhooks.rotate, webhook_id, grace_h).secret)


@app.command()
def delete(
    webhook_id: WebhookArgument, project: ProjectOption = DEFAULT_PROJECT, data: DataOption = None
) -> None:
    """Delete a webhook with all its pending deliveries."""
    gone = in_project(data, project, webhooks.delete, webhook_id)
    out.print(f"deleted {gone.url}")


def _told(found: Delivery) -> dict[str, Any]:
    last = found.tries[-1] if found.tries else None
    return {
        "id": found.uuid,
        "event": found.event,
        "created": found.created_at.isoformat(timespec="seconds"),
        "state": found.state,
        "tries": len(found.tries),
        "last": "" if last is None else last.status or last.error,
    }


@app.command()
def log(
    webhook_id: WebhookArgument,
    state: Annotated[
        StateChoice | None, typer.Option(help="Only deliveries in this state.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number, newest first.")] = 50,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the deliveries of a webhook and their outcomes, newest first."""
    found = in_project(
        data,
        project,
        webhooks.deliveries,
        webhook_id,
        state=_STATE[state] if state else None,
        limit=limit,
    )
    if as_json:
        typer.echo(msgspec.json.encode(found).decode())
        return
    columns = ["id", "event", "created", "state", "tries", "last"]
    show([_told(one) for one in found], columns, as_json=False)


@app.command()
def redeliver(
    webhook_id: WebhookArgument,
    delivery_id: Annotated[
        str, typer.Argument(help="Id of the delivery, as `recollect webhook log` shows it.")
    ],
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Deliver something again, whatever its outcome was. A running server does so within a second."""
    owed = in_project(data, project, webhooks.redeliver, webhook_id, delivery_id)
    out.print(f"will be delivered to {owed.url} again")
