-- Where a project wants to be told what happened. events: which kinds of it, as JSON; with_text: whether
-- in words, too. The secret signs what is sent, so it cannot be kept as a hash only. off: why nothing is
-- sent for now; missed: how many deliveries were never written because too many waited.
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    with_text INTEGER NOT NULL DEFAULT 0,
    secret TEXT NOT NULL,
    off TEXT,
    missed INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
);
CREATE INDEX webhooks_by_project ON webhooks (project_id);

-- What webhooks are owed, and for a while what became of it: written with what it tells of, in ids and
-- times only. It goes with the episode and the fact that it names. due_at: when to try next; attempts:
-- how often it failed since it was owed; tries: the last of them, as JSON.
CREATE TABLE webhook_deliveries (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    uuid TEXT NOT NULL,
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event TEXT NOT NULL,
    episode_uuid TEXT,
    fact_uuid TEXT,
    data TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given_up')),
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    tries TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL,
    PRIMARY KEY (graph_id, uuid)
) WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, uuid);
