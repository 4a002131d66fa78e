-- Whether a manifest lists a CT-e that is to be canceled.
drop index concurrently if exists documents_by_waybill;
create index concurrently documents_by_waybill on documents using gin (waybills_in(request)) where type = 'mdfe';
