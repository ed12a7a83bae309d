"""`recollect hook`: called by a coding agent at each turn, so that remembering needs no prompting.

Claude Code and Codex pass the same events to a hook, as JSON on standard input; older versions of Codex pass
the end of a turn to `notify`, as an argument. Before a prompt is handled, the hook returns the relevant
context and stores the prompt; after the answer, it stores the answer.
"""

import json
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

import typer

from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli.common import DataOption, fail, settings
from recollect.cli.memory import ProjectOption, remember
from recollect.errors import InvalidInput, NotFound, RecollectError, Unavailable
from recollect.library.memory import Memory
from recollect.limits import HOOK_TIMEOUT_S, HOOK_TRANSCRIPT_BYTES, MESSAGE_CHARS_MAX

_USER, _ASSISTANT = "user", "assistant"
_NOT_THERE = 404
_TAKEN = 400


class AgentEvent(NamedTuple):
    """An agent's event: the session, what was said in it, and whether the agent wants context."""

    name: str
    session_id: str
    said: list[tuple[str, str]]
    asks: bool = False

    @property
    def question(self) -> str | None:
        """The user's prompt, if the event has one."""
        return next((text for role, text in self.said if role == _USER), None)


def hook(
    notification: Annotated[
        str | None,
        typer.Argument(help="The event as JSON; read from standard input if omitted."),
    ] = None,
    user: Annotated[
        str, typer.Option(help="Id of the user whose memory to use; created if missing.")
    ] = "me",
    url: Annotated[
        str | None, typer.Option(help="Use the server at this address instead of opening a store.")
    ] = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Handle an event of Claude Code or Codex: store what was said, and print what is known about it.

    A failure never stops the agent: exit code 1, with the reason on standard error.
    """
    try:
        event = read(notification if notification is not None else sys.stdin.read())
        if event is None:
            return
        if url is None:
            known = remember(
                data, project, lambda memory: _in_folder(memory, user, event), workers=0
            )
        else:
            key = settings(data=data).api_key
            known = _ServedMemory(url, key.get_secret_value() if key else "").take(user, event)
    except RecollectError as error:
        raise fail(error.message) from error
    if event.asks and known.strip():
        added = {"hookEventName": event.name, "additionalContext": known}
        typer.echo(json.dumps({"hookSpecificOutput": added}, ensure_ascii=False))


# ---------------------------------------------------------------- what agents say


def read(text: str) -> AgentEvent | None:
    """The event, or None for one that the hook ignores."""
    try:
        sent = json.loads(text)
    except ValueError as error:
        raise InvalidInput("expected one event as JSON") from error
    if not isinstance(sent, dict):
        raise InvalidInput("expected one event as a JSON object")
    if sent.get("type") == "agent-turn-complete":
        return _turn_of_codex(sent)
    name, session_id = sent.get("hook_event_name"), sent.get("session_id")
    if not isinstance(session_id, str) or not session_id:
        raise InvalidInput("session_id: is required")
    if name == "SessionStart":
        return AgentEvent(name, session_id, [], asks=True)
    if name == "UserPromptSubmit":
        return AgentEvent(name, session_id, _said((_USER, sent.get("prompt"))), asks=True)
    if name == "Stop":
        answer = sent.get("last_assistant_message") or _last_answer(sent.get("transcript_path"))
        return AgentEvent(name, session_id, _said((_ASSISTANT, answer)))
    return None


def _turn_of_codex(sent: dict[str, Any]) -> AgentEvent | None:
    session_id = sent.get("thread-id") or sent.get("turn-id")
    if not isinstance(session_id, str) or not session_id:
        raise InvalidInput("thread-id: is required")
    asked = sent.get("input-messages")
    prompt = "\n".join(map(str, asked)) if isinstance(asked, list) else None
    said = _said((_USER, prompt), (_ASSISTANT, sent.get("last-assistant-message")))
    return AgentEvent("agent-turn-complete", session_id, said)


def _said(*turns: tuple[str, Any]) -> list[tuple[str, str]]:
    """The non-empty turns with their roles, cut to the length of a message."""
    kept = [(role, text[:MESSAGE_CHARS_MAX]) for role, text in turns if isinstance(text, str)]
    return [(role, text) for role, text in kept if text.strip()]


def _last_answer(path: Any) -> str | None:
    """The assistant's last text in a transcript, for agents that do not send it with the event."""
    if not isinstance(path, str):
        return None
    try:
        with Path(path).expanduser().open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - HOOK_TRANSCRIPT_BYTES))
            lines = file.read().splitlines()
    except OSError:
        return None
    return next((text for line in reversed(lines) if (text := _answer_in(line))), None)


def _answer_in(line: bytes) -> str | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None  # the first line is cut off, or the last one is being written
    if not isinstance(entry, dict) or entry.get("type") != _ASSISTANT:
        return None
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [p.get("text") for p in parts if isinstance(p, dict) and p.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str)) or None


# ---------------------------------------------------------------- what is stored and recalled


async def _in_folder(memory: Memory, user: str, event: AgentEvent) -> str:
    """Get the context first, so that it does not repeat what is being said now."""
    known = ""
    if event.asks:
        with suppress(NotFound):  # the user does not exist before the first message
            known = await memory.context(event.question, user=user)
    for role, text in event.said:
        await memory.add(text, user=user, thread=event.session_id, role=role, wait=False)
    return known


class _ServedMemory:
    """The memory behind a running server."""

    def __init__(self, url: str, key: str) -> None:
        self._base = f"{url.rstrip('/')}/api/v2"
        self._key = key

    def take(self, user: str, event: AgentEvent) -> str:
        """Store what was said, and return the context for it."""
        thread = f"/threads/{quote(event.session_id, safe='')}"
        messages = [{"role": role, "content": text} for role, text in event.said]
        sent = {"messages": messages, "return_context": event.asks}
        asked = (
            ("POST", f"{thread}/messages", sent) if messages else ("GET", f"{thread}/context", None)
        )
        status, answer = self._ask(*asked)
        if status == _NOT_THERE:
            begun = {"thread_id": event.session_id, "user_id": user}
            self._ask("POST", "/users", {"user_id": user})
            self._ask("POST", "/threads", begun)
            status, answer = self._ask(*asked)
        if status >= _TAKEN:
            raise Unavailable(f"the server answered {status}: {answer.get('message', '')}")
        return str(answer.get("context") or "")

    def _ask(self, method: str, path: str, body: Any) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Api-Key {self._key}", "Content-Type": "application/json"}
        given = None if body is None else json.dumps(body).encode()
        address = self._base + path
        if not address.startswith(("http://", "https://")):
            raise InvalidInput("--url: must begin with http:// or https://")
        request = urllib.request.Request(address, given, headers, method=method)  # noqa: S310 - checked
        try:
            with urllib.request.urlopen(request, timeout=HOOK_TIMEOUT_S) as answer:  # noqa: S310
                return answer.status, json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as refused:
            with refused:
                said = refused.read()
            return refused.code, json.loads(said) if said[:1] == b"{" else {}
        except OSError as error:
            raise Unavailable(f"the server at {self._base} does not answer: {error}") from error
