-- Readings, where the keys of an object are asked for.

-- name: remainders_of_no_side
DELETE FROM readings
WHERE graph_id IN (SELECT id FROM graphs WHERE project_id = :project_id) AND remains IS NOT NULL
  AND CASE WHEN json_typeof(remains::json -> 'metadata') = 'object'
      THEN EXISTS (SELECT 1 FROM json_object_keys(remains::json -> 'metadata') said (key)
                   WHERE said.key IN (SELECT value FROM json_each(:keys)))
      ELSE true END;
