-- The end of certificates is told in time.

-- How many days before its end a certificate was last warned of; null before the first warning.
alter table certificates add column warned_days integer;
