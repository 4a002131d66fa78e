-- The failed deliveries of a webhook in the order of their events, to send all of them again.
drop index concurrently if exists deliveries_failed;
create index concurrently deliveries_failed on deliveries (webhook_id, ordinal) where status = 'failed';
