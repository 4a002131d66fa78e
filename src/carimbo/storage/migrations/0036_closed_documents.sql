-- An event when a document is closed, as that of a changed status: its fact `closedAt` is set, its status stays.
create function publish_closing() returns trigger language plpgsql as $$
begin
    insert into events (subscription_id, topic, company_id, document_id, emission, amount, issued_at, details)
    values (
        new.subscription_id, new.type || '.closed', new.company_id, new.id, new.emission, new.amount,
        (select issued_at from emissions e
         where e.subscription_id = new.subscription_id and e.document_id = new.id and e.ordinal = new.emission),
        jsonb_build_object('closedAt', new.facts -> 'closedAt')
    );
    return null;
end
$$;
create trigger publish_closing after update of facts on documents
    for each row when (new.facts ? 'closedAt' and not old.facts ? 'closedAt')
    execute function publish_closing();
