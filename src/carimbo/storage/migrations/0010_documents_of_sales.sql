-- What sales need of documents. By itself, as an index of the largest table keeps its writers waiting: those who read or
-- write the catalog do not wait with them.

-- Since when it was first told to go: that is when a draft of a sale is asked for.
alter table documents add column first_queued_at timestamptz;
create index documents_of_sale on documents (sale_id) where sale_id is not null;

-- A draft goes with the sale that made it: only what no authority has heard of is deleted, with its history, by whoever
-- holds it. So emissions, which it has none of, still need no foreign key.
create function uncount_document() returns trigger language plpgsql as $$
begin
    insert into document_counts as c (subscription_id, company_id, type, status, shard, documents)
    values (old.subscription_id, old.company_id, old.type, old.status, pg_backend_pid() % 16, -1)
    on conflict (subscription_id, company_id, type, status, shard)
    do update set documents = c.documents - 1;
    return old;
end
$$;
create trigger count_deleted_document after delete on documents
    for each row execute function uncount_document();
