-- One key, one order. A document that is created directly and a sale are orders of a company; each claims its
-- Idempotency-Key and its externalId here, so that no second order of any kind can have them.
create table order_keys (
    subscription_id uuid not null,
    company_id uuid not null,
    namespace text not null,
    key text not null,
    -- Whether the order sent the key as Idempotency-Key; its externalId is with the order itself.
    is_header boolean not null,
    document_id uuid,
    sale_id uuid,
    primary key (subscription_id, company_id, namespace, key),
    check (num_nonnulls(document_id, sale_id) = 1)
);

-- Triggers, so that orders of the release before are claimed too while both releases run. Keys are claimed in
-- their order: two transactions with the same two keys never wait for each other.
create function claim_order_keys(
    subscription_id uuid, company_id uuid, namespace text, header text, external_id text, document_id uuid, sale_id uuid
) returns void language plpgsql as $$
begin
    insert into order_keys
    select $1, $2, $3, claimed.key, claimed.key is not distinct from $4, $6, $7
    from (select distinct unnest(array[$4, $5]) as key) as claimed
    where claimed.key is not null
    order by claimed.key;
end
$$;

create function claim_sale_keys() returns trigger language plpgsql as $$
begin
    -- A sale becomes documents of this namespace.
    perform claim_order_keys(
        new.subscription_id, new.company_id, 'invoices', new.idempotency_key, new.external_id, null, new.id
    );
    return null;
end
$$;

create function release_sale_keys() returns trigger language plpgsql as $$
begin
    delete from order_keys
    where subscription_id = old.subscription_id and company_id = old.company_id and namespace = 'invoices'
        and key in (old.idempotency_key, old.external_id) and sale_id = old.id;
    return null;
end
$$;

-- A sale that a direct document makes has no keys of its own: the document claims them.
create trigger claim_keys after insert on sales
    for each row when (not new.is_direct and coalesce(new.idempotency_key, new.external_id) is not null)
    execute function claim_sale_keys();
create trigger release_keys after delete on sales
    for each row execute function release_sale_keys();

-- The body that created a sale, to notice a repeated key with another body. Direct documents have theirs.
alter table sales add column request text;
