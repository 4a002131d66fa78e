-- Archives of a month: downloads with their progress, and links that open one without an account.
create table exports (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    environment text not null,
    -- The first day of the month.
    month date not null,
    content text not null check (content in ('xml', 'xmlAndPdf')),
    created_by jsonb,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    -- The SHA-256 of the token of a link; null for a download without a link.
    token_hash bytea,
    state text not null default 'created' check (state in ('created', 'streaming', 'finished')),
    documents_total bigint not null,
    -- Of the download that began last.
    documents_done bigint not null default 0,
    progressed_at timestamptz,
    downloads integer not null default 0,
    last_downloaded_at timestamptz,
    primary key (subscription_id, id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
) with (fillfactor = 80);

create index exports_by_token on exports (token_hash) where token_hash is not null;
create index exports_of_company on exports (subscription_id, company_id, created_at desc, id desc);
create index exports_by_expiry on exports (expires_at);

-- A monthly e-mail with a link to the archive of the month before.
create table export_schedules (
    subscription_id uuid not null,
    company_id uuid not null,
    day integer not null check (day between 1 and 28),
    recipients text[] not null,
    content text not null check (content in ('xml', 'xmlAndPdf')),
    is_active boolean not null,
    -- No e-mail is sent for a day before this one.
    starts_on date not null,
    created_by jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    last_sent_month date,
    last_sent_at timestamptz,
    last_error text,
    -- The month that is being sent: its export, the recipients that do not have the e-mail yet, and how often a worker
    -- tried. A worker has it until claimed_until.
    pending_month date,
    export_id uuid,
    waiting text[],
    attempts integer not null default 0,
    claimed_until timestamptz,
    primary key (subscription_id, company_id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
);
create index export_schedules_active on export_schedules (last_sent_month) where is_active;
