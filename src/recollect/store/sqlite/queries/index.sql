-- The rows that search segments are built from.

-- name: index_row_insert
INSERT INTO index_rows (graph_id, version, item_kind, item_uuid, terms)
VALUES (:graph_id, :version, :item_kind, :item_uuid, :terms)
ON CONFLICT (graph_id, item_uuid) DO UPDATE SET version = excluded.version, terms = excluded.terms;

-- name: index_rows_since
SELECT version, item_kind, item_uuid, terms FROM index_rows
WHERE graph_id = :graph_id AND version > :version ORDER BY version;
