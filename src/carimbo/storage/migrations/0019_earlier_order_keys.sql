-- The keys of earlier orders. In a file of its own: the triggers before it have committed, so that nobody waits for
-- this, and no order is missed in between. Where a document and a sale have the same key, the document gets it, as
-- the API returns what was created directly first. The release before stored the externalId as the key of a document
-- without Idempotency-Key, so a key that equals it is not counted as a header.
insert into order_keys (subscription_id, company_id, namespace, key, is_header, document_id)
select subscription_id, company_id, namespace, external_id, false, id from documents
where is_direct and external_id is not null
on conflict do nothing;

insert into order_keys (subscription_id, company_id, namespace, key, is_header, sale_id)
select subscription_id, company_id, 'invoices', external_id, external_id is not distinct from idempotency_key, id
from sales where not is_direct and external_id is not null
on conflict do nothing;

insert into order_keys (subscription_id, company_id, namespace, key, is_header, document_id)
select subscription_id, company_id, namespace, idempotency_key, true, id from documents
where is_direct and idempotency_key is not null
on conflict do nothing;

insert into order_keys (subscription_id, company_id, namespace, key, is_header, sale_id)
select subscription_id, company_id, 'invoices', idempotency_key, true, id from sales
where not is_direct and idempotency_key is not null
on conflict do nothing;
