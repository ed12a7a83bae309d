-- What was said before in the same talk: memory clients have no threads, but name their sessions and
-- whose they are.
CREATE INDEX episodes_by_talk ON episodes
    (graph_id, json_extract(metadata, '$.session_id'), json_extract(metadata, '$.user_id'), seq)
    WHERE producer IS NOT NULL AND thread_id IS NULL;
