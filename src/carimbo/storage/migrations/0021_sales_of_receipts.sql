-- A sale that is invoiced by a receipt (NFC-e) needs no customer; notes and payments are those of the sale's body.
alter table sales
    alter column customer_id drop not null,
    add column notes text,
    -- By the names of our JSON.
    add column payments jsonb,
    -- False once all its documents were discarded: lists by status look at documents, and would not find it.
    add column has_documents boolean not null default true;
