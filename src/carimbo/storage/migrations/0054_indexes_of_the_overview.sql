-- Documents that are rejected now, by the time of their rejection: a document of a sale may be rejected weeks after its
-- creation. With a million documents, those of the last month are found in 0.3 ms instead of 18. What changes
-- updated_at changes other columns in indexes too, so that updates cost the same as before.
drop index concurrently if exists documents_rejected;
create index concurrently documents_rejected on documents (subscription_id, company_id, updated_at)
    where status = 'rejected';
-- Received documents about which a company must conclude soon: with 100,000 of a year, 1 ms instead of 29.
drop index concurrently if exists received_to_conclude;
create index concurrently received_to_conclude on received_documents (company_id, status, respond_by)
    where respond_by is not null;
