-- Forms of the dashboard that were sent. Each rendered form has an id of its own, and acts only once.
create table form_submissions (
    person_id uuid not null references people (id),
    id uuid not null,
    created_at timestamptz not null default now(),
    -- The page that shows the result. Null while the action runs, or if its process ended before it could say.
    address text,
    -- A secret that the result shows for some minutes, sealed.
    key_id text,
    sealed bytea,
    primary key (person_id, id)
);

create index form_submissions_by_age on form_submissions (created_at);

-- The fields of long forms as a person typed them last, until the form is sent.
create table form_drafts (
    subscription_id uuid not null,
    company_id uuid not null,
    person_id uuid not null references people (id),
    form text not null,
    fields jsonb not null,
    updated_at timestamptz not null default now(),
    primary key (subscription_id, company_id, person_id, form),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
);

create index form_drafts_by_age on form_drafts (updated_at);
