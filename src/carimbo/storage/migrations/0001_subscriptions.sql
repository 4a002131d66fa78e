-- Who uses the service: plans, subscriptions, credentials, what they may spend.
-- Every tenant table's primary key begins with subscription_id, so that the schema can be distributed or
-- partitioned by tenant without change.

create table plans (
    name text primary key check (name ~ '^[a-z][a-z0-9-]{0,39}$'),
    monthly_documents integer check (monthly_documents >= 0),
    total_documents integer check (total_documents >= 0),
    requests_per_minute integer check (requests_per_minute > 0),
    -- A plan counts documents by month or over its whole life, never both.
    check (monthly_documents is null or total_documents is null)
);

insert into plans (name, total_documents, requests_per_minute) values ('trial', 10, 120);
insert into plans (name) values ('unlimited');

create table subscriptions (
    id uuid primary key,
    name text not null,
    plan text not null references plans (name),
    features text[] not null default '{}',
    created_at timestamptz not null default now()
);

-- One pair per subscription: the API key is the subscription's id, the secret is kept only as a keyed hash.
create table credentials (
    subscription_id uuid primary key references subscriptions (id),
    secret_hash bytea not null,
    secret_preview text not null,
    previous_secret_hash bytea,
    previous_valid_until timestamptz,
    created_at timestamptz not null default now(),
    rotated_at timestamptz,
    last_used_at timestamptz
);

-- Theoretical arrival time of the next request (GCRA). Losing it in a crash costs nothing, hence unlogged.
create unlogged table rate_limits (
    subscription_id uuid primary key,
    arrival_at timestamptz not null
);

-- Documents counted against the plan. `period` is a month such as 2026-11, or `total`.
create table allowances (
    subscription_id uuid not null references subscriptions (id),
    period text not null,
    used integer not null default 0 check (used >= 0),
    reserved integer not null default 0 check (reserved >= 0),
    primary key (subscription_id, period)
);

-- Everything secret, sealed; `key_id` names the master key, so that re-keying finds what is left to do.
-- An owner is a company, a subscription or, with the nil UUID, this installation.
create table secrets (
    subscription_id uuid not null,
    owner_id uuid not null,
    name text not null,
    key_id text not null,
    sealed bytea not null,
    primary key (subscription_id, owner_id, name)
);

create index secrets_by_key on secrets (key_id);
