"""The commands that remember and recall, in this process: what they print, and how they end."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import structlog
from rich.console import Console
from typer.testing import CliRunner

from recollect import SyncMemory
from recollect.cli import recall, telling
from recollect.cli.common import fail, safe, show
from recollect.cli.main import app
from recollect.library.results import Ending, Entity, Fact, Why
from recollect.settings import Settings

RUNNER = CliRunner(env={"RECOLLECT_EXTRACTION": "off"})
FAR = "2999-01-01"


@pytest.fixture(autouse=True)
def _silent_logs() -> None:
    """As in a process of its own: what other tests made of logging would be in the output."""
    structlog.reset_defaults()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ann worked at Siemens until she left."""
    folder = tmp_path_factory.mktemp("recall") / "data"
    with SyncMemory.open(folder) as memory:
        memory.add("Good morning! I work at Siemens.", user="ann", created_at="2024-01-10")
        memory.add("I left Siemens.", user="ann", thread="t1", created_at="2025-03-02")
    return folder


def run(code: int, *words: str | Path, stdin: str | None = None) -> Any:
    """A command that ends with this code."""
    done = RUNNER.invoke(app, [str(word) for word in words], input=stdin)
    assert done.exit_code == code, (done.exit_code, done.stdout, done.stderr, done.exception)
    return done


def found(code: int, *words: str | Path, stdin: str | None = None) -> Any:
    """The one JSON document that a command prints, and nothing besides."""
    done = run(code, *words, "--json", stdin=stdin)
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_why_tells_of_what_has_expired(tmp_path: Path) -> None:
    """When, on whose word, and what it was; and no list has it any more."""
    place = ("--data", tmp_path / "data")
    words = ("add", "Ann likes pears.", "--graph", "g", "--no-wait")
    assert "has passed" in run(1, *words, "--expires", "2020-01-31", *place).stderr
    uuid = found(0, *words, "--expires", FAR, *place)["episode"]
    kept = found(0, *words, *place)["episode"]
    run(0, "expire", uuid, "--at", "2020-01-31", *place)
    said = run(0, "why", uuid, *place).stdout
    assert "Ann likes pears." in said
    assert "expired at 2020-01-31 00:00:00+00:00, as command had said." in " ".join(said.split())
    assert found(0, "why", uuid, *place)["because"] == "said"
    (row,) = found(0, "expired", *place)
    assert row["uuid"] == uuid
    assert "not found" in run(1, "why", kept, *place).stderr


def test_facts_are_those_that_hold_now_at_a_time_or_all(data: Path) -> None:
    place = ("--user", "ann", "--data", data)
    works = "Ann works at Siemens"
    assert works not in [one["text"] for one in found(0, "facts", *place)]
    assert works in [one["text"] for one in found(0, "facts", *place, "--at", "2024-06-01")]
    everything = found(0, "facts", *place, "--all")
    assert works in [one["text"] for one in everything]
    assert len(found(0, "facts", *place, "--all", "--limit", "1")) == 1


def test_an_entity_is_shown_with_its_labels_summary_and_facts(data: Path) -> None:
    said = run(0, "entity", "Siemens", "--user", "ann", "--data", data).stdout
    assert said.startswith("Siemens  (Entity, Organization)\n")
    assert "Ann left Siemens" in said
    shown = found(0, "entity", "Siemens", "--user", "ann", "--data", data)
    assert shown["labels"] == ["Entity", "Organization"]
    assert [one["text"] for one in shown["facts"]] == ["Ann left Siemens"]


def test_a_timeline_is_in_the_order_of_truth(data: Path) -> None:
    told = found(0, "timeline", "Siemens", "--user", "ann", "--data", data)
    assert [one["text"] for one in told] == ["Ann works at Siemens", "Ann left Siemens"]
    lines = run(0, "timeline", "Siemens", "--user", "ann", "--data", data).stdout.splitlines()
    assert lines[0].split() == ["what", "when", "id"]
    assert "2024-01-10 to 2025-03-02" in lines[1]
    assert lines[1].rstrip().endswith(told[0]["uuid"])


def test_why_marks_the_words_and_tells_both_clocks_and_the_end(data: Path) -> None:
    (works, left) = found(0, "timeline", "Siemens", "--user", "ann", "--data", data)
    said = run(0, "why", works["uuid"], "--data", data).stdout
    assert "true     2024-01-10 to 2025-03-02" in said
    assert "believed " in said
    assert "Good morning! »I work at Siemens.«" in said
    assert "closes   2025-03-02, message by user in t1" in said
    on_its_word = "on the word of "
    brought = "(message of 2025-03-02 by user)"
    assert f'ended    2025-03-02 by "Ann left Siemens" {brought}, {on_its_word}' in said
    assert f"\nfact     {left['uuid']}\nepisode  " in said
    told = found(0, "why", works["uuid"], "--data", data)
    assert told["fact"] == works
    assert told["evidence"][0]["span"] == [14, 32]
    assert told["endings"][0]["by_fact"]["uuid"] == left["uuid"]
    assert told["endings"][0]["judge"].startswith("judge.")
    said = run(0, "why", left["uuid"], "--data", data).stdout
    assert f'ends     "Ann works at Siemens" 2025-03-02 {brought}, {on_its_word}' in said
    told = found(0, "why", left["uuid"], "--data", data)
    assert [one["fact"]["uuid"] for one in told["closed"]] == [works["uuid"]]


