-- Values under keys, as a store of an agent framework keeps them: an item is the newest episode of the document that bears its key.

-- name: newest
SELECT * FROM episodes WHERE graph_id = :graph_id AND document_id = :key
ORDER BY seq DESC LIMIT 1;

-- name: of_graph
SELECT e.* FROM episodes e
WHERE e.graph_id = :graph_id AND e.document_id IS NOT NULL
  AND e.seq = (SELECT max(l.seq) FROM episodes l
               WHERE l.graph_id = e.graph_id AND l.document_id = e.document_id)
ORDER BY e.seq;

-- name: by_uuids
SELECT * FROM episodes
WHERE uuid IN (SELECT value FROM json_each(:uuids)) AND document_id IS NOT NULL;

-- name: graphs
SELECT g.id, g.graph_id FROM graphs g
WHERE g.project_id = :project_id AND g.kind = 'standalone'
  AND g.graph_id >= :first AND g.graph_id < :last
  AND EXISTS (SELECT 1 FROM episodes e WHERE e.graph_id = g.id AND e.document_id IS NOT NULL)
ORDER BY g.graph_id;
