"""Reads one episode with a local model, for `recollect read --with`.

    recollect read --with "python examples/local_reader.py http://127.0.0.1:11434/v1 qwen3:8b"

On standard input: {"system": …, "user": …, "schema": …}. On standard output: the answer, one JSON
object. The two words say where a server with chat completions is, and which model to ask.
"""

import http.client
import json
import sys
from typing import Any
from urllib.parse import urlsplit

SECONDS = 300


def ask(asked: dict[str, Any], url: str, model: str) -> str:
    """What the model answers, held to the schema."""
    form = {"name": "answer", "strict": True, "schema": asked["schema"]}
    body = {
        "model": model,
        "messages": [
            {"role": "system", "content": asked["system"]},
            {"role": "user", "content": asked["user"]},
        ],
        "response_format": {"type": "json_schema", "json_schema": form},
    }
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=SECONDS)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", f"{place.path}/chat/completions", json.dumps(body), headers)
    reply = connection.getresponse()
    said = reply.read().decode()
    if reply.status != http.client.OK:
        sys.exit(f"the model answered {reply.status}: {said}")
    content: str = json.loads(said)["choices"][0]["message"]["content"]
    return content


if __name__ == "__main__":
    sys.stdout.write(ask(json.load(sys.stdin), *sys.argv[1:]))