@pytest.mark.parametrize(
    ("judge", "sure", "words"),
    [
        ("model:episode.v2", 0.9, "on the word of a language model (episode.v2), 90% sure"),
        ("agent:episode.v2", None, "on the word of an agent (episode.v2)"),
        ("embedded.1", 0.75, "on the word of the reader embedded.1, 75% sure"),
        ("episode", None, "on the word of the episode itself"),
        ("hand", None, "set by hand"),
        (None, None, "on whose word is not known"),
        ("model:\x1b[2J", None, "on the word of a language model (\ufffd[2J)"),
    ],
)
def test_why_says_in_plain_words_on_whose_word_a_fact_ended(
    capsys: pytest.CaptureFixture[str], judge: str | None, sure: float | None, words: str
) -> None:
    """Whoever it was, and how sure, where it said so; and when what it tells of happens."""
    fact = replace(_fact("Ann flies to Tokyo"), event_at=datetime(2024, 5, 3, 10, tzinfo=UTC))
    ending = Ending(
        by_fact=None,
        by_episode=None,
        ended_at=datetime(2024, 5, 1, tzinfo=UTC),
        learned_at=None,
        judge=judge,
        sure=sure,
    )
    recall.reasons(Why(fact=fact, evidence=(), endings=(ending,)))
    said = capsys.readouterr().out
    assert f"ended    2024-05-01, {words}\n" in said
    assert "happens  2024-05-03 10:00\n" in said


def test_what_ended_a_fact_is_taken_back_and_the_log_tells_of_it(
    data: Path, tmp_path: Path
) -> None:
    """It holds again and `why` says since when; a second time there is nothing to take back."""
    shutil.copytree(data, tmp_path / "copy")
    place = ("--data", tmp_path / "copy")
    (works, _) = found(0, "timeline", "Siemens", "--user", "ann", *place)
    told = found(0, "reopen", works["uuid"], *place)
    assert (told["uuid"], told["text"]) == (works["uuid"], "Ann works at Siemens")
    assert (told["invalid_at"], told["given_up_at"]) == (None, None)
    held = found(0, "facts", "--user", "ann", *place)
    assert works["uuid"] in [one["uuid"] for one in held]
    said = run(0, "why", works["uuid"], *place).stdout
    assert "true     since 2024-01-10" in said
    assert ", by hand: what had ended it was taken back" in said
    assert "ended " not in said.replace("had ended", "")
    entry = found(0, "audit", "list", *place)[0]
    assert (entry["actor"], entry["action"], entry["outcome"]) == ("command", "reopen", "done")
    assert entry["target"] == f"edge:{works['uuid']}"
    done = run(1, "reopen", works["uuid"], *place)
    assert "the fact has no end to undo" in done.stderr
    assert len(found(0, "audit", "list", *place)) == entry["number"], "nothing was changed"


def test_what_is_reopened_is_shown_as_it_is_now(data: Path, tmp_path: Path) -> None:
    """As other commands show a fact."""
    shutil.copytree(data, tmp_path / "copy")
    place = ("--data", tmp_path / "copy")
    (works, _) = found(0, "timeline", "Siemens", "--user", "ann", *place)
    lines = run(0, "reopen", works["uuid"], *place).stdout.splitlines()
    assert "since 2024-01-10" in lines[1]
    assert lines[1].rstrip().endswith(works["uuid"])


def test_a_search_and_a_context_answer_a_question(data: Path) -> None:
    place = ("--user", "ann", "--data", data)
    best = found(0, "search", "Who left Siemens?", *place, "--limit", "3", "--type", "LEFT")
    assert [one["text"] for one in best] == ["Ann left Siemens"]
    entities = found(0, "search", "Siemens", *place, "--kind", "entities")
    assert "Siemens" in [one["name"] for one in entities]
    assert "0." in run(0, "search", "Siemens", *place).stdout
    text = run(0, "context", "Where did Ann work?", *place).stdout
    assert "<FACTS>" in text
    assert found(0, "context", "Where did Ann work?", *place) == {"context": text.rstrip("\n")}


