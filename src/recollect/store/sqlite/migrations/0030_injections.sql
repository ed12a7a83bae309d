-- What went into a context that somebody was given: when, for which key, graph and thread, in which
-- form, and the question if that is kept. Old ones go by number and by age.
CREATE TABLE injections (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    thread_id INTEGER REFERENCES threads (id) ON DELETE CASCADE,
    key_uuid TEXT NOT NULL,
    at INTEGER NOT NULL,
    form TEXT NOT NULL,
    question TEXT
);
CREATE INDEX injections_by_project ON injections (project_id, id);
CREATE INDEX injections_by_graph ON injections (graph_id, id);
CREATE INDEX injections_by_thread ON injections (thread_id) WHERE thread_id IS NOT NULL;

-- The pieces of such a context in their order: lines that tell of something, by its kind and uuid, and
-- why they are there; and between them the words of the block itself, which have no kind.
CREATE TABLE injection_lines (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    injection_id INTEGER NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    kind TEXT,
    item_uuid TEXT,
    text TEXT NOT NULL,
    score REAL,
    reason TEXT,
    PRIMARY KEY (graph_id, injection_id, place)
);
CREATE INDEX injection_lines_by_injection ON injection_lines (injection_id);
