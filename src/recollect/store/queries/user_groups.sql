-- Groups of users.

-- name: insert
INSERT INTO user_groups (uuid, project_id, name, description, created_at, updated_at)
VALUES (:uuid, :project_id, :name, :description, :now, :now);

-- name: by_uuid
SELECT g.*, (SELECT count(*) FROM user_group_members m WHERE m.group_id = g.id) AS member_count,
       (SELECT count(*) FROM user_group_policy_sets a WHERE a.group_id = g.id) AS policy_set_count
FROM user_groups g WHERE g.project_id = :project_id AND g.uuid = :uuid;

-- name: by_name
SELECT id, uuid FROM user_groups WHERE project_id = :project_id AND name = :name;

-- name: page
SELECT g.*, (SELECT count(*) FROM user_group_members m WHERE m.group_id = g.id) AS member_count,
       (SELECT count(*) FROM user_group_policy_sets a WHERE a.group_id = g.id) AS policy_set_count
FROM user_groups g
WHERE g.project_id = :project_id
  AND (:search = '' OR instr(lower(g.name || ' ' || coalesce(g.description, '')),
                             lower(:search)) > 0)
ORDER BY g.id LIMIT :limit OFFSET :offset;

-- name: page_after
SELECT g.*, (SELECT count(*) FROM user_group_members m WHERE m.group_id = g.id) AS member_count,
       (SELECT count(*) FROM user_group_policy_sets a WHERE a.group_id = g.id) AS policy_set_count,
       g.created_at AS page_key
FROM user_groups g
WHERE g.project_id = :project_id
  AND (:search = '' OR instr(lower(g.name || ' ' || coalesce(g.description, '')),
                             lower(:search)) > 0)
  AND (CAST(:after_uuid AS TEXT) IS NULL OR (g.created_at, g.uuid) > (:after_key, :after_uuid))
ORDER BY g.created_at, g.uuid LIMIT :limit;

-- name: count
SELECT count(*) AS n FROM user_groups g
WHERE g.project_id = :project_id
  AND (:search = '' OR instr(lower(g.name || ' ' || coalesce(g.description, '')),
                             lower(:search)) > 0);

-- name: of_user
SELECT g.*, (SELECT count(*) FROM user_group_members m WHERE m.group_id = g.id) AS member_count,
       (SELECT count(*) FROM user_group_policy_sets a WHERE a.group_id = g.id) AS policy_set_count
FROM user_group_members o JOIN user_groups g ON g.id = o.group_id
WHERE o.user_id = :user_id ORDER BY g.id LIMIT :limit;

-- name: of_user_after
SELECT g.*, (SELECT count(*) FROM user_group_members m WHERE m.group_id = g.id) AS member_count,
       (SELECT count(*) FROM user_group_policy_sets a WHERE a.group_id = g.id) AS policy_set_count,
       g.created_at AS page_key
FROM user_group_members o JOIN user_groups g ON g.id = o.group_id
WHERE o.user_id = :user_id
  AND (CAST(:after_uuid AS TEXT) IS NULL OR (g.created_at, g.uuid) > (:after_key, :after_uuid))
ORDER BY g.created_at, g.uuid LIMIT :limit;

-- name: count_of_user
SELECT count(*) AS n FROM user_group_members WHERE user_id = :user_id;

-- name: update
UPDATE user_groups
SET name = :name, description = :description, version = version + 1, updated_at = :now
WHERE id = :id;

-- name: delete
DELETE FROM user_groups WHERE id = :id;

-- name: member_insert
INSERT INTO user_group_members (group_id, user_id) VALUES (:group_id, :user_id)
ON CONFLICT DO NOTHING;

-- name: member_delete
DELETE FROM user_group_members
WHERE group_id = :group_id
  AND user_id = (SELECT id FROM users WHERE project_id = :project_id AND uuid = :user_uuid);

-- name: users_page
SELECT u.*, g.uuid AS graph_uuid, g.rating AS rating
FROM users u JOIN graphs g ON g.id = u.graph_id
WHERE u.project_id = :project_id
  AND (SELECT count(*) FROM user_group_members m
       WHERE m.group_id = :group_id AND m.user_id = u.id) = :members
  AND (:search = '' OR instr(lower(u.user_id || ' ' || coalesce(u.email, '') || ' '
       || coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, '')), lower(:search)) > 0)
ORDER BY u.id LIMIT :limit OFFSET :offset;

-- name: users_page_after
SELECT u.*, g.uuid AS graph_uuid, g.rating AS rating, u.created_at AS page_key
FROM users u JOIN graphs g ON g.id = u.graph_id
WHERE u.project_id = :project_id
  AND (SELECT count(*) FROM user_group_members m
       WHERE m.group_id = :group_id AND m.user_id = u.id) = :members
  AND (:search = '' OR instr(lower(u.user_id || ' ' || coalesce(u.email, '') || ' '
       || coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, '')), lower(:search)) > 0)
  AND (CAST(:after_uuid AS TEXT) IS NULL OR (u.created_at, u.uuid) > (:after_key, :after_uuid))
ORDER BY u.created_at, u.uuid LIMIT :limit;

-- name: users_count
SELECT count(*) AS n FROM users u
WHERE u.project_id = :project_id
  AND (SELECT count(*) FROM user_group_members m
       WHERE m.group_id = :group_id AND m.user_id = u.id) = :members
  AND (:search = '' OR instr(lower(u.user_id || ' ' || coalesce(u.email, '') || ' '
       || coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, '')), lower(:search)) > 0);
