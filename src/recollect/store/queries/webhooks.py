"""The webhooks of projects, and their deliveries."""

from typing import NamedTuple

from recollect.graph.types import GraphKind
from recollect.graph.webhooks import DeliveryState, Event
from recollect.store.statements import Queries


class WebhookRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    url: str
    events: str
    with_text: int
    secret: str
    off: str | None
    missed: int
    created_at: int
    old_secret: str | None
    old_secret_until: int | None
    waiting: int
    given_up: int


class WebhookOfGraphRow(NamedTuple):
    id: int
    events: str
    waiting: int


class WebhookEpisodeRow(NamedTuple):
    uuid: str
    task_uuid: str | None
    created_at: int
    received_at: int
    processed_at: int | None
    thread_name: str | None
    graph_kind: GraphKind
    graph_name: str
    attempts: int | None
    completed_at: int | None


class WebhookFactRow(NamedTuple):
    uuid: str
    created_at: int
    valid_at: int | None
    invalid_at: int | None
    expired_at: int | None
    graph_kind: GraphKind
    graph_name: str


class DeliveryNextRow(NamedTuple):
    graph_id: int
    uuid: str
    webhook_id: int
    event: Event
    data: str
    attempts: int
    tries: str
    created_at: int
    url: str
    secret: str
    old_secret: str | None
    old_secret_until: int | None
    text: str | None


class DeliveryRow(NamedTuple):
    uuid: str
    event: Event
    data: str
    state: DeliveryState
    due_at: int
    attempts: int
    tries: str
    created_at: int


class WebhookStateRow(NamedTuple):
    uuid: str
    off: str | None
    missed: int
    project_name: str
    waiting: int
    given_up: int


class WebhookQueries(Queries):
    """The webhooks of projects, and their deliveries."""

    __slots__ = ()

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        url: str,
        events: str,
        with_text: bool,
        secret: str,
        now: int,
    ) -> None:
        self._post(
            "webhooks.insert",
            uuid=uuid,
            project_id=project_id,
            url=url,
            events=events,
            with_text=int(with_text),
            secret=secret,
            now=now,
        )

    def of_project(self, *, project_id: int) -> list[WebhookRow]:
        return self._all(WebhookRow, "webhooks.of_project", project_id=project_id)

    def by_uuid(self, *, uuid: str, project_id: int) -> WebhookRow | None:
        return self._one(WebhookRow, "webhooks.by_uuid", uuid=uuid, project_id=project_id)

    def of_graph(self, *, graph_id: int, waiting_max: int) -> list[WebhookOfGraphRow]:
        """The enabled webhooks of a graph's project; the backlog is counted only up to *waiting_max*."""
        return self._all(
            WebhookOfGraphRow, "webhooks.of_graph", graph_id=graph_id, waiting_max=waiting_max
        )

    def change(self, *, id: int, url: str, events: str, with_text: bool, off: str | None) -> None:
        self._post(
            "webhooks.change", id=id, url=url, events=events, with_text=int(with_text), off=off
        )

    def rotate(self, *, id: int, secret: str, until: int, now: int) -> int:
        """Set a new secret; the previous one stays valid until *until*, or not at all."""
        return self._run("webhooks.rotate", id=id, secret=secret, until=until, now=now)

    def switch_off(self, *, id: int, reason: str) -> None:
        self._post("webhooks.switch_off", id=id, reason=reason)

    def miss(self, *, id: int, count: int) -> None:
        self._post("webhooks.miss", id=id, count=count)

    def delete(self, *, id: int) -> int:
        """Also deletes its pending deliveries."""
        return self._run("webhooks.delete", id=id)

    def episode_told(self, *, uuid: str) -> WebhookEpisodeRow | None:
        return self._one(WebhookEpisodeRow, "webhooks.episode_told", uuid=uuid)

    def fact_told(self, *, uuid: str) -> WebhookFactRow | None:
        return self._one(WebhookFactRow, "webhooks.fact_told", uuid=uuid)

    def owe(
        self,
        *,
        graph_id: int,
        uuid: str,
        webhook_id: int,
        event: str,
        episode_uuid: str | None,
        fact_uuid: str | None,
        data: str,
        now: int,
    ) -> None:
        self._post(
            "webhooks.owe",
            graph_id=graph_id,
            uuid=uuid,
            webhook_id=webhook_id,
            event=event,
            episode_uuid=episode_uuid,
            fact_uuid=fact_uuid,
            data=data,
            now=now,
        )

    def withdraw(self, *, graph_id: int) -> int:
        """Delete deliveries about an episode or fact that no longer exists, sent or not."""
        return self._run("webhooks.withdraw", graph_id=graph_id)

    def due(self, *, now: int, beyond: int) -> list[int]:
        """The webhooks with a due delivery; a time *beyond* all delays is ignored."""
        return self._values(int, "webhooks.due", now=now, beyond=beyond)

    def next(self, *, webhook_id: int, now: int, beyond: int) -> DeliveryNextRow | None:
        """The oldest due delivery of a webhook, with its text if the webhook wants that."""
        return self._one(
            DeliveryNextRow, "webhooks.next", webhook_id=webhook_id, now=now, beyond=beyond
        )

    def put_off(self, *, graph_id: int, uuid: str, due_at: int) -> None:
        self._post("webhooks.put_off", graph_id=graph_id, uuid=uuid, due_at=due_at)

    def tried(
        self, *, graph_id: int, uuid: str, state: str, due_at: int, attempts: int, tries: str
    ) -> int:
        """0 if it was withdrawn meanwhile."""
        return self._run(
            "webhooks.tried",
            graph_id=graph_id,
            uuid=uuid,
            state=state,
            due_at=due_at,
            attempts=attempts,
            tries=tries,
        )

    def prune(self, *, webhook_id: int, state: str, keep: int) -> int:
        """Delete all but the newest of one state."""
        return self._run("webhooks.prune", webhook_id=webhook_id, state=state, keep=keep)

    def deliveries(self, *, webhook_id: int, state: str | None, limit: int) -> list[DeliveryRow]:
        """Newest first."""
        return self._all(
            DeliveryRow, "webhooks.deliveries", webhook_id=webhook_id, state=state, limit=limit
        )

    def again(self, *, webhook_id: int, uuid: str, now: int) -> int:
        """Queue a delivery as if it had never been tried; 0 if there is no such delivery."""
        return self._run("webhooks.again", webhook_id=webhook_id, uuid=uuid, now=now)

    def states(self, *, limit: int) -> list[WebhookStateRow]:
        """The state of all webhooks, in any project."""
        return self._all(WebhookStateRow, "webhooks.states", limit=limit)
