-- Lists of manifests search for a vehicle.
drop index concurrently if exists documents_by_plate;
create index concurrently documents_by_plate on documents using gin (plates_in(request)) where type = 'mdfe';
