"""The library needs nothing but the standard library."""

import subprocess
import sys

PROGRAM = """
import sys
before = set(sys.modules)
from recollect.session_log import Agent, Episode, Episodic, Session, SyncSession, assemble
new = {name.partition(".")[0] for name in set(sys.modules) - before}
foreign = {name for name in new if name not in sys.stdlib_module_names} - {"recollect"}
ours = {name for name in sys.modules if name.startswith("recollect.")}
ours = {name for name in ours if not name.startswith("recollect.session_log")}
print(sorted(foreign), sorted(ours))
"""


def test_importing_it_imports_no_package_and_nothing_else_of_the_project() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[] []"
