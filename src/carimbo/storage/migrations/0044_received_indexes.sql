-- Lists of a situation or a role, and the newest documents of an issuer.
drop index concurrently if exists received_by_situation;
create index concurrently received_by_situation on received_documents
    (company_id, service, situation, issued_at, id);
drop index concurrently if exists received_by_role;
create index concurrently received_by_role on received_documents (company_id, service, role, issued_at, id);
drop index concurrently if exists received_of_issuer;
create index concurrently received_of_issuer on received_documents
    (subscription_id, company_id, issuer_tax_id, issued_at, id);

-- since 0.1.0: no release has this table.
drop index concurrently if exists received_by_issuer;
-- since 0.1.0: no release has this table.
drop index concurrently if exists received_by_words;
