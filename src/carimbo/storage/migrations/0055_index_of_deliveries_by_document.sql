-- The deliveries about a document, for its page in the dashboard.
drop index concurrently if exists deliveries_of_document;
create index concurrently deliveries_of_document on deliveries (subscription_id, document_id, ordinal)
    where document_id is not null;
