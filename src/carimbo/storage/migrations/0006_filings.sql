-- What is told to an authority about documents that it has, and about numbers that it will never get; attempts
-- that another one took the place of; authorities that are out of service.

-- The columns state .. own_refusal are those of every filing (see storage/filings.py), next_action_at ..
-- parked_reason those of every work table (see storage/work.py).
create table event_filings (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    document_id uuid not null,
    -- The attempt that it is about: the one in force, or one that another took the place of.
    emission integer not null,
    type text not null,
    sequence integer not null,
    request text not null,
    state text not null default 'queued' check (state in ('queued', 'signed', 'sent', 'registered', 'refused')),
    digest text,
    tries integer not null default 0,
    protocol text,
    registered_at timestamptz,
    authority_code text,
    authority_message text,
    own_refusal jsonb,
    created_at timestamptz not null default clock_timestamp(),
    next_action_at timestamptz default now(),
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    primary key (subscription_id, id)
);

-- Two that tell the same at once make one event. One that was refused is nothing at the authority.
create unique index event_filings_by_sequence on event_filings
    (subscription_id, document_id, emission, type, sequence) where state <> 'refused';
create index event_filings_of_document on event_filings (document_id);
-- Those whose fate is open: their company is needed for learning it.
create index event_filings_unsettled on event_filings (company_id) where state in ('queued', 'signed', 'sent');
create index event_filings_due on event_filings (next_action_at) where next_action_at is not null;

create table inutilizations (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    document_type text not null,
    environment text not null,
    series integer not null,
    first_number bigint not null,
    last_number bigint not null check (last_number >= first_number),
    year integer not null,
    justification text not null,
    state text not null default 'queued' check (state in ('queued', 'signed', 'sent', 'registered', 'refused')),
    digest text,
    tries integer not null default 0,
    protocol text,
    registered_at timestamptz,
    authority_code text,
    authority_message text,
    own_refusal jsonb,
    created_at timestamptz not null default clock_timestamp(),
    next_action_at timestamptz default now(),
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    primary key (subscription_id, id)
);

create index inutilizations_by_age on inutilizations (company_id, document_type, created_at, id);
create index inutilizations_by_number on inutilizations
    (company_id, document_type, environment, series, first_number) where state <> 'refused';
create index inutilizations_unsettled on inutilizations (company_id) where state in ('queued', 'signed', 'sent');
create index inutilizations_due on inutilizations (next_action_at) where next_action_at is not null;

-- An attempt whose fate was not known when another one took its place: it is asked about until it is known.
create table strays (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    document_id uuid not null,
    emission integer not null,
    tries integer not null default 0,
    created_at timestamptz not null default clock_timestamp(),
    next_action_at timestamptz default now(),
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    primary key (subscription_id, id)
);

create unique index strays_by_emission on strays (subscription_id, document_id, emission);
create index strays_of_company on strays (company_id);
create index strays_due on strays (next_action_at) where next_action_at is not null;

-- Attempts whose numbers may turn out to be gaps.
create index emissions_unsettled on emissions (company_id, document_type, environment, series, number)
    where state in ('numbered', 'signed', 'sent', 'rejected');

-- Authorities that do not answer, or say that they are out of service, and since when without a break.
create table outages (
    model text not null,
    authorizer text not null,
    environment text not null,
    since timestamptz not null,
    seen_at timestamptz not null,
    code text,
    message text not null,
    primary key (model, authorizer, environment)
);

-- Whether documents go to the authorities of contingency: by what is seen of the normal one, always, or never.
alter table companies
    add column contingency_mode text not null default 'automatic'
        check (contingency_mode in ('automatic', 'forced', 'forbidden')),
    add column contingency_reason text,
    add column contingency_since timestamptz;
