-- Some authorities number what they authorise and give it its key: series, number and access_key of an attempt are then
-- those of the request for it, as the DPS is that of an NFS-e.
alter table emissions add column assigned_number bigint;
alter table emissions add column assigned_key text;

-- The id of a DPS is the same in both environments.
drop index emissions_by_access_key;
create unique index emissions_by_access_key on emissions (subscription_id, access_key, environment)
    where access_key is not null;

-- A document may take the place of another, which is canceled by that.
alter table documents add column replaced_by uuid;
