-- The companies of a subscription and what they need in order to issue.

create table companies (
    subscription_id uuid not null references subscriptions (id),
    id uuid not null,
    tax_id text not null,
    legal_name text not null,
    trade_name text,
    email text,
    phone text,
    address jsonb,
    tax_regime text,
    municipal_registration text,
    cnae_code text,
    pis_cofins_regime text,
    simples_rate numeric(7, 4),
    simples_iss_regime smallint,
    environment text not null default 'production' check (environment in ('production', 'homologation')),
    settings jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- A deleted company stays for its documents and numbers; the same CNPJ revives it.
    deleted_at timestamptz,
    primary key (subscription_id, id)
);

create unique index companies_by_tax_id on companies (subscription_id, tax_id);

create index companies_by_age on companies (subscription_id, created_at desc, id desc)
where deleted_at is null;

create table state_registrations (
    subscription_id uuid not null,
    company_id uuid not null,
    id uuid not null,
    state text not null,
    number text not null,
    is_default boolean not null,
    created_at timestamptz not null default now(),
    primary key (subscription_id, company_id, id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
);

create unique index state_registrations_by_state on state_registrations (subscription_id, company_id, state);

create unique index state_registrations_default on state_registrations (subscription_id, company_id)
where is_default;

-- What may be shown of a certificate; the key itself is in `secrets`.
create table certificates (
    subscription_id uuid not null,
    company_id uuid not null,
    tax_id text not null,
    subject_name text not null,
    serial_number text not null,
    fingerprint text not null,
    valid_from timestamptz not null,
    expires_at timestamptz not null,
    uploaded_at timestamptz not null default now(),
    primary key (subscription_id, company_id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
);

-- The next number of each series; one row per document type, environment and series.
create table number_sequences (
    subscription_id uuid not null,
    company_id uuid not null,
    document_type text not null,
    environment text not null,
    series integer not null,
    next_number bigint not null check (next_number > 0),
    primary key (subscription_id, company_id, document_type, environment, series),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
);
