-- The catalog as callers search and keep it, and sales that wait for their time.

-- How a text is searched: without case, accents and punctuation.
create function searchable(told text) returns text language sql immutable strict parallel safe
    return regexp_replace(lower(normalize(told, NFKD)), '[\u0300-\u036f[:punct:][:space:]]', '', 'g');

alter table customers add column searched text not null generated always as (
    searchable(name) || ' ' || searchable(coalesce(email, '')) || ' ' || searchable(coalesce(document, ''))
        || ' ' || searchable(coalesce(foreign_id, ''))
) stored;
create index customers_of_company on customers (company_id, created_at desc, id desc)
    where deleted_at is null;

alter table products
    add column searched text not null generated always as (
        searchable(name) || ' ' || searchable(id) || ' ' || searchable(sku)
    ) stored,
    -- What a split item divides into: id and percentage.
    add column components jsonb not null default '[]';
create index products_of_company on products (company_id, created_at desc, id desc)
    where deleted_at is null;

alter table sales
    add column idempotency_key text,
    add column send_email boolean,
    add column product_invoice_type text,
    -- What the body said of the note of services, by the names of our JSON.
    add column nfse jsonb,
    -- When its documents are to be issued, of a sale that waits; a row of work until then.
    add column scheduled_emit_at timestamptz,
    add column next_action_at timestamptz,
    add column lease_token bigint not null default 0,
    add column lease_until timestamptz,
    add column attempts integer not null default 0,
    add column parked_reason text;

create unique index sales_by_idempotency_key on sales (subscription_id, company_id, idempotency_key)
    where idempotency_key is not null;
create index sales_of_company on sales (company_id, sold_on desc, id desc);
create index sales_listed_by_external_id on sales (company_id, external_id) where external_id is not null;
create index sales_of_customer on sales (customer_id);
create index sales_due on sales (next_action_at) where next_action_at is not null;
create index sale_lines_of_product on sale_lines (product_id);
