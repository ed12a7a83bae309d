-- Readings are kept, and the graph is a fold over them.

-- What a reader found in the episode at one place of a log: found is JSON, vectors are those of its
-- facts one behind the other. read_at is when it was read. A place whose episode was deleted, though
-- not forgotten, keeps in remains what it takes to fold what others still stand behind.
CREATE TABLE readings (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE,
    reader TEXT NOT NULL,
    found TEXT NOT NULL,
    vectors BLOB,
    read_at INTEGER NOT NULL,
    remains TEXT,
    PRIMARY KEY (graph_id, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX readings_by_episode ON readings (episode_id) WHERE episode_id IS NOT NULL;

-- What was changed by hand, after the place seq of the log. subject is the uuid of a fact or an
-- entity; mark tells whether it still is the one that was meant. near is an entity among whose facts
-- it is looked for if not.
CREATE TABLE edits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    near TEXT,
    mark TEXT NOT NULL,
    change TEXT,
    vector BLOB,
    at INTEGER NOT NULL
);
CREATE INDEX edits_by_graph ON edits (graph_id, seq, id);
CREATE INDEX edits_by_subject ON edits (subject);

-- Episodes that are to be read again: by whom and since when, who is at it, and the facts and entities
-- that were shown to whoever is. ready_at is when the next try is due. A parked one waits for someone
-- to look. The reading that an episode has meanwhile counts.
CREATE TABLE rereadings (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    reader TEXT NOT NULL CHECK (reader IN ('embedded', 'model', 'agent')),
    status TEXT NOT NULL CHECK (status IN ('waiting', 'parked')),
    reason TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    ready_at INTEGER NOT NULL,
    lease TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    shown TEXT,
    created_at INTEGER NOT NULL
);
CREATE INDEX rereadings_due ON rereadings (reader, ready_at) WHERE status = 'waiting';
CREATE INDEX rereadings_by_graph ON rereadings (graph_id, episode_id);

-- folded is the last place of the log that the graph knows. fold_from, if there is one, is the first
-- place from which it has to be folded again; inputs counts the changes that made it so, changes all
-- that were made to what is known already. distance is how far the uuids of a copy are from those that
-- its readings speak of. edits counts what was changed by hand before that was written down.
ALTER TABLE graphs ADD COLUMN folded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE graphs ADD COLUMN fold_from INTEGER;
ALTER TABLE graphs ADD COLUMN inputs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE graphs ADD COLUMN distance INTEGER NOT NULL DEFAULT 0;
ALTER TABLE graphs ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
CREATE INDEX graphs_to_fold ON graphs (id) WHERE fold_from IS NOT NULL;
UPDATE graphs SET folded = coalesce(
    (SELECT max(e.seq) FROM episodes e WHERE e.graph_id = graphs.id AND e.processed_at IS NOT NULL), 0);

-- When something happens or is due, where that is another time than since when it is so. What may not
-- close a fact again: marks, in JSON, of those whose closing was taken back by hand.
ALTER TABLE facts ADD COLUMN event_at INTEGER;
ALTER TABLE facts ADD COLUMN kept_against TEXT;

-- On whose word a fact ended, and how sure that was.
ALTER TABLE closings ADD COLUMN judge TEXT;
ALTER TABLE closings ADD COLUMN sure REAL;
