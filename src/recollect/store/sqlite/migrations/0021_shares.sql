-- Projects take turns, and no wait depends on what a clock says later: the queue is made anew.
ALTER TABLE queue RENAME TO queue_before;
DROP INDEX queue_by_ready;
DROP INDEX queue_held;

-- One row while a graph has pending jobs. place: the order in which graphs came, which no clock can
-- turn round. wait_until: before that its next job is not tried again; pauses: how often in a row
-- something outside of its jobs kept them from being done, and reason: what. lease: who holds it,
-- and alone whether nobody else may work meanwhile. project_id is that of the graph.
CREATE TABLE queue (
    graph_id INTEGER PRIMARY KEY REFERENCES graphs (id) ON DELETE CASCADE,
    project_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    wait_until INTEGER NOT NULL DEFAULT 0,
    pauses INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    lease TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    alone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX queue_by_project ON queue (project_id, place);
CREATE INDEX queue_by_place ON queue (place);
CREATE INDEX queue_held ON queue (lease_until) WHERE lease IS NOT NULL;

-- What each project had of the workers. used grows with what is done for it, the slower the greater
-- its weight; whoever used least is next. begun: where it stood when its last turn began, so that
-- nobody saves up turns by being idle.
CREATE TABLE shares (
    project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    weight REAL NOT NULL DEFAULT 1,
    begun REAL NOT NULL DEFAULT 0,
    used REAL NOT NULL DEFAULT 0
);
CREATE INDEX shares_by_begun ON shares (begun);

INSERT INTO queue (graph_id, project_id, place, wait_until, lease, lease_until, alone)
SELECT q.graph_id, g.project_id, row_number() OVER (ORDER BY q.ready_at, q.graph_id), q.ready_at,
    q.lease, q.lease_until, q.alone
FROM queue_before q JOIN graphs g ON g.id = q.graph_id;
DROP TABLE queue_before;
