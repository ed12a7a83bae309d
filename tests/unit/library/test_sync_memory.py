"""The same memory for code that does not await, and the file that is generated for it."""

import inspect
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import recollect
from recollect import Memory, SyncMemory
from recollect.errors import Conflict, NotFound
from recollect.library import handles, sync_memory
from recollect.settings import Settings
from tests.unit.library.conftest import Story

ROOT = Path(__file__).parents[3]
UNREAD = Settings.model_validate({"extraction": "off"})


def test_the_generated_file_is_what_the_generator_writes() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "sync_face.py", "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("behind", "face"),
    [
        (Memory, SyncMemory),
        (handles.GraphMemory, sync_memory.SyncGraphMemory),
        (handles.ThreadMemory, sync_memory.SyncThreadMemory),
    ],
)
def test_both_faces_have_the_same_verbs(behind: type, face: type) -> None:
    public = {name for name in dir(behind) if not name.startswith("_")}
    assert public == {name for name in dir(face) if not name.startswith("_")}
    for name in public:
        there, here = getattr(behind, name), getattr(face, name)
        assert inspect.getdoc(there) == inspect.getdoc(here)
        assert not inspect.iscoroutinefunction(here)
        if callable(there):
            assert list(inspect.signature(there).parameters) == list(
                inspect.signature(here).parameters
            )


def test_questions_are_answered_without_awaiting(story: Story) -> None:
    with SyncMemory.open(story.folder, workers=0) as memory:
        assert "Siemens" in str(memory.search("Where did Ann work?", user="ann")[0])
        ann = memory.user("ann")
        assert ann.id == "ann"
        assert ann.context("Where did Ann work?") == memory.context(
            "Where did Ann work?", user="ann"
        )
        assert [one.content for one in memory.thread("t1").messages()] == ["I left Siemens."]
        assert memory.graph("ships").entity("Vasa").name == "Vasa"


def test_several_threads_may_use_one_memory(tmp_path: Path) -> None:
    with SyncMemory.open(tmp_path, settings=UNREAD) as memory, ThreadPoolExecutor(4) as pool:
        uuids = list(pool.map(lambda n: memory.add(f"Message {n}", user="ann"), range(12)))
    assert len(set(uuids)) == 12


def test_the_thread_ends_with_the_memory(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    memory = SyncMemory.open(tmp_path, settings=UNREAD)
    assert "recollect-memory" in {thread.name for thread in threading.enumerate()}
    memory.add("Hello", user="ann")
    memory.close()
    memory.close()
    assert set(threading.enumerate()) <= before
    with pytest.raises(Conflict, match="closed"):
        memory.facts(user="ann")


def test_what_cannot_be_opened_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with pytest.raises(NotFound):
        SyncMemory.open(tmp_path, project="other")
    assert set(threading.enumerate()) <= before


def test_the_package_offers_both_faces_and_loads_neither_by_itself() -> None:
    assert recollect.__all__ == ["Memory", "SyncMemory", "__version__"]
    assert {"Memory", "SyncMemory"} <= set(dir(recollect))
    with pytest.raises(AttributeError, match="Memorial"):
        recollect.Memorial  # noqa: B018
    code = "import recollect, sys; print([m for m in sys.modules if m.startswith('recollect.')])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
