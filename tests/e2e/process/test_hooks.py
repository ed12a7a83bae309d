"""`recollect hook` with the events that Claude Code and Codex document, as the guide configures it."""

import json
import shlex
import subprocess
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.cli.hook import read
from recollect.errors import InvalidInput
from tests.support.server import EXTRACTION_ON, Server, program_environment, run_program

GUIDE = Path(__file__).parents[3] / "docs" / "howto" / "hooks.md"
ADDRESS = "http://127.0.0.1:8000"
COMMON = {"session_id": "5f7c-session", "cwd": "/home/me/project", "permission_mode": "default"}
CLAUDE = {**COMMON, "transcript_path": "/nowhere/transcript.jsonl"}
CODEX = {**COMMON, "transcript_path": None, "turn_id": "turn-1", "model": "a-model"}
NOTIFIED = {
    "type": "agent-turn-complete",
    "thread-id": "b5f6-thread",
    "turn-id": "12345",
    "cwd": "/home/me/project",
    "input-messages": ["Rename `foo` to `bar`.", "And run the tests."],
    "last-assistant-message": "Renamed, and all tests pass.",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("hooks") / "data"
    with Server(place, environment=EXTRACTION_ON, options=("--workers", "1")) as running:
        yield running


def run(words: list[str], given: str, key: str = "") -> subprocess.CompletedProcess[str]:
    environment = program_environment(**({"RECOLLECT_API_KEY": key} if key else {}))
    return run_program(*words, environment=environment, timeout=120, given=given)


def configured(number: int) -> dict[str, str]:
    """The commands of a configuration in the guide, by event."""
    blocks = GUIDE.read_text(encoding="utf-8").split("```json\n")[1:]
    hooks = json.loads(blocks[number].split("```")[0])["hooks"]
    return {event: groups[0]["hooks"][0]["command"] for event, groups in hooks.items()}


def fire(server: Server, number: int, event: dict[str, Any]) -> str:
    """What the command of the guide prints for an event, asked as the agent asks."""
    command = configured(number)[event["hook_event_name"]].replace(ADDRESS, server.url)
    name, *words = shlex.split(command)
    assert name == "recollect"
    done = run(words, json.dumps(event), server.api_key)
    assert done.returncode == 0, done.stderr
    return done.stdout


def messages(server: Server, thread: str) -> list[tuple[str, str]]:
    with server.http() as http:
        found = http.get(f"/threads/{thread}/messages").json()["messages"]
    return [(one["role"], one["content"]) for one in found]


@pytest.mark.parametrize(("number", "usual"), [(0, CLAUDE), (1, CODEX)], ids=["claude", "codex"])
def test_a_session_is_kept_and_the_next_one_knows_of_it(
    number: int, usual: dict[str, Any], server: Server
) -> None:
    session = f"session-{number}"
    told = {**usual, "session_id": session}
    town = ("Lisbon", "Porto")[number]
    fire(server, number, {**told, "hook_event_name": "SessionStart", "source": "startup"})
    prompt = f"My sister Rosa lives in {town}."
    fire(server, number, {**told, "hook_event_name": "UserPromptSubmit", "prompt": prompt})
    answer = "That is good to know."
    ended = {**told, "hook_event_name": "Stop", "stop_hook_active": False}
    assert fire(server, number, {**ended, "last_assistant_message": answer}) == ""
    assert messages(server, session) == [("user", prompt), ("assistant", answer)]
    asked = {**told, "session_id": f"next-{number}", "hook_event_name": "UserPromptSubmit"}
    deadline = time.monotonic() + 120
    while True:
        printed = fire(server, number, {**asked, "prompt": "Where does my sister Rosa live?"})
        known = json.loads(printed)["hookSpecificOutput"] if printed else {}
        if town in known.get("additionalContext", ""):
            break
        assert time.monotonic() < deadline, printed
    assert known["hookEventName"] == "UserPromptSubmit"


def test_the_folder_itself_will_do(tmp_path: Path) -> None:
    words = ["hook", "--data", str(tmp_path / "data"), "--user", "ann"]
    asked = {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "I keep bees."}
    done = run(words, json.dumps(asked))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    again = run(words, json.dumps({**asked, "prompt": "What do I keep?"}))
    assert again.returncode == 0, again.stderr
    listed = run(["facts", "--data", str(tmp_path / "data"), "--user", "ann", "--json"], "")
    assert listed.returncode in (0, 3), "the user is there"


def test_codex_can_notify(server: Server) -> None:
    line = GUIDE.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    name, *words = tomllib.loads(line)["notify"]
    assert name == "recollect"
    pointed = [word.replace(ADDRESS, server.url) for word in words]
    done = run([*pointed, json.dumps(NOTIFIED)], "", server.api_key)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert messages(server, "b5f6-thread") == [
        ("user", "Rename `foo` to `bar`.\nAnd run the tests."),
        ("assistant", "Renamed, and all tests pass."),
    ]


def test_what_fails_is_said_and_stops_nobody() -> None:
    """Exit code 2 would block a prompt, in either agent."""
    prompt = {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "x"}
    done = run(["hook", "--url", "http://127.0.0.1:1"], json.dumps(prompt), "k")
    assert (done.returncode, done.stdout) == (1, "")
    assert "does not answer" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_answer_of_an_older_claude_code_is_in_the_transcript(tmp_path: Path) -> None:
    file = tmp_path / "transcript.jsonl"
    parts = [{"type": "text", "text": "Done."}, {"type": "tool_use", "id": "t", "name": "Bash"}]
    lines = [
        {"type": "user", "message": {"role": "user", "content": "Do it."}},
        {"type": "assistant", "message": {"role": "assistant", "content": parts}},
        {"type": "system", "content": "x"},
    ]
    file.write_text("{cut\n" + "\n".join(map(json.dumps, lines)) + "\n{half", encoding="utf-8")
    event = {**CLAUDE, "hook_event_name": "Stop", "transcript_path": str(file)}
    found = read(json.dumps(event))
    assert found is not None
    assert found.said == [("assistant", "Done.")]


@pytest.mark.parametrize("name", ["PreToolUse", "SessionEnd", "Notification", "SomethingNew"])
def test_other_events_are_nobodys_business(name: str) -> None:
    assert read(json.dumps({**CLAUDE, "hook_event_name": name})) is None


@pytest.mark.parametrize("wrong", ["", "[]", "{}", '{"hook_event_name": "Stop", "session_id": 7}'])
def test_what_is_no_event_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInput):
        read(wrong)