@pytest.mark.parametrize(
    "words",
    [
        ("search", "Siemens", "--type", "NOTHING", "--user", "ann"),
        ("search", " ", "--user", "ann"),
        ("facts", "--user", "ann", "--at", FAR, "--known-at", "1999-01-01"),
    ],
)
def test_nothing_found_has_an_exit_code_of_its_own(data: Path, words: tuple[str, ...]) -> None:
    assert found(3, *words, "--data", data) == []
    done = run(3, *words, "--data", data)
    assert (done.stdout, done.stderr) == ("", "nothing found\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("facts", "--user", "bo"), "user not found: bo"),
        (("facts",), "give one"),
        (("why", "nothing"), "fact not found: nothing"),
        (("reopen", "nothing"), "fact not found: nothing"),
        (("entity", "Bosch", "--user", "ann"), "entity not found: Bosch"),
        (("facts", "--user", "ann", "--project", "other"), "no project named 'other'"),
        (("facts", "--user", "ann", "--all", "--at", FAR), "cannot be combined"),
    ],
)
def test_an_error_is_said_on_standard_error(data: Path, words: tuple[str, ...], said: str) -> None:
    done = run(1, *words, "--data", data, "--json")
    assert done.stdout == ""
    assert said in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("facts", "--user", "ann", "--at", "soon"),
        ("search", "--user", "ann"),
        ("search", "Siemens", "--user", "ann", "--kind", "edges"),
        ("search", "Siemens", "--user", "ann", "--limit", "0"),
        ("add", "--user", "ann"),
        ("add", "Hello", "--json-data", "{}", "--user", "ann"),
        ("add", "--json-data", "{", "--user", "ann"),
        ("add", "--json-data", "7", "--user", "ann"),
        ("add", "Hello", "--user", "ann", "--metadata", "source"),
    ],
)
def test_wrong_use_has_its_exit_code_too(data: Path, words: tuple[str, ...]) -> None:
    done = run(2, *words, "--data", data)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_asking_makes_no_memory_where_there_is_none(tmp_path: Path) -> None:
    for words in (("facts", "--user", "ann"), ("reopen", "nothing")):
        done = run(1, *words, "--data", tmp_path / "none")
        assert "there is no memory in" in done.stderr
    assert not (tmp_path / "none").exists()


def test_what_is_added_is_stored_as_it_was_given(tmp_path: Path) -> None:
    place = ("--user", "ann", "--data", tmp_path)
    words = ("--thread", "t", "--role", "assistant", "--name", "Al", "--at", "2024-05-01")
    tags = ("--metadata", "source=chat", "--metadata", "age=7", "--metadata", "id=007")
    said = found(0, "add", "-", *words, *tags, *place, stdin="Hello\nthere")
    assert said["facts"] == []
    found(0, "add", "--json-data", "-", *place, "--no-wait", stdin='{"plan": "pro"}')
    unread = Settings.model_validate({"extraction": "off"})
    with SyncMemory.open(tmp_path, workers=0, settings=unread) as memory:
        (message,) = memory.messages("t")
    assert (message.uuid, message.content) == (said["episode"], "Hello\nthere")
    assert (message.role, message.name) == ("assistant", "Al")
    assert message.created_at.isoformat() == "2024-05-01T00:00:00+00:00"
    assert message.metadata == {"source": "chat", "age": 7, "id": "007"}
    log = found(0, "audit", "list", "--data", tmp_path)
    assert {(one["actor"], one["action"]) for one in log} == {("command", "add")}
    assert "Hello" not in json.dumps(log)


def _fact(text: str) -> Fact:
    now = datetime(2024, 5, 1, 10, 30, tzinfo=UTC)
    return Fact(
        uuid="01a1e434-3302-7001-800a-f17efb830a28",
        text=text,
        name="WORKS_AT",
        source="Ann",
        source_uuid="1",
        target="Siemens",
        target_uuid="2",
        valid_at=now,
        invalid_at=None,
        learned_at=now,
        given_up_at=None,
    )


@pytest.mark.parametrize("width", [20, 40, 99, 100, 200])
def test_facts_fit_their_width_and_ids_stay_whole(width: int) -> None:
    place = Console(width=width, record=True, file=open("/dev/null", "w"), force_terminal=True)  # noqa: PTH123, SIM115
    fact = _fact("Ann works at Siemens " + "and at many other places " * 5)
    telling.things([fact, fact], place)
    lines = place.export_text().splitlines()
    place.file.close()
    assert sum(fact.uuid in line for line in lines) == 2
    assert all(len(line.rstrip()) <= max(width, len(fact.uuid)) for line in lines)
    words = " ".join(" ".join(lines).split())
    assert words.count("places") == 10


def test_what_was_told_cannot_control_the_terminal() -> None:
    evil = "Ann\x1b[2J\x9b31m\r\u202e owns\tthe\nscreen"
    shown = safe(evil)
    assert shown == "Ann\ufffd[2J\ufffd31m\ufffd\ufffd owns\tthe\nscreen"


def test_labels_tables_and_errors_carry_nothing_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They tell of what is stored, too."""
    evil = "A\x1b[2J"
    now = datetime(2024, 5, 1, tzinfo=UTC)
    named = Entity(uuid="1", name="Ann", labels=("Entity", evil), summary="", learned_at=now)
    telling.things([named])
    telling.entity(named)
    show([{"reason": evil}], ("reason",), as_json=False)
    fail(f"entity: it may be any of {evil}")
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert (said.out + said.err).count("A\ufffd[2J") == 4
