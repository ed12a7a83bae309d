-- Session logs: what agents run on, append-only, and open turns, which may still be dropped.

-- last_number is the highest id given so far. feeds: whether what is said from now on becomes part
-- of the graph of the user that the session is bound to.
CREATE TABLE session_logs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
    feeds INTEGER NOT NULL DEFAULT 0,
    metadata TEXT,
    context TEXT,
    last_number INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, session_id)
);
CREATE INDEX session_logs_by_user ON session_logs (user_id, session_id) WHERE user_id IS NOT NULL;

-- What is committed. meta and payload are JSON as it was written; turn_id is that of meta.
CREATE TABLE session_log_episodes (
    id INTEGER PRIMARY KEY,
    log_id INTEGER NOT NULL REFERENCES session_logs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('item', 'boundary', 'meta')),
    turn_id TEXT,
    meta TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (log_id, number)
);
CREATE INDEX session_log_episodes_by_turn ON session_log_episodes (log_id, turn_id, number)
    WHERE turn_id IS NOT NULL;

CREATE TRIGGER session_log_episodes_stay BEFORE UPDATE ON session_log_episodes
BEGIN
    SELECT RAISE(ABORT, 'a session log is only appended to');
END;

-- Which episode of a graph came from which episode of a log. A long one comes in several parts.
CREATE TABLE session_log_fed (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    log_episode_id INTEGER NOT NULL REFERENCES session_log_episodes (id) ON DELETE CASCADE
);
CREATE INDEX session_log_fed_by_log ON session_log_fed (log_episode_id);

-- Turns that are neither merged nor dropped. forked_at is what the log was at, last_number what
-- the turn is at; owner is the process that opened it and without which it does not go on.
CREATE TABLE session_log_turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    log_id INTEGER NOT NULL REFERENCES session_logs (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    forked_at INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (log_id, turn_id)
);

CREATE TABLE session_log_working (
    id INTEGER PRIMARY KEY,
    turn_key INTEGER NOT NULL REFERENCES session_log_turns (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('item', 'boundary', 'meta')),
    meta TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (turn_key, number)
);
