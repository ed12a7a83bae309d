-- An episode that could not be read says why, where whoever waits for it looks.

ALTER TABLE episodes ADD COLUMN failure TEXT;
UPDATE episodes SET failure = coalesce(j.error, 'it could not be read')
FROM jobs j WHERE j.id = episodes.id AND j.status = 'parked';
