-- A worker looks for documents that are open for long: they have the fact `openSince`.
drop index concurrently if exists documents_open;
create index concurrently documents_open on documents (created_at)
    where status = 'authorized' and facts ? 'openSince' and not facts ? 'closedAt';
