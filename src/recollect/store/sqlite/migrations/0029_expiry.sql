-- When episodes and facts cease to be known. At expires_at what it names is forgotten; told has what it
-- was, as JSON, and hidden_at since when, for the operator and for as long as the settings say.
CREATE TABLE expiries (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    uuid TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('episode', 'fact')),
    expires_at INTEGER NOT NULL,
    hidden_at INTEGER,
    told TEXT,
    PRIMARY KEY (graph_id, uuid)
) WITHOUT ROWID;
CREATE INDEX expiries_due ON expiries (expires_at) WHERE hidden_at IS NULL;
CREATE INDEX expiries_hidden ON expiries (hidden_at) WHERE hidden_at IS NOT NULL;
