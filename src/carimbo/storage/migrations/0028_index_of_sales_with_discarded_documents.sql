-- Lists of partially invoiced sales look for those of which a document was discarded, of which there are few.
drop index concurrently if exists sales_with_discarded_documents;
create index concurrently sales_with_discarded_documents on sales (company_id) where has_discarded_document;
