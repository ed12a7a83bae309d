"""Copying one graph into another, table by table."""

from typing import NamedTuple

from recollect.store.queries.shapes import IdUuidRow
from recollect.store.statements import Queries


class CloneFactsOfRow(NamedTuple):
    id: int
    uuid: str
    source_id: int
    target_id: int


class CloneEditsOfRow(NamedTuple):
    id: int
    subject: str
    near: str | None


class CopyQueries(Queries):
    """Copying one graph into another, table by table."""

    __slots__ = ()

    def episodes_of(self, *, graph_id: int) -> list[IdUuidRow]:
        """Messages of ignored roles are left out: they are thread history, and threads are not copied."""
        return self._all(IdUuidRow, "copies.episodes_of", graph_id=graph_id)

    def entities_of(self, *, graph_id: int) -> list[IdUuidRow]:
        return self._all(IdUuidRow, "copies.entities_of", graph_id=graph_id)

    def facts_of(self, *, graph_id: int, user_node: int | None) -> list[CloneFactsOfRow]:
        """All facts but those that the user's record currently states.

        The new record states them in its own words.
        """
        return self._all(CloneFactsOfRow, "copies.facts_of", graph_id=graph_id, user_node=user_node)

    def guidance_of(self, *, graph_id: int) -> list[int]:
        return self._values(int, "copies.guidance_of", graph_id=graph_id)

    def episodes(self, *, graph_id: int, task_uuid: str, pairs: str) -> int:
        return self._run("copies.episodes", graph_id=graph_id, task_uuid=task_uuid, pairs=pairs)

    def entities(self, *, first: int, end: int, graph_id: int, pairs: str) -> int:
        return self._run("copies.entities", first=first, end=end, graph_id=graph_id, pairs=pairs)

    def entity_names(self, *, graph_id: int, pairs: str, user_node: int) -> int:
        return self._run("copies.entity_names", graph_id=graph_id, pairs=pairs, user_node=user_node)

    def facts(self, *, first: int, end: int, graph_id: int, pairs: str) -> int:
        """Each pair also has the ids of the copies of both entities."""
        return self._run("copies.facts", first=first, end=end, graph_id=graph_id, pairs=pairs)

    def readings(self, *, graph_id: int, source: str) -> int:
        return self._run("copies.readings", graph_id=graph_id, source=source)

    def edits_of(self, *, graph_id: int) -> list[CloneEditsOfRow]:
        return self._all(CloneEditsOfRow, "copies.edits_of", graph_id=graph_id)

    def edits(self, *, graph_id: int, pairs: str) -> int:
        """Each pair also has the name of the copied entity that the edit is near."""
        return self._run("copies.edits", graph_id=graph_id, pairs=pairs)

    def mentions(self, *, pairs: str, graph_id: int) -> int:
        """An episode and its copy have the same place in their logs."""
        return self._run("copies.mentions", pairs=pairs, graph_id=graph_id)

    def supports(self, *, pairs: str, graph_id: int) -> int:
        return self._run("copies.supports", pairs=pairs, graph_id=graph_id)

    def closings(self, *, pairs: str, graph_id: int) -> int:
        """Copy closings; one whose cause was not copied stays permanently.

        A cause that is not copied is, for instance, what a user's record states.
        """
        return self._run("copies.closings", pairs=pairs, graph_id=graph_id)

    def doubts(self, *, pairs: str, graph_id: int) -> int:
        return self._run("copies.doubts", pairs=pairs, graph_id=graph_id)

    def jobs(self, *, task_uuid: str, now: int, graph_id: int) -> int:
        """Processed episodes need no more work; the copy gets jobs for the rest."""
        return self._run("copies.jobs", task_uuid=task_uuid, now=now, graph_id=graph_id)

    def index(self, *, graph_id: int, after: int, pairs: str, source: str, item_kind: str) -> int:
        """Upserts, because a new user's node already has a row."""
        return self._run(
            "copies.index",
            graph_id=graph_id,
            after=after,
            pairs=pairs,
            source=source,
            item_kind=item_kind,
        )

    def guidance(self, *, scope: str, graph_id: int, now: int, pairs: str) -> int:
        return self._run("copies.guidance", scope=scope, graph_id=graph_id, now=now, pairs=pairs)

    def feature_set_types_of(self, *, graph_id: int) -> list[int]:
        return self._values(int, "copies.feature_set_types_of", graph_id=graph_id)

    def feature_categories_of(self, *, graph_id: int) -> list[int]:
        return self._values(int, "copies.feature_categories_of", graph_id=graph_id)

    def feature_tags_of(self, *, graph_id: int) -> list[int]:
        return self._values(int, "copies.feature_tags_of", graph_id=graph_id)

    def feature_set_types(self, *, graph_id: int, pairs: str) -> int:
        return self._run("copies.feature_set_types", graph_id=graph_id, pairs=pairs)

    def feature_categories(self, *, graph_id: int, pairs: str) -> int:
        return self._run("copies.feature_categories", graph_id=graph_id, pairs=pairs)

    def feature_tags(self, *, pairs: str, graph_id: int) -> int:
        """A category and its copy have the same name in the same set, or in set types of equal metadata."""
        return self._run("copies.feature_tags", pairs=pairs, graph_id=graph_id)

    def feature_categories_off(self, *, graph_id: int, source: str) -> int:
        return self._run("copies.feature_categories_off", graph_id=graph_id, source=source)

    def counters(self, *, source: str, distance: int, graph_id: int) -> int:
        return self._run("copies.counters", source=source, distance=distance, graph_id=graph_id)
