-- Session logs: append-only episodes, and turns that are still open.

-- name: insert
INSERT INTO session_logs
    (uuid, project_id, session_id, user_id, feeds, metadata, context, created_at, updated_at)
VALUES (:uuid, :project_id, :session_id, :user_id, :feeds, :metadata, :context, :now, :now);

-- name: by_name
SELECT l.*, u.user_id AS user_name, u.graph_id
FROM session_logs l LEFT JOIN users u ON u.id = l.user_id
WHERE l.project_id = :project_id AND l.session_id = :session_id;

-- name: page
SELECT l.*, u.user_id AS user_name, u.graph_id
FROM session_logs l LEFT JOIN users u ON u.id = l.user_id
WHERE l.project_id = :project_id AND l.session_id > :after
ORDER BY l.session_id LIMIT :limit;

-- name: of_user
SELECT l.*, u.user_id AS user_name, u.graph_id
FROM session_logs l JOIN users u ON u.id = l.user_id
WHERE l.user_id = :user_id AND l.session_id > :after
ORDER BY l.session_id LIMIT :limit;

-- name: update
UPDATE session_logs
SET feeds = coalesce(:feeds, feeds), metadata = :metadata, context = :context, updated_at = :now
WHERE id = :id;

-- name: bind
UPDATE session_logs SET user_id = :user_id WHERE id = :id;

-- name: items_size
SELECT count(*) AS items, coalesce(sum(length(payload)), 0) AS chars
FROM session_log_episodes WHERE log_id = :log_id AND type = 'item';

-- name: items
SELECT id, number, type, meta, payload FROM session_log_episodes
WHERE log_id = :log_id AND type = 'item' ORDER BY number;

-- name: advance
UPDATE session_logs SET last_number = :last_number, updated_at = :now WHERE id = :id;

-- name: delete
DELETE FROM session_logs WHERE id = :id;

-- name: contents
SELECT (SELECT count(*) FROM session_log_episodes WHERE log_id = :id) AS log_episodes,
    (SELECT count(*) FROM session_log_turns WHERE log_id = :id) AS open_turns;

-- name: of_graph
SELECT l.session_id, (SELECT count(*) FROM session_log_episodes e WHERE e.log_id = l.id) AS episodes
FROM users u JOIN session_logs l ON l.user_id = u.id WHERE u.graph_id = :graph_id
ORDER BY l.session_id;

-- name: last_number
SELECT last_number FROM session_logs WHERE id = :id;

-- name: append
INSERT INTO session_log_episodes (log_id, number, type, turn_id, meta, payload)
VALUES (:log_id, :number, :type, :turn_id, :meta, :payload);

-- name: fed_insert
INSERT INTO session_log_fed (episode_id, log_episode_id)
SELECT id, :log_episode_id FROM episodes WHERE uuid = :uuid;

-- name: fed_uuids
SELECT s.number, e.uuid, e.metadata FROM session_log_episodes s
JOIN session_log_fed f ON f.log_episode_id = s.id JOIN episodes e ON e.id = f.episode_id
WHERE s.log_id = :log_id AND s.number > :after AND s.number <= :upto ORDER BY s.number, e.seq;

-- name: episodes_page
SELECT number, type, meta, payload FROM session_log_episodes
WHERE log_id = :log_id AND number > :after AND number <= :upto
  AND (CAST(:types AS TEXT) IS NULL OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number LIMIT :limit;

-- name: episodes_page_of_turn
SELECT number, type, meta, payload FROM session_log_episodes
WHERE log_id = :log_id AND turn_id = :turn_id AND number > :after AND number <= :upto
  AND (CAST(:types AS TEXT) IS NULL OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number LIMIT :limit;

-- name: sizes
SELECT number, length(meta) + length(payload) AS size FROM session_log_episodes
WHERE log_id = :log_id AND number > :after AND number <= :upto
  AND (CAST(:types AS TEXT) IS NULL OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number LIMIT :limit;

-- name: sizes_of_turn
SELECT number, length(meta) + length(payload) AS size FROM session_log_episodes
WHERE log_id = :log_id AND turn_id = :turn_id AND number > :after AND number <= :upto
  AND (CAST(:types AS TEXT) IS NULL OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number LIMIT :limit;

-- name: nth_last
SELECT number FROM session_log_episodes
WHERE log_id = :log_id AND number > :after AND number <= :upto
  AND (CAST(:types AS TEXT) IS NULL OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number DESC LIMIT 1 OFFSET :skipped;

-- name: nth_last_of_turn
SELECT number FROM session_log_episodes
WHERE log_id = :log_id AND turn_id = :turn_id AND number > :after AND number <= :upto
  AND (CAST(:types AS TEXT) IS NULL OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number DESC LIMIT 1 OFFSET :skipped;

-- name: turn_insert
INSERT INTO session_log_turns (log_id, turn_id, forked_at, last_number, owner, created_at)
VALUES (:log_id, :turn_id, :forked_at, :forked_at, :owner, :now);

-- name: turn_by_name
SELECT t.*, (SELECT count(*) FROM session_log_working w WHERE w.turn_key = t.id) AS episodes
FROM session_log_turns t WHERE t.log_id = :log_id AND t.turn_id = :turn_id;

-- name: turns_of_log
SELECT t.*, (SELECT count(*) FROM session_log_working w WHERE w.turn_key = t.id) AS episodes
FROM session_log_turns t WHERE t.log_id = :log_id ORDER BY t.id;

-- name: turns_lost
SELECT t.*, (SELECT count(*) FROM session_log_working w WHERE w.turn_key = t.id) AS episodes
FROM session_log_turns t WHERE t.owner <> :alive ORDER BY t.id;

-- name: turn_advance
UPDATE session_log_turns SET last_number = :last_number WHERE id = :id;

-- name: turn_delete
DELETE FROM session_log_turns WHERE id = :id;

-- name: turn_append
INSERT INTO session_log_working (turn_key, number, type, meta, payload)
VALUES (:turn_key, :number, :type, :meta, :payload);

-- name: turn_working
SELECT number, type, meta, payload FROM session_log_working
WHERE turn_key = :turn_key ORDER BY number;

-- name: episode_delete
DELETE FROM session_log_episodes WHERE log_id = :log_id AND number = :number;
