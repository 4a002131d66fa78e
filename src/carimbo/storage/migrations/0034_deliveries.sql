-- A delivery waits as long as the pending ones of the same document, at least. These are found in a subquery that
-- `offset 0` keeps apart. Otherwise `max` would be planned as a walk through all due deliveries of the webhook, from the
-- last to the first: for a new document, the whole backlog of a receiver that is down, in the transaction that authorizes
-- the document.
create or replace function owe_deliveries() returns trigger language plpgsql as $$
begin
    insert into deliveries (subscription_id, webhook_id, event_id, document_id, ordinal, next_action_at)
    select new.subscription_id, w.id, new.id, new.document_id, new.ordinal, greatest(now(), (
        select max(earlier.next_action_at)
        from (
            select next_action_at from deliveries
            where webhook_id = w.id and document_id = new.document_id and status = 'pending'
            offset 0
        ) as earlier
    ))
    from webhooks w
    where w.subscription_id = new.subscription_id and w.is_active and new.topic = any (w.topics)
    for key share of w;
    return null;
end
$$;
