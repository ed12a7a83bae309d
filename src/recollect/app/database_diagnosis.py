"""What is wrong with a store on PostgreSQL, and how to fix it. The checks change nothing."""

from recollect.app import diagnosis
from recollect.app.diagnosis import Finding
from recollect.errors import StoreUnavailable
from recollect.graph.usage import NO_LIMITS, UsageLimits
from recollect.store.postgres import state
from recollect.store.postgres.state import VERSION_MIN, DatabaseState

_PAGE = "see docs/operating/postgresql.md"


def database(url: str, place: str, limits: UsageLimits = NO_LIMITS) -> list[Finding]:
    """Whether the database is reachable and suitable, its schema version, and its backlog."""
    try:
        with state.looking(url) as connection:
            found = state.state(connection)
            findings = [*_server(found, place), diagnosis.schema(found.schema, found.known)]
            if found.schema != found.known:
                return findings
            tx = state.transaction(connection)
            waiting = diagnosis.waiting(tx, served=found.connections > 0)
            return [*findings, *waiting, *diagnosis.quotas_spent(tx, limits)]
    except StoreUnavailable as error:
        mend = "check that it runs, the URL in RECOLLECT_STORE, the password and pg_hba.conf"
        return [Finding("database", "wrong", f"{place}: {error.message}", mend)]


def soundness(url: str) -> list[Finding]:
    """Whether all derived data is still supported by something.

    Connection errors are ignored here, because `database` reports them.
    """
    try:
        with state.looking(url) as connection:
            found = state.state(connection)
            if found.schema != found.known:
                return []
            with connection.transaction():
                return diagnosis.unsound(state.transaction(connection))
    except StoreUnavailable:
        return []


def _server(found: DatabaseState, place: str) -> list[Finding]:
    return [_version(found, place), _encoding(found), _way(found), _role(found), _users(found)]


def _version(found: DatabaseState, place: str) -> Finding:
    says = f"{place} is PostgreSQL {found.version}"
    if found.version < VERSION_MIN:
        mend = f"upgrade it to {VERSION_MIN} or later"
        return Finding("database", "wrong", f"{says}; {VERSION_MIN} is needed", mend)
    return Finding("database", "ok", says)


def _encoding(found: DatabaseState) -> Finding:
    if found.encoding != "UTF8":
        mend = "make the database anew with ENCODING 'UTF8' TEMPLATE template0, and copy into it"
        return Finding("encoding", "wrong", f"{found.encoding} cannot keep every text", mend)
    return Finding("encoding", "ok", found.encoding)


def _way(found: DatabaseState) -> Finding:
    if found.is_encrypted:
        return Finding("connection", "ok", "encrypted with TLS")
    if found.is_near:
        return Finding("connection", "ok", "stays on this machine")
    mend = f"add sslmode=verify-full to the URL; {_PAGE}"
    return Finding("connection", "warning", "crosses the network without TLS", mend)


def _role(found: DatabaseState) -> Finding:
    if found.sees_everything:
        says = f"{found.role} is a superuser or may bypass row-level security"
        mend = f"use a role of its own that owns nothing but this database; {_PAGE}"
        return Finding("role", "warning", says, mend)
    return Finding("role", "ok", found.role)


def _users(found: DatabaseState) -> Finding:
    return Finding("connections", "ok", f"{found.connections} others of recollect")
