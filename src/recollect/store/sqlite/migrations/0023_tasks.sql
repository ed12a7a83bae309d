-- What callers poll, whoever asked for it. What stands for episodes is as far as their jobs are; what
-- erased something has the uuid of its receipt, and is done when the files are wiped; anything else
-- was done when it was written down.
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    graph_id INTEGER REFERENCES graphs (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    owed INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
);
CREATE INDEX tasks_by_project ON tasks (project_id, id);
CREATE INDEX tasks_by_graph ON tasks (graph_id) WHERE graph_id IS NOT NULL;

INSERT INTO tasks (uuid, project_id, graph_id, type, owed, created_at)
SELECT uuid, project_id, graph_id, type, owed, created_at FROM (
    SELECT j.task_uuid AS uuid, min(g.project_id) AS project_id,
        CASE WHEN b.id IS NULL THEN min(j.graph_id) END AS graph_id,
        CASE
            WHEN b.id IS NOT NULL THEN 'batch.process'
            WHEN max(e.kind) = 'nodes' THEN 'graph.add_nodes'
            WHEN min(e.kind) = 'fact_triple' THEN 'graph.edge.add'
            WHEN max(e.thread_id) IS NOT NULL THEN 'thread.add_messages'
            ELSE 'graph.add'
        END AS type, count(*) AS owed, min(j.created_at) AS created_at
    FROM jobs j JOIN episodes e ON e.id = j.id JOIN graphs g ON g.id = j.graph_id
    LEFT JOIN batches b ON b.uuid = j.task_uuid
    GROUP BY j.task_uuid
    UNION ALL
    SELECT uuid, project_id, NULL, CASE kind
            WHEN 'user' THEN 'user.delete' WHEN 'thread' THEN 'thread.delete'
            WHEN 'graph' THEN 'graph.delete' ELSE 'graph.episode.delete'
        END, 0, at
    FROM erasures WHERE kind <> 'session_log'
) ORDER BY created_at;
