-- Lists of manifests search for a driver.
drop index concurrently if exists documents_by_driver;
create index concurrently documents_by_driver on documents using gin (drivers_in(request)) where type = 'mdfe';
