-- When episodes and facts cease to be known.

-- name: put
INSERT INTO expiries (graph_id, uuid, kind, expires_at, because)
VALUES (:graph_id, :uuid, :kind, :expires_at, :because)
ON CONFLICT (graph_id, uuid) DO UPDATE SET expires_at = excluded.expires_at, because = excluded.because;

-- name: put_of_type
INSERT INTO expiries (graph_id, uuid, kind, expires_at, because)
VALUES (:graph_id, :uuid, 'fact', :expires_at, :because)
ON CONFLICT (graph_id, uuid) DO UPDATE SET expires_at = excluded.expires_at, because = excluded.because
WHERE expiries.hidden_at IS NULL AND json_extract(expiries.because, '$.kind') = 'type';

-- name: drop
DELETE FROM expiries WHERE graph_id = :graph_id AND uuid = :uuid;

-- name: of_thing
SELECT expires_at, because FROM expiries WHERE graph_id = :graph_id AND uuid = :uuid AND hidden_at IS NULL;

-- name: drop_unsaid
DELETE FROM expiries WHERE graph_id = :graph_id AND hidden_at IS NOT NULL AND kind = 'fact'
  AND EXISTS (SELECT 1 FROM json_each(json_extract(told, '$.episodes')))
  AND NOT EXISTS (SELECT 1 FROM json_each(json_extract(told, '$.episodes')) said
                  WHERE EXISTS (SELECT 1 FROM episodes e
                                WHERE e.uuid = said.value AND +e.graph_id = :graph_id)
                     OR EXISTS (SELECT 1 FROM expiries x
                                WHERE x.graph_id = :graph_id AND x.uuid = said.value));

-- name: withdraw
DELETE FROM expiries WHERE graph_id = :graph_id AND hidden_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM episodes e WHERE e.uuid = expiries.uuid)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.uuid = expiries.uuid);

-- name: due
SELECT x.graph_id, x.uuid, x.kind, x.expires_at, x.because, g.project_id, p.uuid AS project_uuid
FROM expiries x JOIN graphs g ON g.id = x.graph_id JOIN projects p ON p.id = g.project_id
WHERE x.hidden_at IS NULL AND x.expires_at <= :now ORDER BY x.expires_at, x.uuid LIMIT 1;

-- name: due_in
SELECT x.graph_id, x.uuid, x.kind, x.expires_at, x.because, g.project_id, p.uuid AS project_uuid
FROM expiries x JOIN graphs g ON g.id = x.graph_id JOIN projects p ON p.id = g.project_id
WHERE x.hidden_at IS NULL AND x.expires_at <= :now AND g.project_id = :project_id
ORDER BY x.expires_at, x.uuid LIMIT 1;

-- name: hide
INSERT INTO expiries (graph_id, uuid, kind, expires_at, hidden_at, told, because)
VALUES (:graph_id, :uuid, :kind, :expires_at, :now, :told, :because)
ON CONFLICT (graph_id, uuid) DO UPDATE SET expires_at = excluded.expires_at,
    hidden_at = excluded.hidden_at, told = excluded.told, because = excluded.because;

-- name: hidden
SELECT x.uuid, x.kind, x.expires_at, x.hidden_at, x.told, x.because, g.kind AS graph_kind,
    g.graph_id AS graph_name
FROM expiries x JOIN graphs g ON g.id = x.graph_id
WHERE g.project_id = :project_id AND x.hidden_at IS NOT NULL
ORDER BY x.hidden_at DESC, x.uuid DESC LIMIT :limit;

-- name: hidden_thing
SELECT x.uuid, x.kind, x.expires_at, x.hidden_at, x.told, x.because, g.kind AS graph_kind,
    g.graph_id AS graph_name
FROM graphs g JOIN expiries x ON x.graph_id = g.id AND x.uuid = :uuid
WHERE g.project_id = :project_id AND x.hidden_at IS NOT NULL;

-- name: forget
DELETE FROM expiries WHERE hidden_at <= :before;

-- name: oldest_hidden
SELECT hidden_at FROM expiries WHERE hidden_at IS NOT NULL ORDER BY hidden_at LIMIT 1;

-- name: forget_thread
DELETE FROM expiries WHERE graph_id = :graph_id AND hidden_at IS NOT NULL
  AND json_extract(told, '$.thread_id') = :thread_id;
