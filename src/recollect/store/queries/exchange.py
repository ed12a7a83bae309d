"""Exporting a project and importing it again, record by record."""

from typing import Any

from recollect.store.statements import Queries


class ExchangeQueries(Queries):
    """The records of an export: rows of a table with references by uuid."""

    __slots__ = ()

    def export(self, part: str, **params: Any) -> list[dict[str, Any]]:
        """Records of one kind, as dicts by column name."""
        return self._records(f"exchange.export_{part}", **params)

    def put(self, record: str, **values: Any) -> int:
        """Insert one record; 0 if it refers to something that does not exist."""
        return self._run(f"exchange.import_{record}", **values)

    def graph_ids(self, *, project_id: int) -> list[int]:
        return self._values(int, "exchange.export_graph_ids", project_id=project_id)

    def known_episodes(self, *, uuids: str | None) -> list[str]:
        return self._values(str, "exchange.import_known_episodes", uuids=uuids)

    def project_used(self, *, project_id: int) -> bool:
        """Whether a project holds anything that an import would have to be merged with."""
        found = self._value(int, "exchange.import_finds_project_used", project_id=project_id)
        return bool(found)

    def graph_anywhere(self, *, uuid: str) -> int | None:
        """The id of a graph, in any project."""
        return self._value(int, "exchange.import_finds_graph_anywhere", uuid=uuid)

    def mend_sides(self, *, graph_id: int) -> int:
        """Recompute the sides of readings from this project's policies."""
        return self._run("exchange.import_sides", graph_id=graph_id)
