-- An NFS-e with a municipal service code alone looks for the services of the catalog that have it.
drop index concurrently if exists services_by_city_code;
create index concurrently services_by_city_code on products
    (subscription_id, company_id, (fiscal ->> 'cityServiceCode')) where type = 'service' and deleted_at is null;
