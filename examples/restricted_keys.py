# ruff: noqa: S310, S603, T201, TID251 - an example prints, and runs the program on the loopback
"""Two keys to one server: one sees everything, the other what the support team may read.

    .venv/bin/python examples/restricted_keys.py [folder]

The example starts a server on a free port, makes a second key and a policy set with the command
line, as an operator does, and asks the same with both keys. It leaves nothing running.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

# Who holds this key reads what is marked for the team, and nothing that is restricted besides.
POLICY = """
policy_set:
  name: support
  mode: enforce
  spec:
    policies:
      - {id: own, type: authorization, effect: allow, actions: [readonly],
         attributes: {team: [support]}}
      - {id: secret, type: authorization, effect: deny, actions: [readonly],
         attributes: {level: [restricted]}, subset_match: true}
"""
TOLD = [
    ("Ticket 7: the printer is out of ink.", {"team": "support"}),
    ("Ticket 8: the password of the vault is unknown.", {"team": "support", "level": "restricted"}),
    ("The budget of 2025 is 3 million.", {"team": "finance"}),
]
WHOLE = "a-long-secret-of-your-own"
# Nothing has to be learned here, so the models need not be there.
ENVIRONMENT = {**os.environ, "RECOLLECT_EXTRACTION": "off", "RECOLLECT_API_KEY": WHOLE}


def recollect(data: str, *words: str) -> Any:
    """Run the program, as at a shell; answers what it says as JSON, if it does."""
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *words, "--data", data],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout) if "--json" in words else None


def ask(url: str, key: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """One request; its status and its answer."""
    headers = {"Authorization": f"Api-Key {key}", "Content-Type": "application/json"}
    sent = None if body is None else json.dumps(body).encode()
    request = Request(f"{url}/api/v2{path}", sent, headers, method=method)
    try:
        with urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)


@contextmanager
def serving(data: str) -> Iterator[str]:
    """A server of its own, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "recollect", "serve", "--data", data, "--port", str(port)]
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        words, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            for _ in range(300):
                try:
                    urlopen(f"{url}/ready", timeout=1).close()
                    break
                except (URLError, OSError):
                    time.sleep(0.1)
            yield url
        finally:
            server.terminate()


def main(data: str) -> None:
    """Tell the server something, make a restricted key, and ask with both."""
    with serving(data) as url:
        ask(url, WHOLE, "POST", "/graph/create", {"graph_id": "office"})
        for text, metadata in TOLD:
            body = {"graph_id": "office", "type": "text", "data": text, "metadata": metadata}
            ask(url, WHOLE, "POST", "/graph", body)

        made = recollect(
            data, "key", "create", "--name", "team", "--role", "default_deny", "--json"
        )
        policy = Path(data) / "support.yaml"
        policy.write_text(POLICY)
        recollect(data, "policy", "apply", str(policy))
        recollect(data, "policy", "attach", "support", "--key", made["id"])

        for name, key in (("whole", WHOLE), ("team", made["key"])):
            status, found = ask(url, key, "GET", "/graph/episodes/graph/office?lastn=10")
            print(f"{name} sees ({status}):")
            for episode in found["episodes"]:
                print(f"  {episode['content']}")
        status, said = ask(url, made["key"], "POST", "/graph", body)
        print(f"team writes: {status} {said['message']}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as made:
            main(made)
