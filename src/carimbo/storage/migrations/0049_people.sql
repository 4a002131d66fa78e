-- People who sign in to the dashboard. They belong to the installation, so these tables have no subscription_id;
-- only a membership belongs to a subscription.

create table people (
    id uuid primary key,
    -- In lower case.
    email text not null unique,
    name text,
    password_hash text,
    is_operator boolean not null default false,
    -- The secret is sealed in `secrets`, with the nil UUID as subscription and the person as owner.
    totp_enabled boolean not null default false,
    -- The last time step whose code was accepted: a code works once.
    totp_last_step bigint,
    created_at timestamptz not null default now(),
    last_signed_in_at timestamptz,
    disabled_at timestamptz
);

create table memberships (
    subscription_id uuid not null references subscriptions (id),
    person_id uuid not null references people (id),
    role text not null,
    -- Null means all companies, also those that are created later.
    company_ids uuid[],
    created_at timestamptz not null default now(),
    -- Null while the invitation waits: it gives no access yet.
    accepted_at timestamptz,
    primary key (subscription_id, person_id)
);

create index memberships_of_person on memberships (person_id);

create table passkeys (
    person_id uuid not null references people (id),
    id uuid not null,
    credential_id bytea not null unique,
    public_key bytea not null,
    sign_count bigint not null,
    name text not null,
    transports text[] not null default '{}',
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    primary key (person_id, id)
);

-- Links that a person opens instead of signing in. Only the hash of a link's token is stored.
create table person_links (
    hash bytea primary key,
    purpose text not null check (purpose in ('invitation', 'reset', 'signIn')),
    person_id uuid not null references people (id),
    -- What an invitation gives: a membership of this subscription, or the operator's permissions.
    member_of uuid,
    grants_operator boolean not null default false,
    expires_at timestamptz not null,
    used_at timestamptz,
    is_reusable boolean not null default false,
    created_at timestamptz not null default now()
);

create index person_links_of_person on person_links (person_id);

-- Only the hash of the token in the cookie is stored.
create table sessions (
    hash bytea primary key,
    id uuid not null unique,
    person_id uuid not null references people (id),
    method text not null,
    address text,
    user_agent text,
    form_token text not null,
    created_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    authenticated_at timestamptz not null default now(),
    expires_at timestamptz not null
);

create index sessions_of_person on sessions (person_id);

create table passkey_challenges (
    id uuid primary key,
    challenge bytea not null,
    purpose text not null,
    -- Null before the person is known.
    person_id uuid references people (id),
    expires_at timestamptz not null
);

create index passkey_challenges_by_expiry on passkey_challenges (expires_at);
