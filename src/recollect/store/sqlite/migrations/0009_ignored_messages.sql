-- What messages of ignored roles carry counts for the summary of their thread, though no search
-- finds them: from now on they are known to the index, and those that are there already become so.
INSERT INTO index_rows (graph_id, version, item_kind, item_id, terms)
SELECT e.graph_id, g.index_version + row_number() OVER (PARTITION BY e.graph_id ORDER BY e.id),
    'episode', e.id, x''
FROM episodes e JOIN graphs g ON g.id = e.graph_id
WHERE e.ignored = 1 AND NOT EXISTS (SELECT 1 FROM index_rows r WHERE r.graph_id = e.graph_id
                                    AND r.item_kind = 'episode' AND r.item_id = e.id);
UPDATE graphs
SET index_version = max(index_version, coalesce(
    (SELECT max(r.version) FROM index_rows r WHERE r.graph_id = graphs.id), 0))
WHERE id IN (SELECT graph_id FROM episodes WHERE ignored = 1);
