-- Fiscal documents: what was asked for, every attempt to issue it, what was signed, and what happened when.

-- Raised by whatever changes what a company has: who has read a company at one revision knows it whole.
alter table companies add column revision bigint not null default 1;

-- The columns next_action_at .. parked_reason are those of every work table (see storage/work.py).
create table documents (
    subscription_id uuid not null,
    company_id uuid not null,
    id uuid not null,
    type text not null,
    environment text not null,
    status text not null check (status in ('pending', 'processing', 'authorized', 'rejected', 'canceled')),
    namespace text not null,
    idempotency_key text,
    external_id text,
    sale_id uuid,
    -- The caller's JSON, exact: as text, because a number of JSON has more digits than a float.
    request text not null,
    version integer not null default 1,
    amount numeric(15, 2) not null,
    warnings text[] not null default '{}',
    -- The company that the fiscal rules have seen this request with, and on which day.
    reviewed_revision bigint not null,
    reviewed_on date not null,
    -- The attempt in force, 0 before there is one.
    emission integer not null default 0,
    rejection jsonb,
    -- Where a place in the plan is kept for it; null once that is settled, or when it needs none.
    allowance_period text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    queued_at timestamptz,
    -- Its place among what waits: companies take turns (see storage/documents.py).
    is_urgent boolean not null,
    turn bigint not null default 0,
    next_action_at timestamptz,
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    primary key (subscription_id, id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
) with (fillfactor = 80);

-- Who creates the same document twice gets the first one; what a sale makes has no key of its own.
create unique index documents_by_idempotency_key on documents
    (subscription_id, company_id, namespace, idempotency_key) where idempotency_key is not null;
create unique index documents_by_external_id on documents
    (subscription_id, company_id, namespace, external_id) where external_id is not null and sale_id is null;

create index documents_by_age on documents (subscription_id, company_id, created_at, id);
create index documents_listed_by_external_id on documents
    (subscription_id, company_id, external_id, created_at, id)
    where external_id is not null;
create index documents_by_type on documents (subscription_id, company_id, type, created_at, id);
-- Nearly every document ends authorized: a list of those goes by age, one of any other status by this.
create index documents_unsettled on documents (subscription_id, company_id, status, created_at, id)
    where status <> 'authorized';

-- How many have been under way for how long.
create index documents_under_way on documents (queued_at) where status = 'processing';

create index documents_due on documents (next_action_at) where next_action_at is not null;
create index documents_turns on documents (is_urgent, turn) where next_action_at is not null;
create index documents_turns_of_company on documents (subscription_id, company_id, is_urgent, turn)
    where next_action_at is not null;

-- An attempt to issue a document under a number. A second one is made only in contingency, or when the number
-- turns out to be somebody else's.
create table emissions (
    subscription_id uuid not null,
    document_id uuid not null,
    ordinal integer not null,
    company_id uuid not null,
    document_type text not null,
    environment text not null,
    series integer not null,
    number bigint not null,
    numeric_code text not null,
    emission_type text not null,
    contingency_started_at timestamptz,
    contingency_reason text,
    state text not null check (
        state in ('numbered', 'signed', 'sent', 'authorized', 'rejected', 'denied', 'canceled', 'foreign')
    ),
    issued_at timestamptz,
    access_key text,
    digest text,
    receipt text,
    -- How often in a row nothing was learnt of its fate.
    tries integer not null default 0,
    protocol text,
    authorized_at timestamptz,
    primary key (subscription_id, document_id, ordinal),
    foreign key (subscription_id, document_id) references documents (subscription_id, id)
) with (fillfactor = 80);

-- No number twice, whatever goes wrong elsewhere.
create unique index emissions_by_number on emissions
    (subscription_id, company_id, document_type, environment, series, number);
create unique index emissions_by_access_key on emissions (subscription_id, access_key)
    where access_key is not null;

-- What happened to a document, oldest first by id.
create table document_events (
    subscription_id uuid not null,
    document_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    type text not null,
    status text not null,
    sequence integer,
    protocol text,
    authority_code text,
    authority_message text,
    created_at timestamptz not null default clock_timestamp(),
    primary key (subscription_id, document_id, id),
    foreign key (subscription_id, document_id) references documents (subscription_id, id)
);

-- Files by the name that their owner gives them: signed documents, authorizations, refusals.
create table archive (
    subscription_id uuid not null,
    owner_id uuid not null,
    name text not null,
    content bytea not null,
    created_at timestamptz not null default now(),
    primary key (subscription_id, owner_id, name)
);

-- How many documents of each status there are, so that no list counts millions of rows. In shards, so that
-- transactions of one company seldom wait for each other.
create table document_counts (
    subscription_id uuid not null,
    company_id uuid not null,
    type text not null,
    status text not null,
    shard integer not null,
    documents bigint not null,
    primary key (subscription_id, company_id, type, status, shard)
) with (fillfactor = 50);

create function count_document() returns trigger language plpgsql as $$
begin
    -- One statement for both counters, in the order of their key: two transactions never wait crosswise.
    insert into document_counts as c (subscription_id, company_id, type, status, shard, documents)
    select new.subscription_id, new.company_id, new.type, change.status, pg_backend_pid() % 16, change.documents
    from (
        select new.status as status, 1 as documents
        union all
        select old.status, -1 where tg_op = 'UPDATE'
    ) as change
    order by change.status
    on conflict (subscription_id, company_id, type, status, shard)
    do update set documents = c.documents + excluded.documents;
    return new;
end
$$;

-- After an insert, as one that meets its twin is none. Before an update: a verdict is one statement, and what it
-- writes to the plan comes after the counters, as it does when a document is accepted.
create trigger count_new_document after insert on documents
    for each row execute function count_document();
create trigger count_changed_document before update of status on documents
    for each row when (old.status <> new.status) execute function count_document();
