-- Entities, where the keys of an object are asked for.

-- name: user_side
SELECT
    (SELECT names FROM user_sides WHERE entity_id = :entity_id AND side = :side) AS names,
    (SELECT attributes FROM user_sides WHERE entity_id = :entity_id AND side = :side) AS attributes,
    (SELECT json_group_array(v.value) FROM user_sides s, json_each(s.names) v
     WHERE s.entity_id = :entity_id) AS all_names,
    (SELECT json_group_array(v.key) FROM user_sides s, json_object_keys(s.attributes::json) v (key)
     WHERE s.entity_id = :entity_id) AS all_attributes;
