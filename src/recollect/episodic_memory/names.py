"""How MemMachine's organisations and projects map to graphs.

A project of an organisation is the standalone graph `org.project`; in the default organisation it
is the graph `project`. Users' graphs are the projects of an organisation of their own, named by
user id.
"""

import unicodedata

from recollect.errors import InvalidInput, NotFound
from recollect.graph.types import Access, Graph, GraphKind, Record
from recollect.limits import ID_CHARS_MAX
from recollect.records import graphs
from recollect.store.protocol import Transaction

DEFAULT_ID = "universal"
USERS_ORG = "recollect:users"
_SEPARATOR = "."  # ids of these clients never contain it, so the parts can be separated
_MARKS = frozenset("_:-")


class Name(Record):
    """The kind of a graph, and its id among that kind."""

    kind: GraphKind
    id: str


def is_plain(value: str) -> bool:
    """Whether an id consists of letters, digits and the three marks that these clients allow."""
    return bool(value) and all(c in _MARKS or unicodedata.category(c)[0] in "LN" for c in value)


def check(org_id: str, project_id: str) -> None:
    """Refuse ids that no MemMachine client could send."""
    for field, value in (("org_id", org_id), ("project_id", project_id)):
        if not value:
            raise InvalidInput(f"{field}: must not be empty")
        if len(value) > ID_CHARS_MAX:
            raise InvalidInput(f"{field}: at most {ID_CHARS_MAX} characters, got {len(value)}")
        if not is_plain(value):
            raise InvalidInput(f"{field}: only letters, digits, '_', '-' and ':' are allowed")


def graph_of(org_id: str, project_id: str) -> Name:
    """The graph of a project."""
    if org_id == USERS_ORG:
        return Name(kind="user", id=project_id)
    if org_id == DEFAULT_ID:
        return Name(kind="standalone", id=project_id)
    return Name(kind="standalone", id=f"{org_id}{_SEPARATOR}{project_id}")


def project_of(kind: GraphKind, graph_id: str) -> tuple[str, str] | None:
    """The organisation and project that name a graph; None if no such ids can."""
    if kind == "user":
        return (USERS_ORG, graph_id) if is_plain(graph_id) else None
    org_id, separator, project_id = graph_id.rpartition(_SEPARATOR)
    found = (org_id if separator else DEFAULT_ID, project_id)
    whole = all(map(is_plain, found)) and graph_of(*found) == Name(kind=kind, id=graph_id)
    return found if whole else None


def session_key(org_id: str, project_id: str) -> str:
    """The key by which episodes name their project."""
    return f"{org_id}/{project_id}"


def of_session(key: str) -> tuple[str, str]:
    """The organisation and project of a session key; refuses anything else."""
    parts = key.split("/")
    if len(parts) != 2:
        raise InvalidInput("session_key: must be an organisation and a project: acme/support")
    check(*parts)
    return parts[0], parts[1]


def find(tx: Transaction, access: Access, org_id: str, project_id: str) -> Graph:
    """The graph of a project; raises NotFound if there is none."""
    check(org_id, project_id)
    named = graph_of(org_id, project_id)
    found = graphs.find(tx, access, named.kind, named.id)
    if found is None:
        raise NotFound(f"project not found: {session_key(org_id, project_id)}")
    return found
