-- Documents that others issue for companies: the sequences in which the authorities distribute them, what each company
-- received, and the statements of companies about them (manifestations).

-- One sequence of one service for one CNPJ. The authorities limit the questions of a CNPJ, whoever asks, so the row
-- belongs to the installation (subscription_id is nil) and is shared by all companies with this CNPJ. The columns
-- next_action_at .. parked_reason are those of every work table (see storage/work.py).
create table streams (
    subscription_id uuid not null check (subscription_id = '00000000-0000-0000-0000-000000000000'),
    id uuid not null default gen_random_uuid(),
    service text not null,
    environment text not null,
    tax_id text not null,
    last_nsu bigint not null default 0,
    max_nsu bigint not null default 0,
    -- The earliest moment of the next question for a page, and the end of a block, during which nothing is asked.
    ask_at timestamptz not null default now(),
    blocked_until timestamptz,
    -- The last question for a page, and whether its answer was stored. One without was perhaps counted.
    asked_at timestamptz,
    is_asked boolean not null default false,
    answered_at timestamptz,
    -- Since the last answer with documents, since the last one that was no block, and since the last one at all.
    empty_answers integer not null default 0,
    blocks integer not null default 0,
    unanswered integer not null default 0,
    last_code text,
    last_message text,
    other_reader_at timestamptz,
    -- The last time without a question for longer than the authority keeps the sequence alive.
    lapsed_from timestamptz,
    lapsed_until timestamptz,
    -- How many answers are in the journal.
    pages bigint not null default 0,
    created_at timestamptz not null default now(),
    next_action_at timestamptz default now(),
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    primary key (subscription_id, id),
    unique (subscription_id, service, environment, tax_id)
);
create index streams_parked on streams (id) where parked_reason is not null;
create index streams_due on streams (next_action_at) where next_action_at is not null;

-- The journal: answers with documents, as they came. An answer can't be asked for again.
create table stream_pages (
    stream_id uuid not null,
    ordinal bigint not null,
    question text not null,
    body bytea not null,
    received_at timestamptz not null default now(),
    primary key (stream_id, ordinal)
);
create index stream_pages_by_age on stream_pages (received_at);

-- NSUs that another program was given, or that came in an answer that was lost. They are asked for one by one, from the
-- newest to the oldest: the authorities keep documents for 90 days.
create table stream_gaps (
    stream_id uuid not null,
    first_nsu bigint not null,
    last_nsu bigint not null check (last_nsu >= first_nsu),
    next_nsu bigint not null,
    -- Numbers for which there was no document, and how many of them in a row.
    missing bigint not null default 0,
    misses integer not null default 0,
    reason text not null,
    created_at timestamptz not null default now(),
    filled_at timestamptz,
    primary key (stream_id, first_nsu)
);
create index stream_gaps_open on stream_gaps (stream_id) where filled_at is null;

-- Documents that are to be asked for by their access key.
create table stream_requests (
    stream_id uuid not null,
    access_key text not null,
    created_at timestamptz not null default now(),
    answered_at timestamptz,
    code text,
    message text,
    primary key (stream_id, access_key)
);
create index stream_requests_open on stream_requests (stream_id, created_at) where answered_at is null;

-- The questions about single documents: the authorities allow 20 an hour.
create table stream_calls (
    stream_id uuid not null,
    at timestamptz not null default clock_timestamp(),
    id uuid not null default gen_random_uuid(),
    primary key (stream_id, at, id)
);

-- Files in the journal that can't be read: of an unknown schema, damaged or too large.
create table stream_unread_files (
    stream_id uuid not null,
    ordinal bigint not null,
    position integer not null,
    nsu bigint,
    schema text not null,
    reason text not null,
    -- As it came: base64 of gzip.
    content text not null,
    created_at timestamptz not null default now(),
    primary key (stream_id, ordinal, position)
);

-- A company that follows a stream, and how much of the journal it has. Its worker also acknowledges summaries.
create table receptions (
    subscription_id uuid not null,
    id uuid not null default gen_random_uuid(),
    company_id uuid not null,
    service text not null,
    environment text not null,
    stream_id uuid not null,
    is_active boolean not null default true,
    pages_due bigint not null default 0,
    pages_read bigint not null default 0,
    -- The certificate with which the authority answered the company. Only it proves that the company may read what was
    -- distributed to its CNPJ: anybody can make a certificate with any CNPJ, and a reception reads nothing before.
    proved_fingerprint text,
    -- The certificate that the authority refused, and when.
    refused_fingerprint text,
    refused_at timestamptz,
    refusal text,
    created_at timestamptz not null default now(),
    next_action_at timestamptz default now(),
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    primary key (subscription_id, id),
    unique (subscription_id, company_id, service, environment)
);
create index receptions_parked on receptions (id) where parked_reason is not null;
create index receptions_due on receptions (next_action_at) where next_action_at is not null;
create index receptions_of_stream on receptions (stream_id);

