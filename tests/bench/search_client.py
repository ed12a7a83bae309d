"""One released client that searches as it is told; runs inside the client's own environment.

A line in is `{"base_url", "api_key", "calls": [the arguments of graph.search]}`; the line out has
the seconds each call took, the seconds of CPU the client itself needed for it, and how many things
were found, -1 when the call failed.
Nothing of this repository is imported.
"""

import json
import sys
import time
from functools import cache
from typing import Any

from zep_cloud.client import Zep
from zep_cloud.core.api_error import ApiError


@cache
def connect(base_url: str, api_key: str) -> Zep:
    """One client object, as an application would keep it."""
    return Zep(base_url=base_url, api_key=api_key, timeout=60)


def search(zep: Zep, call: dict[str, Any]) -> tuple[float, float, int]:
    """Seconds, CPU seconds of the client, and how many things were found."""
    cpu, began = time.process_time(), time.perf_counter()
    try:
        found = zep.graph.search(**call)
        count = sum(len(part or ()) for part in (found.edges, found.nodes, found.episodes))
    except ApiError as error:
        print(error, file=sys.stderr)
        count = -1
    return time.perf_counter() - began, time.process_time() - cpu, count


def main() -> None:
    """Answer commands until the input ends."""
    for line in sys.stdin:
        command = json.loads(line)
        zep = connect(command["base_url"], command["api_key"])
        print(json.dumps([search(zep, call) for call in command["calls"]]), flush=True)


if __name__ == "__main__":
    main()
