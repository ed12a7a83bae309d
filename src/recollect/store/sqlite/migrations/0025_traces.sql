-- Agents: each has a standalone graph, whose caller's id and name are the agent's.
CREATE TABLE agents (
    graph_id INTEGER PRIMARY KEY REFERENCES graphs (id) ON DELETE CASCADE,
    security_domain TEXT NOT NULL,
    deployment_id TEXT,
    version TEXT,
    metadata TEXT,
    revision INTEGER NOT NULL DEFAULT 1
);

-- What agents did: each is a session log, whose metadata is the trace's. parent is the uuid of the
-- trace that it tries again, family that of the first one. task_uuid is that of the jobs of its turns.
CREATE TABLE traces (
    log_id INTEGER PRIMARY KEY REFERENCES session_logs (id) ON DELETE CASCADE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    trace_id TEXT,
    objective TEXT NOT NULL,
    task_family TEXT,
    parent TEXT,
    family TEXT NOT NULL,
    learn_from INTEGER NOT NULL DEFAULT 1,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed', 'abandoned')),
    outcome TEXT,
    verification TEXT,
    closing_sequence INTEGER,
    ended_at INTEGER,
    task_uuid TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    UNIQUE (graph_id, trace_id)
);
CREATE INDEX traces_by_agent ON traces (graph_id, log_id);

-- Which episodes of a trace's log are its events, under the caller's ids and in the caller's order. Of
-- one that was erased the place is kept, and its id as a hash, so that it is not told again.
CREATE TABLE trace_events (
    log_id INTEGER NOT NULL REFERENCES session_logs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    uuid TEXT NOT NULL UNIQUE,
    event_id TEXT,
    erased_id TEXT,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (log_id, number),
    UNIQUE (log_id, event_id),
    UNIQUE (log_id, sequence),
    CHECK ((event_id IS NULL) <> (erased_id IS NULL))
);
