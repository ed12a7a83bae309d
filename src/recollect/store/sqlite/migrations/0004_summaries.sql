-- What is derived from many facts at once: observations, summaries of threads and documents, and
-- what a language model wrote in their place.

CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    summary TEXT NOT NULL,
    label TEXT NOT NULL,
    start_at INTEGER,
    latest_evidence_at INTEGER,
    end_at INTEGER,
    created_at INTEGER NOT NULL,
    UNIQUE (entity_id, kind, key)
);
CREATE INDEX observations_by_graph ON observations (graph_id, uuid);

CREATE TABLE observation_facts (
    observation_id INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    PRIMARY KEY (observation_id, fact_id)
) WITHOUT ROWID;
CREATE INDEX observation_facts_by_fact ON observation_facts (fact_id);

CREATE TABLE summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    thread_id INTEGER REFERENCES threads (id) ON DELETE CASCADE,
    document_id TEXT,
    summary TEXT NOT NULL,
    written TEXT,
    written_count INTEGER NOT NULL DEFAULT 0,
    written_fact_id INTEGER NOT NULL DEFAULT 0,
    episode_count INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    covered_at INTEGER,
    CHECK ((thread_id IS NULL) <> (document_id IS NULL))
);
CREATE INDEX summaries_by_graph ON summaries (graph_id, uuid);
CREATE UNIQUE INDEX summaries_by_thread ON summaries (thread_id) WHERE thread_id IS NOT NULL;
CREATE UNIQUE INDEX summaries_by_document ON summaries (graph_id, document_id)
    WHERE document_id IS NOT NULL;
CREATE INDEX summaries_unwritten ON summaries (updated_at)
    WHERE thread_id IS NOT NULL AND episode_count >= written_count + 6;

CREATE TABLE summary_facts (
    summary_id INTEGER NOT NULL REFERENCES summaries (id) ON DELETE CASCADE,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    PRIMARY KEY (summary_id, fact_id)
) WITHOUT ROWID;
CREATE INDEX summary_facts_by_fact ON summary_facts (fact_id);

CREATE TABLE user_summaries (
    graph_id INTEGER PRIMARY KEY REFERENCES graphs (id) ON DELETE CASCADE,
    summary TEXT NOT NULL,
    basis TEXT NOT NULL,
    episode_count INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

CREATE INDEX facts_open_of_entity ON facts (source_id) WHERE invalid_at IS NULL;
