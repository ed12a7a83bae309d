-- The rows that search segments are built from.

-- name: index_row_insert
INSERT INTO index_rows (graph_id, version, item_kind, item_uuid, terms, vector)
VALUES (:graph_id, :version, :item_kind, :item_uuid, :terms, :vector)
ON CONFLICT (graph_id, item_uuid) DO UPDATE
SET version = excluded.version, terms = excluded.terms, vector = excluded.vector;

-- name: index_rows_since
-- A page of them, a few megabytes at most; whoever wants all asks again from the last version on.
SELECT version, item_kind, item_uuid, terms FROM index_rows
WHERE graph_id = :graph_id AND version > :version ORDER BY version LIMIT 500;

-- name: index_items_among
-- By the item, which SQLite would not choose by itself: a graph may have very many rows.
SELECT item_uuid FROM index_rows INDEXED BY index_rows_by_item
WHERE graph_id = :graph_id AND item_uuid IN (SELECT value FROM json_each(:uuids))
  AND terms IS NOT NULL;
