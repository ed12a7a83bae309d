-- Where projects want to be told what happened, and what they are owed.

-- name: insert
INSERT INTO webhooks (uuid, project_id, url, events, with_text, secret, created_at)
VALUES (:uuid, :project_id, :url, :events, :with_text, :secret, :now);

-- name: of_project
SELECT w.*,
    (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'waiting') AS waiting,
    (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'given_up') AS given_up
FROM webhooks w WHERE w.project_id = :project_id ORDER BY w.id;

-- name: by_uuid
SELECT w.*,
    (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'waiting') AS waiting,
    (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'given_up') AS given_up
FROM webhooks w WHERE w.uuid = :uuid AND w.project_id = :project_id;

-- name: of_graph
SELECT w.id, w.events, (
    SELECT count(*) FROM (SELECT 1 AS one FROM webhook_deliveries d
                          WHERE d.webhook_id = w.id AND d.state = 'waiting' LIMIT :waiting_max) AS counted) AS waiting
FROM graphs g JOIN webhooks w ON w.project_id = g.project_id
WHERE g.id = :graph_id AND w.off IS NULL ORDER BY w.id;

-- name: change
UPDATE webhooks SET url = :url, events = :events, with_text = :with_text, off = :off WHERE id = :id;

-- name: rotate
UPDATE webhooks SET secret = :secret, old_secret_until = :until,
    old_secret = CASE WHEN CAST(:until AS BIGINT) > CAST(:now AS BIGINT) THEN secret END
WHERE id = :id;

-- name: switch_off
UPDATE webhooks SET off = :reason WHERE id = :id;

-- name: miss
UPDATE webhooks SET missed = missed + :count WHERE id = :id;

-- name: delete
DELETE FROM webhooks WHERE id = :id;

-- name: episode_told
SELECT e.uuid, e.task_uuid, e.created_at, e.received_at, e.processed_at, t.thread_id AS thread_name,
    g.kind AS graph_kind, g.graph_id AS graph_name, j.attempts + j.lost AS attempts, j.completed_at
FROM episodes e JOIN graphs g ON g.id = e.graph_id
LEFT JOIN threads t ON t.id = e.thread_id LEFT JOIN jobs j ON j.id = e.id
WHERE e.uuid = :uuid;

-- name: fact_told
SELECT f.uuid, f.created_at, f.valid_at, f.invalid_at, f.expired_at, g.kind AS graph_kind,
    g.graph_id AS graph_name
FROM facts f JOIN graphs g ON g.id = f.graph_id WHERE f.uuid = :uuid;

-- name: owe
INSERT INTO webhook_deliveries (graph_id, uuid, webhook_id, event, episode_uuid, fact_uuid, data, state,
                                due_at, created_at)
VALUES (:graph_id, :uuid, :webhook_id, :event, :episode_uuid, :fact_uuid, :data, 'waiting', :now, :now);

-- name: withdraw
DELETE FROM webhook_deliveries WHERE graph_id = :graph_id AND (
    (episode_uuid IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM episodes e WHERE e.uuid = webhook_deliveries.episode_uuid))
    OR (fact_uuid IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM facts f WHERE f.uuid = webhook_deliveries.fact_uuid)));

-- name: due
SELECT w.id FROM webhooks w
WHERE w.off IS NULL AND EXISTS (
    SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'waiting'
      AND (d.due_at <= :now OR d.due_at > :beyond))
ORDER BY w.id;

-- name: next
SELECT d.graph_id, d.uuid, d.webhook_id, d.event, d.data, d.attempts, d.tries, d.created_at, w.url,
    w.secret, w.old_secret, w.old_secret_until,
    CASE WHEN w.with_text = 0 THEN NULL
         WHEN d.event = 'fact.closed' THEN (SELECT f.fact FROM facts f WHERE f.uuid = d.fact_uuid)
         WHEN d.event = 'job.parked' THEN (SELECT e.failure FROM episodes e WHERE e.uuid = d.episode_uuid)
         ELSE (SELECT e.content FROM episodes e WHERE e.uuid = d.episode_uuid) END AS text
FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
WHERE d.webhook_id = :webhook_id AND d.state = 'waiting' AND w.off IS NULL
  AND (d.due_at <= :now OR d.due_at > :beyond)
ORDER BY d.due_at, d.uuid LIMIT 1;

-- name: put_off
UPDATE webhook_deliveries SET due_at = :due_at WHERE graph_id = :graph_id AND uuid = :uuid;

-- name: tried
UPDATE webhook_deliveries SET state = :state, due_at = :due_at, attempts = :attempts, tries = :tries
WHERE graph_id = :graph_id AND uuid = :uuid;

-- name: prune
DELETE FROM webhook_deliveries WHERE webhook_id = :webhook_id AND state = :state AND uuid <= (
    SELECT d.uuid FROM webhook_deliveries d WHERE d.webhook_id = :webhook_id AND d.state = :state
    ORDER BY d.uuid DESC LIMIT 1 OFFSET :keep);

-- name: deliveries
SELECT d.uuid, d.event, d.data, d.state, d.due_at, d.attempts, d.tries, d.created_at
FROM webhook_deliveries d
WHERE d.webhook_id = :webhook_id AND (CAST(:state AS TEXT) IS NULL OR d.state = :state)
ORDER BY d.uuid DESC LIMIT :limit;

-- name: again
UPDATE webhook_deliveries SET state = 'waiting', due_at = :now, attempts = 0
WHERE webhook_id = :webhook_id AND uuid = :uuid;

-- name: states
SELECT w.uuid, w.off, w.missed, p.name AS project_name,
    (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'waiting') AS waiting,
    (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'given_up') AS given_up
FROM webhooks w JOIN projects p ON p.id = w.project_id ORDER BY w.id LIMIT :limit;
