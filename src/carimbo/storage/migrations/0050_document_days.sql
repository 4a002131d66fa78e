-- How many documents each day has, and their amounts, so that the figures of days count no documents. Documents that
-- are pending or processing are not in it. In shards, as document_counts: whoever shares a shard waits there already.
create table document_days (
    subscription_id uuid not null,
    company_id uuid not null,
    -- The day in Brasília on which the document was first queued; for a document that never was, that of its creation.
    day date not null,
    environment text not null,
    type text not null,
    status text not null,
    shard integer not null,
    documents bigint not null,
    amount numeric(18, 2) not null,
    primary key (subscription_id, company_id, day, environment, type, status, shard)
) with (fillfactor = 50);

create function document_day(first_queued_at timestamptz, created_at timestamptz) returns date
    language sql stable parallel safe
    return (coalesce(first_queued_at, created_at) at time zone 'America/Sao_Paulo')::date;

create function count_day_of_document() returns trigger language plpgsql as $$
begin
    -- In the order of their key, as count_document: two transactions never wait crosswise.
    insert into document_days as c
        (subscription_id, company_id, day, environment, type, status, shard, documents, amount)
    select change.subscription_id, change.company_id, change.day, change.environment, change.type, change.status,
        pg_backend_pid() % 16, sum(change.documents), sum(change.amount)
    from (
        select new.subscription_id, new.company_id, document_day(new.first_queued_at, new.created_at) as day,
            new.environment, new.type, new.status, 1 as documents, new.amount as amount
        where tg_op <> 'DELETE' and new.status in ('authorized', 'rejected', 'canceled')
        union all
        select old.subscription_id, old.company_id, document_day(old.first_queued_at, old.created_at),
            old.environment, old.type, old.status, -1, -old.amount
        where tg_op <> 'INSERT' and old.status in ('authorized', 'rejected', 'canceled')
    ) as change
    group by 1, 2, 3, 4, 5, 6
    order by 3, 6
    on conflict (subscription_id, company_id, day, environment, type, status, shard)
    do update set documents = c.documents + excluded.documents, amount = c.amount + excluded.amount;
    if tg_op = 'DELETE' then
        return old;
    end if;
    return new;
end
$$;

-- Before an update, and after count_changed_document, which has an earlier name: a verdict writes its counters before
-- the plan, always in the same order.
create trigger count_day_of_new_document after insert on documents
    for each row when (new.status in ('authorized', 'rejected', 'canceled'))
    execute function count_day_of_document();
create trigger count_day_of_changed_document before update of status, first_queued_at, amount on documents
    for each row when (
        (old.status in ('authorized', 'rejected', 'canceled') or new.status in ('authorized', 'rejected', 'canceled'))
        and (old.status, old.first_queued_at, old.amount)
            is distinct from (new.status, new.first_queued_at, new.amount)
    ) execute function count_day_of_document();
create trigger count_day_of_deleted_document after delete on documents
    for each row when (old.status in ('authorized', 'rejected', 'canceled'))
    execute function count_day_of_document();
