"""The same calls make the same graph on every run."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.stores import environment_of

ORDER = """
import asyncio, sys
from pathlib import Path
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.app.stores import open_store
from recollect.settings import Settings
from recollect.records import graphs, knowledge, users
from recollect.records.users import UserDetails

async def main():
    store = open_store(Settings(data=Path(sys.argv[1])))
    project = await store.write(keys.create_project, "p")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    await store.write(users.create, access, "u", UserDetails())
    details = UserDetails(first_name="Jane", email="jane@example.com")
    await store.write(users.update, access, "u", details)
    graph = await store.read(graphs.of_user, access, "u")
    facts = await store.read(knowledge.facts_holding, access, graph, 10)
    print([fact.name for fact in facts])
    await store.close()

asyncio.run(main())
"""


def test_profile_facts_come_in_the_same_order_on_every_run(tmp_path: Path) -> None:
    """The same calls make the same graph, whatever the seed of the process's hashes."""
    orders = set()
    for seed in range(4):
        done = subprocess.run(
            [sys.executable, "-c", ORDER, str(tmp_path / str(seed))],
            env={**os.environ, **environment_of(tmp_path / str(seed)), "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        orders.add(done.stdout)
    assert len(orders) == 1, orders
