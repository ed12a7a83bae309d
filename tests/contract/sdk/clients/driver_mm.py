"""Drives the released MemMachine client: one JSON command per line in, one answer per line out.

Runs inside the client's own virtual environment and imports nothing of this repository. A command
is `{"id", "base_url", "api_key", "call", "args", "kwargs", "of", "retries", "closed"}`. The call
names whose method it is: `client.create_project`, `project.delete`, `memory.search` or
`config.get_config`; `of` is the project that is meant, `{"org_id", "project_id"}`, with the
`metadata` of a memory. The answer is `{"id", "ok"}`, or `{"id", "error": {...}}`.
"""

import json
import logging
import sys
from datetime import datetime
from functools import cache
from inspect import isfunction
from typing import Any

from memmachine_client import MemMachineClient
from memmachine_client.config import Config
from memmachine_client.langgraph import MemMachineTools
from memmachine_client.memory import Memory
from memmachine_client.project import Project
from memmachine_common.api import EpisodeType, config_spec
from pydantic import BaseModel

TIMEOUT_SECONDS = 30
OFFERED = {"client": MemMachineClient, "project": Project, "memory": Memory, "config": Config}
PROJECT_FIELDS = ("org_id", "project_id", "description", "config")
MAKERS = {"datetime": datetime.fromisoformat, "EpisodeType": EpisodeType}


@cache
def connect(base_url: str, api_key: str | None, retries: int) -> MemMachineClient:
    """One client object per address and key, as an application would keep it."""
    return made(base_url, api_key, retries)


def made(base_url: str, api_key: str | None, retries: int) -> MemMachineClient:
    """A client object of its own."""
    return MemMachineClient(
        api_key=api_key, base_url=base_url, timeout=TIMEOUT_SECONDS, max_retries=retries
    )


def build(value: Any) -> Any:
    """Turn `{"$type": "datetime", "value": ...}` and the client's models into what they name."""
    if isinstance(value, list):
        return [build(item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = {name: build(item) for name, item in value.items() if name != "$type"}
    if "$type" not in value:
        return fields
    if value["$type"] in MAKERS:
        return MAKERS[value["$type"]](fields["value"])
    return getattr(config_spec, value["$type"])(**fields)


def plain(value: Any) -> Any:
    """Turn an answer of the client into JSON values."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Project):
        return {name: plain(getattr(value, name)) for name in PROJECT_FIELDS}
    return value


def method_names() -> list[str]:
    """Every public method the client offers, under the noun it belongs to."""
    return sorted(
        f"{noun}.{name}"
        for noun, kind in OFFERED.items()
        for name, value in vars(kind).items()
        if isfunction(value) and not name.startswith("_")
    )


def noun_of(client: MemMachineClient, noun: str, of: dict[str, Any]) -> Any:
    """The object whose method is called; making it sends nothing."""
    if noun == "client":
        return client
    if noun == "config":
        return client.config()
    if noun == "tools":
        return MemMachineTools(client=client, **of)
    project = Project(client=client, org_id=of["org_id"], project_id=of["project_id"])
    return project if noun == "project" else project.memory(metadata=of.get("metadata"))


def run(command: dict[str, Any]) -> dict[str, Any]:
    """Make one call and answer its result; for `refresh` that is the project it changed."""
    if command["call"] == "methods":
        return {"ok": method_names()}
    where = (command["base_url"], command["api_key"], command["retries"])
    client = made(*where) if command["closed"] else connect(*where)
    noun, _, verb = command["call"].rpartition(".")
    target = noun_of(client, noun, command["of"])
    if command["closed"]:
        client.close()
    result = getattr(target, verb)(*build(command["args"]), **build(command["kwargs"]))
    return {"ok": plain(target if verb == "refresh" else result)}


def explain(error: Exception) -> dict[str, Any]:
    """What a caller of the client would see of an error."""
    response = getattr(error, "response", None)
    status = None if response is None else response.status_code
    body = None
    if response is not None:
        try:
            body = response.json()
        except ValueError:
            body = response.text
    return {"type": type(error).__name__, "status": status, "body": body, "message": str(error)}


def main() -> None:
    """Answer commands until the input ends."""
    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = run(command)
        except Exception as error:  # noqa: BLE001 - whatever the client raises is the answer
            answer = {"error": explain(error)}
        print(json.dumps({"id": command["id"], **answer}, default=str), flush=True)


if __name__ == "__main__":
    main()
