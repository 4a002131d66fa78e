-- Outside of transactions: an index that is built CONCURRENTLY keeps no writer waiting, and no two tables are locked
-- at once. Cut short, the file runs again from its beginning.

alter table documents add column if not exists recipient_tax_id text, add column if not exists recipient_name text;

-- What the authority last said of an attempt, or why it said nothing, and how often it was tried.
alter table emissions
    add column if not exists attempts integer not null default 0,
    add column if not exists answer_code text,
    add column if not exists answer_message text,
    add column if not exists answered_at timestamptz;

-- The recipients of earlier documents, before there is an index to keep. What workers may be busy with comes by
-- itself, and is little: they wait for no more than that.
update documents set
    recipient_tax_id = regexp_replace(upper(recipient_in(request) ->> 'taxId'), '[^0-9A-Z]', '', 'g'),
    recipient_name = recipient_in(request) ->> 'name'
where status <> 'authorized' and recipient_tax_id is null and recipient_name is null;
update documents set
    recipient_tax_id = regexp_replace(upper(recipient_in(request) ->> 'taxId'), '[^0-9A-Z]', '', 'g'),
    recipient_name = recipient_in(request) ->> 'name'
where status = 'authorized' and recipient_tax_id is null and recipient_name is null;

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
