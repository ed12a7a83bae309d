"""Invariants of a store after every step, checked on its rows alone."""

from collections.abc import Collection
from pathlib import Path

from tests.support.stores import ON_POSTGRES, behind

# Each query finds rows that must not exist.
FORBIDDEN = {
    "a pending episode without exactly one job": """
        SELECT e.id FROM episodes e WHERE e.processed_at IS NULL
        AND (SELECT count(*) FROM jobs j WHERE j.id = e.id) <> 1""",
    "an ignored episode with a job": """
        SELECT e.id FROM episodes e JOIN jobs j ON j.id = e.id WHERE e.ignored = 1""",
    "an ignored message that outlived its thread": """
        SELECT id FROM episodes WHERE ignored = 1 AND thread_id IS NULL""",
    "a processed episode whose job is not done": """
        SELECT e.id FROM episodes e JOIN jobs j ON j.id = e.id
        WHERE e.processed_at IS NOT NULL AND j.status <> 'succeeded'""",
    "a job that is done although its episode is not": """
        SELECT j.id FROM jobs j JOIN episodes e ON e.id = j.id
        WHERE j.status = 'succeeded' AND e.processed_at IS NULL""",
    "a job in another graph than its episode": """
        SELECT j.id FROM jobs j JOIN episodes e ON e.id = j.id
        WHERE e.graph_id <> j.graph_id""",
    "a pending job whose graph is not in the queue": """
        SELECT j.id FROM jobs j WHERE j.status = 'pending'
        AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.graph_id = j.graph_id)""",
    "an episode beyond the last sequence number": """
        SELECT e.id FROM episodes e JOIN graphs g ON g.id = e.graph_id
        WHERE e.seq > g.last_seq OR e.seq < 1""",
    "an episode whose number and age disagree": """
        SELECT e.id FROM episodes e JOIN episodes f ON f.graph_id = e.graph_id
        WHERE e.seq < f.seq AND (e.id > f.id OR e.received_at > f.received_at)""",
    "a message in another graph than its thread": """
        SELECT e.id FROM episodes e JOIN threads t ON t.id = e.thread_id
        WHERE t.graph_id <> e.graph_id""",
    "an index row beyond the version of its graph": """
        SELECT i.graph_id FROM index_rows i JOIN graphs g ON g.id = i.graph_id
        WHERE i.version > g.index_version OR i.version < 1""",
    "an index row with terms but without an episode that was processed, or parked once": """
        SELECT i.item_id FROM index_rows i
        WHERE i.terms IS NOT NULL AND i.item_kind = 'episode' AND NOT EXISTS
        (SELECT 1 FROM episodes e WHERE e.id = i.item_id AND e.graph_id = i.graph_id
         AND (e.processed_at IS NOT NULL
              OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = e.id AND (j.status = 'parked'
                         OR j.status = 'pending' AND j.error IS NOT NULL)))
         AND (e.ignored = 0 OR length(i.terms) = 0))""",
    "an index row of something that is gone": """
        SELECT i.item_kind, i.item_id FROM index_rows i
        WHERE i.terms IS NOT NULL AND i.item_kind <> 'episode' AND NOT EXISTS
        (SELECT 1 FROM facts f WHERE i.item_kind = 'fact' AND f.id = i.item_id
         AND f.graph_id = i.graph_id)
        AND NOT EXISTS
        (SELECT 1 FROM entities n WHERE i.item_kind = 'entity' AND n.id = i.item_id
         AND n.graph_id = i.graph_id)
        AND NOT EXISTS
        (SELECT 1 FROM observations o WHERE i.item_kind = 'observation' AND o.id = i.item_id
         AND o.graph_id = i.graph_id)
        AND NOT EXISTS
        (SELECT 1 FROM summaries s WHERE i.item_kind = 'thread_summary' AND s.id = i.item_id
         AND s.graph_id = i.graph_id)""",
    "a vector of something gone": """
        SELECT item_id FROM index_rows WHERE terms IS NULL AND vector IS NOT NULL""",
    "a fact that was read and is not in the index": """
        SELECT f.id FROM facts f WHERE f.extractor = 'scripted' AND NOT EXISTS
        (SELECT 1 FROM index_rows i WHERE i.item_id = f.id AND i.graph_id = f.graph_id
         AND i.item_kind = 'fact' AND i.terms IS NOT NULL AND i.vector IS NOT NULL)""",
    "a fact that a record tells and that is not in the index": """
        SELECT f.id FROM facts f WHERE f.extractor IS NULL AND NOT EXISTS
        (SELECT 1 FROM index_rows i WHERE i.item_id = f.id AND i.graph_id = f.graph_id
         AND i.item_kind = 'fact' AND i.terms IS NOT NULL)""",
    "a user's node or an entity that was read and is not in the index": """
        SELECT n.id FROM entities n WHERE (n.is_user = 1 OR n.kind IS NOT NULL) AND NOT EXISTS
        (SELECT 1 FROM index_rows i WHERE i.item_id = n.id AND i.graph_id = n.graph_id
         AND i.item_kind = 'entity' AND i.terms IS NOT NULL)""",
    "a name in another graph than its entity": """
        SELECT k.entity_id FROM entity_names k LEFT JOIN entities n ON n.id = k.entity_id
        WHERE n.graph_id IS NOT k.graph_id""",
    "an entity that was read and answers to nothing": """
        SELECT n.id FROM entities n WHERE n.kind IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM entity_names k WHERE k.entity_id = n.id)""",
    # Facts that began at exactly the same time both stay open.
    "two open facts of a relation that has room for one": """
        SELECT f.source_id FROM facts f WHERE f.predicate = 'LIVES_IN' AND f.invalid_at IS NULL
        GROUP BY f.source_id HAVING count(DISTINCT f.valid_at) > 1""",
    "a processed episode that is not in the index": """
        SELECT e.id FROM episodes e WHERE e.processed_at IS NOT NULL AND e.ignored = 0
        AND NOT EXISTS (SELECT 1 FROM index_rows i WHERE i.item_kind = 'episode'
                        AND i.item_id = e.id AND i.graph_id = e.graph_id AND i.terms IS NOT NULL)""",
    "a user's graph without its user": """
        SELECT g.id FROM graphs g WHERE g.kind = 'user'
        AND NOT EXISTS (SELECT 1 FROM users u WHERE u.graph_id = g.id)""",
    "a user in another project than the graph": """
        SELECT u.id FROM users u JOIN graphs g ON g.id = u.graph_id
        WHERE g.project_id <> u.project_id OR g.kind <> 'user' OR g.graph_id <> u.user_id""",
    "a thread in another project or graph than its user": """
        SELECT t.id FROM threads t JOIN users u ON u.id = t.user_id
        WHERE t.project_id <> u.project_id OR t.graph_id <> u.graph_id""",
    "a user without exactly one own node": """
        SELECT u.id FROM users u WHERE (SELECT count(*) FROM entities n WHERE n.is_user = 1
        AND n.graph_id = u.graph_id AND n.uuid = u.entity_uuid) <> 1""",
    "a node of nobody": """
        SELECT n.id FROM entities n WHERE n.is_user = 1
        AND NOT EXISTS (SELECT 1 FROM users u WHERE u.entity_uuid = n.uuid)""",
    "a fact whose ends are in another graph": """
        SELECT f.id FROM facts f JOIN entities s ON s.id = f.source_id
        JOIN entities d ON d.id = f.target_id
        WHERE s.graph_id <> f.graph_id OR d.graph_id <> f.graph_id""",
    "a support across graphs": """
        SELECT f.id FROM supports p JOIN facts f ON f.id = p.fact_id
        JOIN episodes e ON e.id = p.episode_id WHERE e.graph_id <> f.graph_id""",
    "a mention across graphs": """
        SELECT n.id FROM mentions m JOIN entities n ON n.id = m.entity_id
        JOIN episodes e ON e.id = m.episode_id WHERE e.graph_id <> n.graph_id""",
    "a fact that ends before it begins": """
        SELECT id FROM facts WHERE invalid_at < valid_at OR expired_at < created_at""",
    "an entity or a fact that rests on nothing": """
        SELECT n.id FROM entities n WHERE n.is_user = 0
        AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = n.id)
        AND NOT EXISTS (SELECT 1 FROM facts f WHERE n.id IN (f.source_id, f.target_id))
        UNION ALL SELECT f.id FROM facts f WHERE f.extractor IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = f.id)""",
    "a lease without an end": """
        SELECT graph_id FROM queue WHERE (lease IS NULL) <> (lease_until = 0)""",
    "two open profile facts of one name": """
        SELECT source_id FROM facts WHERE name LIKE 'HAS_%' AND expired_at IS NULL
        GROUP BY source_id, name HAVING count(*) > 1""",
}
IDLE_IN_QUEUE = """
    SELECT q.graph_id FROM queue q WHERE q.lease IS NULL AND NOT EXISTS
    (SELECT 1 FROM jobs j WHERE j.graph_id = q.graph_id AND j.status = 'pending')"""


def check(folder: Path, *, but: Collection[str] = ()) -> None:
    """Check the committed rows; raise on the first violation.

    *but*: invariants that may be violated, because someone did so by hand.
    """
    with behind(folder) as connection:
        for what, query in FORBIDDEN.items():
            if what in but:
                continue
            found = connection.execute(query).fetchall()
            assert found == [], f"{what}: {found}"
        if not ON_POSTGRES:  # which always enforces them
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def check_idle(folder: Path) -> None:
    """Check, after workers are idle, that the queue holds only graphs with pending jobs."""
    with behind(folder) as connection:
        assert connection.execute(IDLE_IN_QUEUE).fetchall() == []


def check_file(folder: Path) -> None:
    """Check the integrity of the file, if the store has one."""
    if ON_POSTGRES:
        return
    with behind(folder) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
