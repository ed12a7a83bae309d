-- Episodes that memory clients add: whom they are by and for, in the client's own words; metadata
-- that is kept but never filtered by; and which memory they are for, when not for both.
ALTER TABLE episodes ADD COLUMN producer TEXT;
ALTER TABLE episodes ADD COLUMN addressee TEXT;
ALTER TABLE episodes ADD COLUMN extra TEXT;
ALTER TABLE episodes ADD COLUMN kept_for TEXT;
