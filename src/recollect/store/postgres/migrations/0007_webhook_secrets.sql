-- A webhook whose secret was changed signs with the old one as well, until that moment.
ALTER TABLE webhooks ADD COLUMN old_secret TEXT COLLATE "C";
ALTER TABLE webhooks ADD COLUMN old_secret_until BIGINT;
