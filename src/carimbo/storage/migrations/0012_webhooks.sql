-- What the world is told: events, who listens to them, and every attempt to tell.

-- A UUID version 7, as those that we make elsewhere: what is told together stays together in the index.
create function time_ordered_id() returns uuid language sql volatile
    return (
        lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
        || substr(replace(gen_random_uuid()::text, '-', ''), 14)
    )::uuid;

create table events (
    subscription_id uuid not null,
    id uuid not null default time_ordered_id(),
    -- What happened: the type and status of a document, as `nfe.authorized`, or a name of ours.
    topic text not null,
    company_id uuid,
    document_id uuid,
    -- What is told of the document, as it was then.
    emission integer,
    amount numeric(15, 2),
    issued_at timestamptz,
    -- What is told of anything else, plain values of JSON.
    details jsonb,
    created_at timestamptz not null default clock_timestamp(),
    -- In which order they were written; whoever writes first may be seen last.
    ordinal bigint not null generated always as identity,
    -- In which order they are read: given to what can be seen, when somebody reads (see storage/events.py).
    position bigint,
    primary key (subscription_id, id)
);

create unique index events_by_position on events (subscription_id, position) where position is not null;
create unique index events_unread on events (subscription_id, ordinal) where position is null;
create sequence event_positions;

create table webhooks (
    subscription_id uuid not null references subscriptions (id),
    id uuid not null,
    name text,
    url text not null,
    -- The names that were chosen, and the topics that these stand for.
    events text[] not null,
    topics text[] not null,
    is_active boolean not null default true,
    disabled_reason text,
    -- Since when nothing but failures came back.
    failing_since timestamptz,
    -- Gone for its owner; the row itself goes when all its deliveries have been forgotten, little by little.
    deleted_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (subscription_id, id)
);

-- One event for one webhook. The columns next_action_at .. attempts are those of work tables (see storage/work.py).
create table deliveries (
    subscription_id uuid not null,
    id uuid not null default time_ordered_id(),
    webhook_id uuid not null,
    event_id uuid not null,
    -- Those of one document go out in the order of their events.
    document_id uuid,
    ordinal bigint not null,
    is_test boolean not null default false,
    status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
    -- Failures since it was last asked for, and attempts of all time.
    failures integer not null default 0,
    attempts_made integer not null default 0,
    response_status integer,
    attempted_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    next_action_at timestamptz default now(),
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    primary key (subscription_id, id),
    foreign key (subscription_id, webhook_id) references webhooks (subscription_id, id),
    foreign key (subscription_id, event_id) references events (subscription_id, id)
) with (fillfactor = 80);

create unique index deliveries_of_event on deliveries (subscription_id, event_id, webhook_id);
create index deliveries_of_webhook on deliveries (webhook_id, created_at, id);
create index deliveries_attempted on deliveries (webhook_id, attempted_at) where attempted_at is not null;
create index deliveries_due on deliveries (webhook_id, next_action_at, ordinal) where next_action_at is not null;
create index deliveries_tests_due on deliveries (next_action_at) where is_test and next_action_at is not null;
create index deliveries_in_order on deliveries (webhook_id, document_id, ordinal) where status = 'pending';

create table delivery_attempts (
    subscription_id uuid not null,
    delivery_id uuid not null,
    number integer not null,
    url text not null,
    -- As sent, but for the values of the caller's own headers, which are secret.
    request_headers jsonb not null,
    request_body text not null,
    response_status integer,
    -- What came back, up to its first 20 kB.
    response_body text,
    -- Why nothing came back.
    error text,
    started_at timestamptz not null,
    milliseconds integer not null,
    next_attempt_at timestamptz,
    primary key (subscription_id, delivery_id, number),
    foreign key (subscription_id, delivery_id) references deliveries (subscription_id, id) on delete cascade
);

-- Whatever statement changes the status of a document, its event is part of the same transaction.
create function tell_of_document() returns trigger language plpgsql as $$
begin
    insert into events (subscription_id, topic, company_id, document_id, emission, amount, issued_at)
    values (
        new.subscription_id, new.type || '.' || new.status, new.company_id, new.id, new.emission, new.amount,
        (select issued_at from emissions e
         where e.subscription_id = new.subscription_id and e.document_id = new.id and e.ordinal = new.emission)
    );
    return null;
end
$$;
create trigger tell_of_document after update of status on documents
    for each row when (old.status <> new.status and new.status in ('authorized', 'rejected', 'canceled'))
    execute function tell_of_document();

-- And so is the delivery to everyone who listens by then. What follows an event that waits for its next attempt waits as
-- long, at least: it goes out after it. A row that is being deleted is waited for: what is owed to a webhook that is gone
-- would undo the change itself.
create function owe_deliveries() returns trigger language plpgsql as $$
begin
    insert into deliveries (subscription_id, webhook_id, event_id, document_id, ordinal, next_action_at)
    select new.subscription_id, w.id, new.id, new.document_id, new.ordinal, greatest(now(), (
        select max(earlier.next_action_at) from deliveries earlier
        where earlier.webhook_id = w.id and earlier.document_id = new.document_id and earlier.status = 'pending'
    ))
    from webhooks w
    where w.subscription_id = new.subscription_id and w.is_active and new.topic = any (w.topics)
    for key share of w;
    return null;
end
$$;
create trigger owe_deliveries after insert on events for each row execute function owe_deliveries();

-- Wakes whoever carries what is due out of the house (see worker/courier.py). Nothing is lost with it: due rows are
-- found by themselves, a little later.
create function wake_couriers() returns trigger language plpgsql as $$
begin
    if exists (select from added) then
        perform pg_notify('carimbo_outbound', tg_table_name);
    end if;
    return null;
end
$$;
create trigger wake_couriers after insert on deliveries
    referencing new table as added for each statement execute function wake_couriers();
