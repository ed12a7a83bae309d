-- `feeds` of a session without a user is now what happens once it is bound to one. Until now that
-- was always to feed, so those who have none yet keep to it.
UPDATE session_logs SET feeds = 1 WHERE user_id IS NULL;
