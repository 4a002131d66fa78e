-- The version of a document that `posted_request` belongs to. The release before changes request and version alone,
-- so that the posted body of an earlier version no longer counts.
alter table documents add column posted_version integer not null default 1;

create or replace function follow_request() returns trigger language plpgsql as $$
declare
    recipient jsonb;
begin
    if tg_op = 'UPDATE'
        and (new.recipient_tax_id, new.recipient_name) is distinct from (old.recipient_tax_id, old.recipient_name)
    then
        return new;
    end if;
    recipient := recipient_in(new.request);
    new.recipient_tax_id := tax_id_of(recipient);
    new.recipient_name := recipient ->> 'name';
    return new;
end
$$;
