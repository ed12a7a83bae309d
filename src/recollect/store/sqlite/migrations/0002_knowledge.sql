-- What extraction and reconciliation need: names to find entities by, relations to compare facts
-- by, spans, vectors, and how often a graph was changed by hand.

ALTER TABLE graphs ADD COLUMN edits INTEGER NOT NULL DEFAULT 0;

DROP INDEX episodes_by_thread;
CREATE INDEX episodes_by_thread ON episodes (thread_id, seq, kind) WHERE thread_id IS NOT NULL;

ALTER TABLE entities ADD COLUMN kind TEXT;
ALTER TABLE entities ADD COLUMN is_assistant INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entities ADD COLUMN names TEXT NOT NULL DEFAULT '[]';
CREATE INDEX entities_who ON entities (graph_id) WHERE is_user = 1 OR is_assistant = 1;

CREATE TABLE entity_names (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    PRIMARY KEY (graph_id, key, entity_id)
) WITHOUT ROWID;
CREATE INDEX entity_names_by_entity ON entity_names (entity_id);

ALTER TABLE facts ADD COLUMN predicate TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN gist TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN negated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN slot TEXT;
ALTER TABLE facts ADD COLUMN confidence REAL NOT NULL DEFAULT 1;
ALTER TABLE facts ADD COLUMN extractor TEXT;
DROP INDEX facts_by_source;
DROP INDEX facts_by_target;
CREATE INDEX facts_by_source ON facts (source_id, predicate, invalid_at);
CREATE INDEX facts_by_target ON facts (target_id, predicate, invalid_at);
CREATE INDEX facts_by_pair ON facts (source_id, target_id);
CREATE INDEX facts_by_gist ON facts (source_id, gist);
CREATE INDEX facts_by_slot ON facts (source_id, slot, invalid_at) WHERE slot IS NOT NULL;

ALTER TABLE supports ADD COLUMN role TEXT NOT NULL DEFAULT 'states';
ALTER TABLE supports ADD COLUMN span_start INTEGER;
ALTER TABLE supports ADD COLUMN span_end INTEGER;

ALTER TABLE index_rows ADD COLUMN vector BLOB;

DROP VIEW fact_told;
CREATE VIEW fact_told AS
SELECT f.*, s.uuid AS source_uuid, s.name AS source_name, s.labels AS source_labels,
    d.uuid AS target_uuid, d.name AS target_name, d.labels AS target_labels,
    (SELECT json_group_array(uuid) FROM
        (SELECT e.uuid FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND e.kind NOT IN ('fact_triple', 'nodes')
         ORDER BY e.seq)) AS episodes
FROM facts f JOIN entities s ON s.id = f.source_id JOIN entities d ON d.id = f.target_id;
