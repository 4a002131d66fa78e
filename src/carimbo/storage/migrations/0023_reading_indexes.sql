-- What documents are found by.
drop index concurrently if exists documents_by_recipient;
create index concurrently documents_by_recipient on documents
    (subscription_id, company_id, recipient_tax_id, created_at, id) where recipient_tax_id is not null;
-- Without a list of pending entries: to sort one in keeps some caller waiting for all of them.
drop index concurrently if exists documents_by_recipient_words;
create index concurrently documents_by_recipient_words on documents
    using gin (recipient_words(company_id, recipient_name)) with (fastupdate = off)
    where recipient_name is not null;
-- A document is known by the number that the authority gave it, and by ours until then.
drop index concurrently if exists emissions_by_known_number;
create index concurrently emissions_by_known_number on emissions
    (subscription_id, company_id, coalesce(assigned_number, number));
drop index concurrently if exists emissions_by_assigned_key;
create index concurrently emissions_by_assigned_key on emissions (subscription_id, assigned_key)
    where assigned_key is not null;
