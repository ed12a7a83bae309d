"""What readers found in each episode, and the remainders of deleted episodes."""

from typing import NamedTuple

from recollect.store.queries.shapes import JobRow, ThreadedEpisodeRow
from recollect.store.statements import Queries


class ReadingSideRow(NamedTuple):
    side: str | None


class ReadingRow(NamedTuple):
    graph_id: int
    seq: int
    episode_id: int | None
    reader: str
    found: str
    vectors: bytes | None
    read_at: int
    remains: str | None
    side: str | None


class ReadingsByReaderRow(NamedTuple):
    reader: str
    facts: int


class StepRow(NamedTuple):
    episode: ThreadedEpisodeRow | None
    found: str
    vectors: bytes | None
    read_at: int
    remains: str | None
    side: str | None
    distance: int


class EpisodeReadingRow(NamedTuple):
    episode: ThreadedEpisodeRow
    found: str
    vectors: bytes | None
    read_at: int
    side: str | None


class ReadingQueries(Queries):
    """What readers found in each episode, and the remainders of deleted episodes."""

    __slots__ = ()

    def put(
        self, *, reader: str, found: str, vectors: bytes | None, now: int, episode_id: int
    ) -> None:
        """An episode that was read before keeps its side."""
        self._post(
            "readings.put",
            reader=reader,
            found=found,
            vectors=vectors,
            now=now,
            episode_id=episode_id,
        )

    def side(self, *, graph_id: int, seq: int) -> ReadingSideRow | None:
        return self._one(ReadingSideRow, "readings.side", graph_id=graph_id, seq=seq)

    def set_side(self, *, side: str, episode_id: int) -> None:
        self._post("readings.set_side", side=side, episode_id=episode_id)

    def part(self, *, keys: str | None, project_id: int) -> int:
        """Recompute the sides of readings in all graphs of a project.

        The remainder of a deleted episode keeps what it said under the keys that policies named at that time.
        """
        return self._run("readings.part", keys=keys, project_id=project_id)

    def remainders_of_no_side(self, *, project_id: int, keys: str | None) -> int:
        """Delete the remainders of deleted episodes that had, or may have had, a value under these keys.

        Their values are lost, so their side is unknown.
        """
        return self._run("readings.remainders_of_no_side", project_id=project_id, keys=keys)

    def of_episode(self, *, episode_id: int) -> ReadingRow | None:
        return self._one(ReadingRow, "readings.of_episode", episode_id=episode_id)

    def by_reader(self) -> list[ReadingsByReaderRow]:
        """How many facts rest on each reader."""
        return self._all(ReadingsByReaderRow, "readings.by_reader")

    def distance_of_episode(self, *, id: int) -> int | None:
        return self._value(int, "readings.distance_of_episode", id=id)

    def steps_next(self, *, graph_id: int, limit: int) -> list[StepRow]:
        """The next places in a log: episodes that were read, and remainders of deleted ones."""
        return self._all_with(
            StepRow, ThreadedEpisodeRow, "readings.steps_next", graph_id=graph_id, limit=limit
        )

    def of_episodes(self, *, episodes: str | None) -> list[EpisodeReadingRow]:
        return self._all_with(
            EpisodeReadingRow, ThreadedEpisodeRow, "readings.of_episodes", episodes=episodes
        )

    def remainders_of_graph(self, *, graph_id: int | str | None) -> list[ReadingRow]:
        return self._all(ReadingRow, "readings.remainders_of_graph", graph_id=graph_id)

    def remainder_put(
        self,
        *,
        graph_id: int,
        seq: int,
        reader: str,
        found: str,
        vectors: bytes | None,
        now: int,
        remains: str,
        side: str | None,
    ) -> None:
        self._post(
            "readings.remainder_put",
            graph_id=graph_id,
            seq=seq,
            reader=reader,
            found=found,
            vectors=vectors,
            now=now,
            remains=remains,
            side=side,
        )

    def remainder_delete(self, *, graph_id: int, seq: bytes | int | str | None) -> int:
        return self._run("readings.remainder_delete", graph_id=graph_id, seq=seq)

    def steps_unread(self, *, graph_id: int, limit: int) -> list[JobRow]:
        """Places in a log that were processed before readings were kept."""
        return self._all_with(
            JobRow, ThreadedEpisodeRow, "readings.steps_unread", graph_id=graph_id, limit=limit
        )
