"""What every store in `stores/` was told, over HTTP, by a key that is `k`."""

import json
from typing import Any

KEY = "k"
USERS: list[dict[str, Any]] = [
    {"user_id": "ann", "first_name": "Ann", "last_name": "Silva", "metadata": {"plan": "gold"}},
    {"user_id": "bob", "first_name": "Bob"},
]
THREAD = {"thread_id": "talk", "user_id": "ann"}
MESSAGES = [
    ("user", "Ann", "I live in Lisbon and work at Northwind as a nurse."),
    ("assistant", "Helper", "Nice to meet you, Ann."),
    ("user", "Ann", "My sister Emma lives in Oslo."),
    ("user", "Ann", "I moved to Porto last week."),
]
GRAPH = {"graph_id": "team", "name": "Team"}
DATA = [
    ("text", "Northwind opened an office in Porto in 2023."),
    ("json", json.dumps({"name": "Northwind", "city": "Porto"})),
]
