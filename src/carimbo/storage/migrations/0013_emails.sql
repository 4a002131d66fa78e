-- Documents that are sent to somebody by e-mail, and every attempt to send one.

-- The columns next_action_at .. parked_reason are those of every work table (see storage/work.py).
create table emails (
    subscription_id uuid not null,
    id uuid not null default time_ordered_id(),
    company_id uuid not null,
    document_id uuid not null,
    -- Null until it is found out whom the document itself is for.
    recipients text[],
    asked_by text not null check (asked_by in ('sale', 'company', 'request')),
    status text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
    attempts_made integer not null default 0,
    last_error text,
    -- What mail servers and readers tell it by: the same at every attempt.
    message_id text,
    -- When the first of its recipients got it, and when nobody was left to get it.
    sent_at timestamptz,
    settled_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    next_action_at timestamptz default now(),
    lease_token bigint not null default 0,
    lease_until timestamptz,
    attempts integer not null default 0,
    parked_reason text,
    primary key (subscription_id, id),
    foreign key (subscription_id, document_id) references documents (subscription_id, id)
) with (fillfactor = 80);

create index emails_of_document on emails (document_id, created_at, id);
create index emails_due on emails (next_action_at) where next_action_at is not null;
create index emails_settled on emails (settled_at) where settled_at is not null;

create table email_attempts (
    subscription_id uuid not null,
    email_id uuid not null,
    number integer not null,
    started_at timestamptz not null,
    milliseconds integer not null,
    -- Whom this attempt was for: not those who had it, or never will.
    recipients text[] not null,
    outcome text not null check (outcome in ('sent', 'refused', 'notSent')),
    -- What the mail server said, or why it said nothing.
    code integer,
    message text,
    -- Those of them that it did not take: address, code, message, and whether that is final.
    refusals jsonb not null default '[]',
    primary key (subscription_id, email_id, number),
    foreign key (subscription_id, email_id) references emails (subscription_id, id) on delete cascade
);

-- The statement of `job_added` in storage/jobs.py, for rows that a trigger makes due.
create function wake_worker(kind text, subscription_id uuid, id uuid, lease_token bigint, priority integer)
returns void language plpgsql as $$
declare
    key constant text := kind || ':' || subscription_id || ':' || id;
begin
    insert into pgqueuer (status, entrypoint, priority, payload, dedupe_key, execute_after)
    values ('queued', kind, priority, convert_to(key, 'UTF8'), key || ':' || lease_token, now())
    on conflict (dedupe_key) where status in ('queued', 'picked') and dedupe_key is not null do nothing;
end
$$;

-- What a sale says goes before what its company usually does. The e-mail is part of the transaction that
-- authorizes the document: none is forgotten.
create function owe_email() returns trigger language plpgsql as $$
declare
    asker text;
    email uuid;
begin
    select case
        when s.send_email then 'sale'
        when s.send_email is null and c.settings -> 'email' ->> 'sendOnAuthorization' = 'true' then 'company'
    end
    into asker
    from documents d
    join companies c on c.subscription_id = d.subscription_id and c.id = d.company_id
    left join sales s on s.subscription_id = d.subscription_id and s.id = d.sale_id
    where d.subscription_id = new.subscription_id and d.id = new.document_id;
    if asker is not null then
        insert into emails (subscription_id, company_id, document_id, asked_by)
        values (new.subscription_id, new.company_id, new.document_id, asker)
        returning id into email;
        -- After all documents that wait (see PRIORITIES in storage/work.py).
        perform wake_worker('email', new.subscription_id, email, 0, -(1 << 30));
    end if;
    return null;
end
$$;
create trigger owe_email after insert on events
    for each row when (new.document_id is not null and new.topic like '%.authorized') execute function owe_email();