create sequence received_versions;
create table received_documents (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    service text not null,
    type text not null,
    environment text not null,
    access_key text not null,
    series integer,
    number bigint,
    role text not null,
    issuer_tax_id text not null,
    issuer_name text not null,
    amount numeric(15, 2),
    issued_at timestamptz not null,
    authorized_at timestamptz,
    protocol text,
    situation text not null,
    -- The last statement of the company about it: pending, or the name of a kind of response.
    status text not null default 'pending',
    has_full_xml boolean not null,
    nsu bigint,
    source text not null check (source in ('distribution', 'import')),
    -- Until when a summary may be acknowledged; null if there is nothing to acknowledge.
    acknowledge_by timestamptz,
    -- Until when the company may confirm or refuse it; null for documents about which it says nothing.
    respond_by timestamptz,
    warned_at timestamptz,
    -- Changes with every change of the row; in the order of the commits of one company (see storage/received.py).
    version bigint not null default nextval('received_versions'),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (subscription_id, id),
    unique (subscription_id, company_id, environment, access_key)
);
create index received_by_date on received_documents (company_id, service, issued_at, id);
create index received_by_status on received_documents (company_id, service, status, issued_at, id);
create index received_by_version on received_documents (company_id, service, version);
create index received_by_issuer on received_documents (subscription_id, company_id, issuer_tax_id);
create index received_by_number on received_documents (subscription_id, company_id, number);
create index received_by_words on received_documents using gin (recipient_words(company_id, issuer_name))
    with (fastupdate = off);
create index received_to_acknowledge on received_documents (company_id, acknowledge_by)
    where acknowledge_by is not null;
create index received_to_warn_about on received_documents (respond_by)
    where respond_by is not null and warned_at is null;

create table received_counts (
    subscription_id uuid not null,
    company_id uuid not null,
    service text not null,
    environment text not null,
    status text not null,
    documents bigint not null,
    primary key (subscription_id, company_id, service, environment, status)
) with (fillfactor = 50);

create function count_received() returns trigger language plpgsql as $$
begin
    insert into received_counts as c (subscription_id, company_id, service, environment, status, documents)
    select new.subscription_id, new.company_id, new.service, new.environment, change.status, change.documents
    from (
        select new.status as status, 1 as documents
        union all
        select old.status, -1 where tg_op = 'UPDATE'
    ) as change
    order by change.status
    on conflict (subscription_id, company_id, service, environment, status)
    do update set documents = c.documents + excluded.documents;
    return new;
end
$$;
create trigger count_new_received after insert on received_documents
    for each row execute function count_received();
create trigger count_changed_received before update of status on received_documents
    for each row when (old.status <> new.status) execute function count_received();

-- Events of received documents that the authority distributed. An event may come before its document.
create table received_events (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    environment text not null,
    access_key text not null,
    code text not null,
    description text not null,
    sequence integer not null,
    -- Empty if the file does not have it.
    author_tax_id text not null default '',
    protocol text,
    occurred_at timestamptz,
    registered_at timestamptz,
    situation text,
    text text,
    has_full_xml boolean not null,
    nsu bigint,
    created_at timestamptz not null default now(),
    primary key (subscription_id, id),
    unique (subscription_id, company_id, environment, access_key, code, sequence, author_tax_id)
);

-- What received documents contain, by CFOP, tax and CST.
create table received_amounts (
    subscription_id uuid not null,
    document_id uuid not null,
    cfop text not null,
    tax text not null,
    cst text not null,
    items numeric(15, 2) not null,
    base numeric(15, 2) not null,
    amount numeric(15, 2) not null,
    primary key (subscription_id, document_id, cfop, tax, cst)
);

-- The columns state .. own_refusal are those of every filing (see storage/filings.py).
create table manifestations (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    document_id uuid not null,
    type text not null,
    sequence integer not null,
    request text not null,
    -- The status that the document gets when it is registered.
    status_after text not null,
    is_conclusive boolean not null,
    is_automatic boolean not null,
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
create unique index manifestations_by_sequence on manifestations
    (subscription_id, document_id, type, sequence) where state <> 'refused';
create index manifestations_of_document on manifestations (document_id);
create index manifestations_unsettled on manifestations (company_id) where state in ('queued', 'signed', 'sent');
create index manifestations_parked on manifestations (id) where parked_reason is not null;
create index manifestations_due on manifestations (next_action_at) where next_action_at is not null;

create trigger wake_workers after insert on streams
    for each row when (new.next_action_at <= now()) execute function notify_work('stream');
create trigger wake_workers_again after update of next_action_at on streams
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('stream');
create trigger wake_workers after insert on receptions
    for each row when (new.next_action_at <= now()) execute function notify_work('reception');
create trigger wake_workers_again after update of next_action_at on receptions
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('reception');
create trigger wake_workers after insert on manifestations
    for each row when (new.next_action_at <= now()) execute function notify_work('manifestation');
create trigger wake_workers_again after update of next_action_at on manifestations
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('manifestation');
