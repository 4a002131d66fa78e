-- The work rows become the queue themselves (see storage/queue.py): a row that becomes due wakes the workers.
-- Processes of the release before work beside it: their rows fire these triggers, and their sweeper finds the rows of
-- newer processes.
create function notify_work() returns trigger language plpgsql as $$
begin
    perform pg_notify('carimbo_work', tg_argv[0]);
    return null;
end
$$;

create trigger wake_workers after insert on documents
    for each row when (new.next_action_at <= now()) execute function notify_work('document');
create trigger wake_workers_again after update of next_action_at on documents
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('document');

create trigger wake_workers after insert on event_filings
    for each row when (new.next_action_at <= now()) execute function notify_work('event');
create trigger wake_workers_again after update of next_action_at on event_filings
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('event');

create trigger wake_workers after insert on inutilizations
    for each row when (new.next_action_at <= now()) execute function notify_work('inutilization');
create trigger wake_workers_again after update of next_action_at on inutilizations
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('inutilization');

create trigger wake_workers after insert on strays
    for each row when (new.next_action_at <= now()) execute function notify_work('stray');
create trigger wake_workers_again after update of next_action_at on strays
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('stray');

create trigger wake_workers after insert on sales
    for each row when (new.next_action_at <= now()) execute function notify_work('sale');
create trigger wake_workers_again after update of next_action_at on sales
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('sale');

create trigger wake_workers after insert on emails
    for each row when (new.next_action_at <= now()) execute function notify_work('email');
create trigger wake_workers_again after update of next_action_at on emails
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('email');

create trigger wake_workers after insert on probes
    for each row when (new.next_action_at <= now()) execute function notify_work('probe');
create trigger wake_workers_again after update of next_action_at on probes
    for each row when (new.next_action_at <= now() and new.next_action_at is distinct from old.next_action_at)
    execute function notify_work('probe');

-- The e-mail is part of the transaction that authorizes the document, so none is forgotten. The choice of the sale
-- counts more than the usual choice of its company.
create or replace function owe_email() returns trigger language plpgsql as $$
declare
    asker text;
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
        values (new.subscription_id, new.company_id, new.document_id, asker);
    end if;
    return null;
end
$$;
