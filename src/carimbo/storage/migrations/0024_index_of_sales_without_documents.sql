-- Lists of drafts look for sales whose documents were all discarded, of which there are few.
drop index concurrently if exists sales_without_documents;
create index concurrently sales_without_documents on sales (company_id) where not has_documents;
