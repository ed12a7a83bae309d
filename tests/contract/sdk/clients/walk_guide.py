"""Runs the Python examples of a guide page by page, as a reader would, with the client beside it.

Started by `test_guide_blocks.py` in the environment of a released client: the guide is read from
stdin, and what became of each example is a JSON list on stdout. A page begins with a user, a
session and a group that are there; what the guide leaves to the reader (`"some user ID"`) is theirs.
"""

import ast
import asyncio
import contextlib
import inspect
import io
import json
import os
import re
import sys
import time
import types
import uuid

import zep_cloud
from zep_cloud.client import AsyncZep, Zep

LEFT_OPEN = {
    '"some user ID"': "USER",
    '"some user_id"': "USER",
    '"user123"': "USER",
    '"session_id"': "SESSION",
    '"your chosen center node UUID"': "NODE",
    '"your_edge_uuid"': "EDGE",
    '"episode_uuid"': "EPISODE",
    '"YOUR_API_KEY"': "API_KEY",
}
ANSWER = types.SimpleNamespace(content="The card expired.", role="assistant")


class OpenAI:
    """What answers in the place of a language model."""

    def __init__(self, **_options):
        answered = types.SimpleNamespace(choices=[types.SimpleNamespace(message=ANSWER)])
        made = types.SimpleNamespace(create=lambda **_asked: answered)
        self.chat = types.SimpleNamespace(completions=made)


def pages(guide):
    """The examples of each page, with the line they begin in and their heading."""
    found, title, heading, begun = {}, "", "", None
    for number, line in enumerate(guide.splitlines(), 1):
        if begun is None:
            title = line[6:].strip() if line.startswith("title:") else title
            heading = line.lstrip("# ") if line.startswith("#") else heading
        fence = re.match(r"\s*```(\w*)", line)
        if fence and begun is None:
            begun = (number, fence[1].lower(), [])
        elif fence:
            if begun[1] == "python":
                found.setdefault(title, []).append((begun[0], heading, "\n".join(begun[2])))
            begun = None
        elif begun is not None:
            begun[2].append(line)
    return found


def new(prefix):
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def settled(client, names):
    """Wait until what was added is learned."""
    users = {names.get(name) for name in ("USER", "user_id", "user_id_zep")} - {None}
    for _ in range(600):
        waiting = False
        for user_id in users:
            with contextlib.suppress(Exception):
                told = client.graph.episode.get_by_user_id(user_id, lastn=50).episodes or []
                waiting = waiting or not all(one.processed for one in told)
        if not waiting:
            return
        time.sleep(0.1)


def start(client):
    """Whom and what a page takes for granted."""
    key, user_id, session_id, group_id = os.environ["ZEP_API_KEY"], *map(new, "usg")
    client.user.add(user_id=user_id, first_name="Jane", last_name="Smith", email="j@example.com")
    client.memory.add_session(session_id=session_id, user_id=user_id)
    said = "I work at Globex. I bought red running shoes in Porto."
    message = zep_cloud.Message(role="Jane", role_type="user", content=said)
    client.memory.add(session_id, messages=[message])
    client.group.add(group_id=group_id)
    settled(client, {"USER": user_id})
    edges = client.graph.edge.get_by_user_id(user_id)
    node = client.user.get_node(user_id).node.uuid_
    (episode,) = client.graph.episode.get_by_user_id(user_id, lastn=1).episodes
    names = {name: getattr(zep_cloud, name) for name in ("Message", "EpisodeData")}
    names |= {
        name: getattr(zep_cloud, name) for name in dir(zep_cloud) if name[:10] == "FactRating"
    }
    names |= {"API_KEY": key, "USER": user_id, "SESSION": session_id, "NODE": node}
    names |= {"EDGE": edges[0].uuid_, "EPISODE": episode.uuid_, "edge_uuid": edges[-1].uuid_}
    names |= {"user_id": user_id, "session_id": session_id, "group_id": group_id}
    names |= {"user_uuid": user_id, "group_uuid": group_id, "center_node_uuid": node}
    names |= {"client": client, "zep_client": client, "query": "Where does Jane work?"}
    return names | {"Zep": Zep, "AsyncZep": AsyncZep, "OpenAI": OpenAI, "uuid": uuid, "json": json}


def run(code, names, loop):
    """What went wrong with an example, or None."""
    for words, name in LEFT_OPEN.items():
        code = code.replace(words, name)
    if "user.add(" in code and "user_id=user_id" in code:
        code = re.sub(r"^user_id = USER$", "user_id = uuid.uuid4().hex", code, flags=re.MULTILINE)
        names["user_id"] = new("user")
    try:
        made = compile(code, "guide", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with contextlib.redirect_stdout(io.StringIO()):
            result = types.FunctionType(made, names)()
            if inspect.iscoroutine(result):
                loop.run_until_complete(result)
    except Exception as error:  # noqa: BLE001 - whatever an example runs into is told
        return f"{type(error).__name__}: {error}"
    return None


def main():
    nothing = types.SimpleNamespace
    sys.modules["openai"] = nothing(OpenAI=OpenAI)
    sys.modules["rich"] = nothing(print=print)
    sys.modules["dotenv"] = nothing(load_dotenv=lambda **_: None, find_dotenv=str)
    client, loop, told = Zep(api_key=os.environ["ZEP_API_KEY"]), asyncio.new_event_loop(), []
    for title, examples in pages(sys.stdin.read()).items():
        names = start(client)
        for line, heading, code in examples:
            error = run(code, names, loop)
            told.append({"line": line, "page": title, "section": heading, "error": error})
            settled(client, names)
    print(json.dumps(told))


main()
