-- Answers to writes that came with an idempotency key: whoever sends one again is told the same, and
-- nothing is done twice. Kept for a day; without its words as soon as something of its graph is erased.
CREATE TABLE kept_answers (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key_uuid TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request TEXT NOT NULL,
    graph_id INTEGER REFERENCES graphs (id) ON DELETE SET NULL,
    answer BLOB,
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, key_uuid, idempotency_key)
);
CREATE INDEX kept_answers_by_age ON kept_answers (created_at);
CREATE INDEX kept_answers_by_graph ON kept_answers (graph_id) WHERE graph_id IS NOT NULL;
