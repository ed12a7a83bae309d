"""Servers with something to look at. What is talked about goes in over HTTP, as a client sends it."""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import httpx

from recollect.store.sqlite.connection import FILE_NAME
from tests.bench import graphs
from tests.eval.common import DATA
from tests.golden.conversations import EMILY_GOLDEN, EMILY_ID
from tests.support.server import Server, create_key
from tests.support.talk import AT, TURNS

JANE, MALLORY, MAYA = "jane", "mallory", "maya"
THREAD = "thread-jane"
NASTY = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
NASTY_THREAD = 'bold"><b>thread<u>'
LABELS = ("Person", "Company", "Place", "Product", "Event")
SALES = "sales only"
_DIALOGUE = DATA / "dialogues" / "a-01.json"
_DIALOGUE_MESSAGES = 8
_SALES_MESSAGES = 3  # of Jane's, those about her sister
_WAIT_S_MAX = 180
_DAY = 86_400_000_000


def talk(server: Server) -> str:
    """Emily and PaintWiz, a year of Jane's life, hostile words, and part of a dialogue where the
    shared data is; a job that failed, and a key that sees less. Answers the admin key."""
    admin = create_key(server.data, "default", "--admin", "--name", "admin")
    _narrowed(server, admin)  # before anything is read: what policies guard is read with care
    with server.http() as http:
        _emily(http)
        _jane(http)
        _mallory(http)
        if _DIALOGUE.exists():
            _maya(http)
    wait(server)
    _park(server)
    return admin


def wait(server: Server) -> None:
    """Wait until nothing waits to be read any more."""
    deadline = time.monotonic() + _WAIT_S_MAX
    with httpx.Client(base_url=server.url, trust_env=False) as http:
        while time.monotonic() < deadline:
            if "recollect_jobs_pending 0.0" in http.get("/metrics").text:
                return
            time.sleep(0.1)
    raise AssertionError("the server did not read everything in time")


def _sent(http: httpx.Client, path: str, body: Any, method: str = "POST") -> Any:
    reply = http.request(method, path, json=body)
    assert reply.is_success, f"{path}: {reply.text}"
    return reply.json()


def _emily(http: httpx.Client) -> None:
    story = EMILY_GOLDEN.story
    person = {"first_name": "Emily", "last_name": "Painter", "email": story.email}
    _sent(http, "/users", {"user_id": EMILY_ID, **person})
    _sent(http, "/threads", {"thread_id": "emily-chat", "user_id": EMILY_ID})
    for told in story.inputs:
        moment = {"created_at": told.at.isoformat()}
        if told.kind == "message":
            message = {"role": told.role, "name": told.speaker, "content": told.content, **moment}
            _sent(http, "/threads/emily-chat/messages", {"messages": [message]})
        else:
            data = {"user_id": EMILY_ID, "type": told.kind, "data": told.content}
            _sent(http, "/graph", {**data, **moment})


def _jane(http: httpx.Client) -> None:
    _sent(http, "/users", {"user_id": JANE, "first_name": "Jane", "last_name": "Smith"})
    _sent(http, "/threads", {"thread_id": THREAD, "user_id": JANE})
    messages = [
        {
            "role": role,
            "name": "Jane Smith" if role == "user" else None,
            "content": content,
            "created_at": (AT + timedelta(days=7 * number)).isoformat(),
            "metadata": {"team": "sales" if number < _SALES_MESSAGES else "support"},
        }
        for number, (role, content) in enumerate(TURNS)
    ]
    _sent(http, f"/threads/{THREAD}/messages", {"messages": messages})


def _mallory(http: httpx.Client) -> None:
    person = {"first_name": NASTY[:80], "last_name": "</td><b>x"}
    _sent(http, "/users", {"user_id": MALLORY, **person})
    _sent(http, "/threads", {"thread_id": NASTY_THREAD, "user_id": MALLORY})
    said = {"role": "user", "name": "<u>Mallory</u>", "content": f"I like {NASTY} a lot."}
    place = f"/threads/{quote(NASTY_THREAD, safe='')}/messages"
    _sent(http, place, {"messages": [{**said, "metadata": {"<b>": NASTY}}]})
    triple = {"fact": f"Mallory adores {NASTY}"[:250], "fact_name": "ADORES"}
    ends = {"source_node_name": "<i>Mallory</i>", "target_node_name": '"><svg onload=alert(1)>'}
    _sent(http, "/graph/add-fact-triple", {"user_id": MALLORY, **triple, **ends})


def _maya(http: httpx.Client) -> None:
    told = json.loads(_DIALOGUE.read_text(encoding="utf-8"))
    _sent(http, "/users", {"user_id": MAYA, **told["user"]})
    _sent(http, "/threads", {"thread_id": "thread-maya", "user_id": MAYA})
    messages = [
        {
            "role": one["role"],
            "name": one["name"],
            "content": one["content"],
            "created_at": one["at"],
        }
        for one in told["messages"][:_DIALOGUE_MESSAGES]
    ]
    _sent(http, "/threads/thread-maya/messages", {"messages": messages})


def _park(server: Server) -> None:
    """Let one job of Emily's have failed too often."""
    with closing(sqlite3.connect(server.data / FILE_NAME)) as connection, connection:
        connection.execute(
            "UPDATE jobs SET status = 'parked', error = 'the model gave no answer', attempts = 5,"
            " completed_at = created_at WHERE id = (SELECT min(id) FROM jobs)"
        )


def _narrowed(server: Server, admin: str) -> None:
    rule = {"id": "sales", "type": "authorization", "effect": "allow", "actions": ["readonly"]}
    rules = {"policies": [{**rule, "attributes": {"team": ["sales"]}}]}
    with server.http(admin) as http:
        base = f"{server.url}/api/v1"
        named = {"policy_set": {"name": "sales", "spec": rules}}
        _sent(http, f"{base}/policy-sets", named, "PUT")
        key = _sent(http, f"{base}/keys", {"name": SALES, "role": "default_deny"})["uuid"]
        _sent(http, f"{base}/keys/{key}/policy-sets/sales", {}, "PUT")


def large(server: Server, sizes: dict[str, int]) -> None:
    """Standalone graphs with so many facts each, written into the file while the server is down;
    nodes have labels, and facts begin at different times."""
    with server.http() as http:
        for name in sizes:
            _sent(http, "/graph/create", {"graph_id": name, "name": f"The {name}"})
    server.stop()
    path = server.data / FILE_NAME
    for name, facts in sizes.items():
        with closing(sqlite3.connect(path)) as connection:
            query = "SELECT id FROM graphs WHERE graph_id = ?"
            ((graph_id,),) = connection.execute(query, (name,)).fetchall()
        graphs.fill(path, graph_id, facts)
        with closing(sqlite3.connect(path)) as connection, connection:
            for number, label in enumerate(LABELS):
                connection.execute(
                    "UPDATE entities SET labels = ? WHERE graph_id = ? AND id % ? = ?",
                    (json.dumps(["Entity", label]), graph_id, len(LABELS), number),
                )
            connection.execute(
                "UPDATE facts SET valid_at = valid_at - (id % 700) * ? WHERE graph_id = ?",
                (_DAY, graph_id),
            )
    server.start()


def facts(server: Server, user: str) -> Sequence[dict[str, Any]]:
    """The facts of a user."""
    with server.http() as http:
        return list(_pages(http, f"/graph/edge/user/{user}"))


def _pages(http: httpx.Client, path: str) -> Iterator[dict[str, Any]]:
    yield from _sent(http, path, {"limit": 50})
