-- What people and programs changed, besides the histories of documents. Rows are only added, never changed.
create table audit_entries (
    -- NIL for changes of the installation itself.
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid,
    actor jsonb not null,
    action text not null,
    -- What was changed: an id, and a name as it was then.
    subject_id text,
    subject_name text,
    -- Names of changed fields and harmless values; never a secret.
    details jsonb not null default '{}',
    created_at timestamptz not null default clock_timestamp(),
    primary key (subscription_id, id)
);

create index audit_entries_by_time on audit_entries (subscription_id, created_at, id);
create index audit_entries_of_company on audit_entries (subscription_id, company_id, created_at, id);
