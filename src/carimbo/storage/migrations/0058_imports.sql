-- CSV files of customers, products or sales that people upload; a worker imports them line by line. The columns
-- next_action_at .. parked_reason are those of every work table (see storage/work.py).
create table imports (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    kind text not null check (kind in ('customers', 'products', 'sales')),
    file_name text not null,
    -- The file as it was uploaded.
    content bytea not null,
    -- Records of the file, without its header and blank lines, and how many of them were imported or refused.
    lines_total integer not null,
    lines_done integer not null default 0,
    -- How many customers, products or sales were created or changed, or existed already.
    created integer not null default 0,
    changed integer not null default 0,
    unchanged integer not null default 0,
    -- How many lines were refused, and how many problems they have; only the first of them are stored.
    refused integer not null default 0,
    problems integer not null default 0,
    state text not null default 'processing' check (state in ('processing', 'finished', 'canceled')),
    created_by jsonb,
    created_at timestamptz not null default now(),
    -- When the last line was imported or refused.
    progressed_at timestamptz not null default now(),
    -- Also of a canceled import.
    finished_at timestamptz,
    next_action_at timestamptz default now(),
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    -- Whether an operator held the row (`carimbo documents hold`): only the operator resumes it then.
    held_by_operator boolean,
    primary key (subscription_id, id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
) with (fillfactor = 80);

create index imports_of_company on imports (subscription_id, company_id, created_at desc, id desc);
create index imports_by_age on imports (created_at);
create index imports_parked on imports (id) where parked_reason is not null;
create index imports_due on imports (next_action_at) where next_action_at is not null;

create trigger wake_workers after insert on imports
    for each row when (new.next_action_at <= now()) execute function notify_work('import');
create trigger wake_workers_again after update of next_action_at on imports
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('import');
