-- When episodes and facts cease to be known. At expires_at what it names is forgotten; told has what it
-- was, as JSON, and hidden_at since when, for the operator and for as long as the settings say.
CREATE TABLE expiries (
    graph_id BIGINT NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    uuid TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('episode', 'fact')),
    expires_at BIGINT NOT NULL,
    hidden_at BIGINT,
    told TEXT COLLATE "C",
    PRIMARY KEY (graph_id, uuid)
);
CREATE INDEX expiries_due ON expiries (expires_at) WHERE hidden_at IS NULL;
CREATE INDEX expiries_hidden ON expiries (hidden_at) WHERE hidden_at IS NOT NULL;

-- The second wall between projects (0002_walls.sql) stands around it, too.
ALTER TABLE expiries ENABLE ROW LEVEL SECURITY;
ALTER TABLE expiries FORCE ROW LEVEL SECURITY;
CREATE POLICY walls ON expiries USING (is_of_all() OR EXISTS
    (SELECT 1 FROM graphs above WHERE above.id = expiries.graph_id));
