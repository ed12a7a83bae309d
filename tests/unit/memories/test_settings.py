"""What is chosen about memories: the graph's own word, then its project's, then the operator's."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.episodic_memory import settings
from recollect.episodic_memory.settings import Bounds, MemorySettings, SettingsChange
from recollect.errors import InvalidInput
from recollect.graph.types import Access, Graph
from recollect.limits import MEMORY_WINDOW_CHARS_MAX, MEMORY_WINDOW_EPISODES_MAX
from recollect.records import graphs
from recollect.records.graphs import GraphDetails
from recollect.settings import Settings
from recollect.store.protocol import Transaction
from tests.support.asgi import Program, program

USUAL = MemorySettings(window=Bounds(episodes=10, chars=1_000))


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Program]:
    """The application on a new folder."""
    async with program(tmp_path / "data") as made:
        yield made


async def _access(running: Program) -> Access:
    (row,) = running.rows("SELECT id, uuid FROM projects")
    return Access(project_id=row[0], project_uuid=row[1], key_uuid="")


async def _graph(running: Program, name: str = "g") -> tuple[Access, Graph]:
    access = await _access(running)
    write = running.services.store.write
    return access, await write(graphs.create, access, name, GraphDetails())


async def _of(running: Program, access: Access, graph: Graph) -> MemorySettings:
    return await running.services.store.read(settings.of_graph, access, graph, USUAL)


def test_the_operator_chooses_what_is_usual() -> None:
    """Sizes from the settings; what is not learned cannot be known."""
    chosen = Settings(memory_window_episodes=7, memory_window_chars=70, extraction="off")
    assert settings.usual(chosen) == MemorySettings(
        window=Bounds(episodes=7, chars=70), semantic=False
    )


async def test_each_choice_holds_where_it_was_made(running: Program) -> None:
    """Field by field: what a graph did not choose comes from its project, or is usual."""
    access, graph = await _graph(running)
    _, other = await _graph(running, "h")
    write = running.services.store.write
    await write(settings.choose_for_project, access, SettingsChange(chars=500, long_term=False))
    await write(settings.choose_for_graph, access, graph, SettingsChange(chars=50, enabled=False))
    assert await _of(running, access, graph) == MemorySettings(
        window=Bounds(episodes=10, chars=50), enabled=False, long_term=False
    )
    assert await _of(running, access, other) == MemorySettings(
        window=Bounds(episodes=10, chars=500), long_term=False
    )


async def test_a_later_choice_leaves_the_others_as_they_were(running: Program) -> None:
    """And takes back what it names; no choice at all changes nothing."""
    access, graph = await _graph(running)
    write = running.services.store.write
    for choice in (
        SettingsChange(short_term=False, episodes=3),
        SettingsChange(short_term=True),
        SettingsChange(),
    ):
        await write(settings.choose_for_graph, access, graph, choice)
    assert await _of(running, access, graph) == MemorySettings(
        window=Bounds(episodes=3, chars=1_000)
    )


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        (SettingsChange(episodes=0), "message_capacity"),
        (SettingsChange(episodes=MEMORY_WINDOW_EPISODES_MAX + 1), "message_capacity"),
        (SettingsChange(chars=-1), "character_capacity"),
        (SettingsChange(chars=MEMORY_WINDOW_CHARS_MAX + 1), "character_capacity"),
    ],
)
async def test_a_window_without_sense_is_refused_and_changes_nothing(
    running: Program, choice: SettingsChange, field: str
) -> None:
    """None, or more than we hold."""
    access, graph = await _graph(running)
    with pytest.raises(InvalidInput, match=f"^{field}: must be between 1 and "):
        await running.services.store.write(settings.choose_for_graph, access, graph, choice)
    assert await _of(running, access, graph) == USUAL


async def test_what_was_chosen_goes_with_its_graph(running: Program) -> None:
    """A graph of the same name begins anew."""
    access, graph = await _graph(running)
    write = running.services.store.write
    await write(settings.choose_for_graph, access, graph, SettingsChange(enabled=False))
    await write(settings.put_config, access, graph, {"embedder": "mine"})

    def make_anew(tx: Transaction) -> Graph:
        graphs.delete(tx, access, "g")
        return graphs.create(tx, access, "g", GraphDetails())

    anew = await write(make_anew)
    assert await _of(running, access, anew) == USUAL
    assert await running.services.store.read(settings.config, access, anew) == {}
