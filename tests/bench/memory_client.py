"""One released memory client that does as it is told; runs inside the client's own environment.

A line in is `{"base_url", "api_key", "org_id", "project_id", "calls": [[method, arguments]]}`, the
methods being `add` and `search` of a memory; the line out has the seconds that each call took.
Nothing of this repository is imported.
"""

import json
import sys
import time
from functools import cache
from typing import Any

from memmachine_client import MemMachineClient
from memmachine_client.memory import Memory


@cache
def connect(base_url: str, api_key: str, org_id: str, project_id: str) -> Memory:
    """One memory, as an application would keep it."""
    client = MemMachineClient(api_key=api_key, base_url=base_url, timeout=60)
    return client.get_or_create_project(org_id=org_id, project_id=project_id).memory()


def call(memory: Memory, method: str, arguments: dict[str, Any]) -> float:
    """Seconds until the answer was read."""
    began = time.perf_counter()
    getattr(memory, method)(**arguments)
    return time.perf_counter() - began


def main() -> None:
    """Answer commands until the input ends."""
    for line in sys.stdin:
        command = json.loads(line)
        names = ("base_url", "api_key", "org_id", "project_id")
        memory = connect(*(command[name] for name in names))
        took = [call(memory, method, arguments) for method, arguments in command["calls"]]
        print(json.dumps(took), flush=True)


if __name__ == "__main__":
    main()
