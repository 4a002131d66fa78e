-- Documents in a file of their own: nobody waits for a lock on them and on sales at once.
create function claim_document_keys() returns trigger language plpgsql as $$
begin
    perform claim_order_keys(
        new.subscription_id, new.company_id, new.namespace, new.idempotency_key, new.external_id, new.id, null
    );
    return null;
end
$$;

create trigger claim_keys after insert on documents
    for each row when (new.is_direct and coalesce(new.idempotency_key, new.external_id) is not null)
    execute function claim_document_keys();
