-- Search: every item has an index row, keyed by its row id; terms are packed; a graph that is
-- learned anew begins a new epoch of its index.

ALTER TABLE graphs ADD COLUMN index_epoch INTEGER NOT NULL DEFAULT 0;

ALTER TABLE index_rows RENAME TO index_rows_before;

CREATE TABLE index_rows (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    item_kind TEXT NOT NULL,
    item_id INTEGER NOT NULL,
    terms BLOB,
    vector BLOB,
    PRIMARY KEY (graph_id, version)
) WITHOUT ROWID;

-- Texts are looked up row by row: sorting must not hold all of them in memory.
INSERT INTO index_rows (graph_id, version, item_kind, item_id, terms, vector)
SELECT graph_id, row_number() OVER (PARTITION BY graph_id ORDER BY kind, id), kind, id,
    packed_terms(CASE kind
        WHEN 'fact' THEN (SELECT fact FROM facts f WHERE f.id = i.id)
        WHEN 'entity' THEN (SELECT name || ' ' || summary FROM entities n WHERE n.id = i.id)
        ELSE (SELECT CASE WHEN e.kind IN ('fact_triple', 'nodes') THEN '' ELSE e.content END
              FROM episodes e WHERE e.id = i.id) END),
    (SELECT vector FROM index_rows_before b WHERE b.graph_id = i.graph_id AND b.item_uuid = i.uuid)
FROM (
    SELECT graph_id, 'fact' AS kind, id, uuid FROM facts
    UNION ALL
    SELECT graph_id, 'entity', id, uuid FROM entities
    UNION ALL
    SELECT graph_id, 'episode', id, uuid FROM episodes
    WHERE processed_at IS NOT NULL AND ignored = 0
) i;

CREATE TABLE index_snapshots (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    chunk INTEGER NOT NULL,
    version INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (graph_id, chunk)
);

DROP TABLE index_rows_before;
CREATE UNIQUE INDEX index_rows_by_item ON index_rows (graph_id, item_kind, item_id);

UPDATE graphs SET index_epoch = 1,
    index_version = (SELECT coalesce(max(version), 0) FROM index_rows WHERE graph_id = graphs.id);
