-- A probe is the smallest piece of queued work: it goes through the queue to show that a worker answers.
-- Its columns next_action_at .. parked_reason are those of every work table (see storage/work.py).

create table probes (
    subscription_id uuid not null,
    id uuid not null,
    created_at timestamptz not null default now(),
    answered_at timestamptz,
    next_action_at timestamptz,
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    primary key (subscription_id, id)
);

create index probes_due on probes (next_action_at) where next_action_at is not null;
