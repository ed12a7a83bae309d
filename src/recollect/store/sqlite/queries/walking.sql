-- Going from node to node, and lists that were narrowed beforehand.

-- name: facts_of_node_before
-- The facts at a node, the newest first; which end the node has to be is said by two flags.
SELECT f.* FROM fact_told f
WHERE f.id IN (
    SELECT id FROM facts WHERE :outwards AND source_id = :entity_id AND id < :before
    UNION
    SELECT id FROM facts WHERE :inwards AND target_id = :entity_id AND id < :before
    ORDER BY id DESC LIMIT :limit)
ORDER BY f.id DESC;

-- name: neighbours_page
-- order: uuid=n.uuid, created_at=n.created_at
-- The nodes at the other ends of a node's facts, or of those that are among the given ones.
SELECT n.*, {key} AS page_key FROM entities n
WHERE n.id IN (
    SELECT target_id FROM facts
    WHERE :outwards AND source_id = :entity_id
      AND (:fact_ids IS NULL OR id IN (SELECT value FROM json_each(:fact_ids)))
    UNION
    SELECT source_id FROM facts
    WHERE :inwards AND target_id = :entity_id
      AND (:fact_ids IS NULL OR id IN (SELECT value FROM json_each(:fact_ids))))
  AND n.id <> :entity_id
  AND (:labels IS NULL OR EXISTS (SELECT 1 FROM json_each(n.labels) l
                                  WHERE l.value IN (SELECT value FROM json_each(:labels))))
  AND NOT EXISTS (SELECT 1 FROM json_each(n.labels) l
                  WHERE l.value IN (SELECT value FROM json_each(:labels_not)))
  AND (:after_uuid IS NULL OR ({key}, n.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, n.uuid {dir} LIMIT :limit;

-- name: facts_between
-- The facts that join a node with others, the newest first.
SELECT f.* FROM fact_told f
WHERE f.id IN (
    SELECT id FROM facts
    WHERE :outwards AND source_id = :entity_id
      AND target_id IN (SELECT value FROM json_each(:others))
      AND (:fact_ids IS NULL OR id IN (SELECT value FROM json_each(:fact_ids)))
    UNION
    SELECT id FROM facts
    WHERE :inwards AND target_id = :entity_id
      AND source_id IN (SELECT value FROM json_each(:others))
      AND (:fact_ids IS NULL OR id IN (SELECT value FROM json_each(:fact_ids)))
    ORDER BY id DESC LIMIT :limit)
ORDER BY f.id DESC;

-- name: facts_between_before
-- The same as facts_of_node_before, for facts with one of the others at their other end.
SELECT f.* FROM fact_told f
WHERE f.id IN (
    SELECT id FROM facts
    WHERE :outwards AND source_id = :entity_id AND id < :before
      AND target_id IN (SELECT value FROM json_each(:others))
    UNION
    SELECT id FROM facts
    WHERE :inwards AND target_id = :entity_id AND id < :before
      AND source_id IN (SELECT value FROM json_each(:others))
    ORDER BY id DESC LIMIT :limit)
ORDER BY f.id DESC;

-- name: sources_of_facts
-- The episodes behind facts, hidden ones included, as filters look at them.
SELECT s.fact_id, e.uuid, e.metadata, e.role, e.speaker, e.producer, e.addressee, e.created_at
FROM supports s JOIN episodes e ON e.id = s.episode_id
WHERE s.fact_id IN (SELECT value FROM json_each(:ids)) ORDER BY s.fact_id, e.id;

-- name: links_newest
-- The facts of a graph by their ends and names alone.
SELECT id, uuid, source_id, target_id, name, created_at FROM facts
WHERE graph_id = :graph_id ORDER BY uuid DESC LIMIT :limit;

-- name: entities_labelled
SELECT id, uuid, name, labels FROM entities
WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: episode_uuids_of_entities
-- The newest episodes that mention each entity, one more than are told.
SELECT n.id,
    (SELECT json_group_array(uuid) FROM
        (SELECT e.uuid FROM mentions m JOIN episodes e ON e.id = m.episode_id
         WHERE m.entity_id = n.id AND e.kind NOT IN ('fact_triple', 'nodes')
         ORDER BY m.episode_id DESC LIMIT :limit)) AS episodes
FROM entities n WHERE n.id IN (SELECT value FROM json_each(:ids));

-- name: entities_page_among
-- order: uuid=n.uuid, created_at=n.created_at, degree=(SELECT count(*) FROM facts f WHERE f.source_id = n.id OR f.target_id = n.id)
SELECT n.*, {key} AS page_key FROM entities n
WHERE n.id IN (SELECT value FROM json_each(:ids)) AND +n.graph_id = :graph_id
  AND (:after_uuid IS NULL OR ({key}, n.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, n.uuid {dir} LIMIT :limit;

-- name: facts_page_among
-- order: uuid=f.uuid, created_at=f.created_at, valid_at=coalesce(f.valid_at, 0)
SELECT f.*, {key} AS page_key FROM fact_told f
WHERE f.id IN (
    SELECT f.id FROM facts f
    WHERE f.id IN (SELECT value FROM json_each(:ids)) AND +f.graph_id = :graph_id
      AND (:after_uuid IS NULL OR ({key}, f.uuid) {cmp} (:after_key, :after_uuid))
    ORDER BY {key} {dir}, f.uuid {dir} LIMIT :limit)
ORDER BY {key} {dir}, f.uuid {dir};

-- name: episodes_page_among
-- order: uuid=e.uuid, created_at=e.created_at
SELECT e.*, t.thread_id AS thread_name, {key} AS page_key
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.id IN (SELECT value FROM json_each(:ids)) AND +e.graph_id = :graph_id
  AND e.ignored = 0 AND e.kind NOT IN ('fact_triple', 'nodes')
  AND (:after_uuid IS NULL OR ({key}, e.uuid) {cmp} (:after_key, :after_uuid))
  AND (:mentioned IS NULL
       OR EXISTS (SELECT 1 FROM mentions m JOIN entities n ON n.id = m.entity_id
                  WHERE m.episode_id = e.id
                    AND n.uuid IN (SELECT value FROM json_each(:mentioned)))
       OR e.uuid IN (SELECT value FROM json_each(:mentioned)))
ORDER BY {key} {dir}, e.uuid {dir} LIMIT :limit;

-- name: graph_time_zone
-- The user's, else the graph's, else the project's.
SELECT coalesce(u.time_zone, g.time_zone, p.default_time_zone) AS time_zone
FROM graphs g JOIN projects p ON p.id = g.project_id LEFT JOIN users u ON u.graph_id = g.id
WHERE g.id = :id;
