-- Graphs, where whoever has one already is not waited for.

-- name: grow
UPDATE graphs SET last_seq = last_seq + :count
WHERE id = (SELECT id FROM graphs
            WHERE project_id = :project_id AND kind = :kind AND graph_id = :graph_id
            FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id, last_seq, CAST(NULL AS BIGINT) AS thread_key;

-- name: grow_by_thread
UPDATE graphs SET last_seq = last_seq + :count
WHERE id = (SELECT g.id FROM graphs g
            WHERE g.id = (SELECT graph_id FROM threads
                          WHERE project_id = :project_id AND thread_id = :thread_id)
            FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id, last_seq,
    (SELECT t.id FROM threads t WHERE t.project_id = :project_id AND t.thread_id = :thread_id) AS thread_key;
