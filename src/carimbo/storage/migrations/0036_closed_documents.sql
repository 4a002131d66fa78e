-- An event when a document is closed, as that of a changed status: its fact `closedAt` is set, its status stays.
create function publish_closing() returns trigger language plpgsql as $$
begin
    insert into events (subscription_id, topic, company_id, document_id, emission, amount, issued_at, details)
    values (
        new.subscription_id, new.type || '.closed', new.company_id, new.id, new.emission, new.amount,
        (select issued_at from emissions e
         where e.subscription_id = new.subscription_id and e.document_id = new.id and e.ordinal = new.emission),
        jsonb_build_object('closedAt', new.facts -> 'closedAt')
    );
    return null;
end
$$;
-- Triggers fire in the order of their names: after tell_of_document, so that "closed" follows "authorized".
create trigger tell_of_document_closing after update of facts on documents
    for each row when (new.facts ? 'closedAt' and not old.facts ? 'closedAt')
    execute function publish_closing();

-- The vehicles and the drivers in the request of a manifest, as lists search for them.
create function plates_in(request text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
    modal jsonb;
begin
    modal := request::jsonb -> 'modal';
    return array(
        select regexp_replace(upper(vehicle ->> 'plate'), '[^0-9A-Z]', '', 'g')
        from (
            select modal -> 'vehicle' as vehicle
            union all select jsonb_path_query(modal, '$.trailers[*]')
        ) as vehicles
        where vehicle ->> 'plate' is not null
    );
exception when others then
    return '{}';
end
$$;

create function drivers_in(request text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
    body jsonb;
begin
    body := request::jsonb;
    return array(
        select regexp_replace(driver ->> 'taxId', '[^0-9]', '', 'g')
        from (
            select jsonb_path_query(body, '$.drivers[*]') as driver
            union all select jsonb_path_query(body, '$.modal.drivers[*]')
        ) as drivers
        where driver ->> 'taxId' is not null
    );
exception when others then
    return '{}';
end
$$;

-- The CT-e in the request of a manifest: they are not canceled while it is open.
create function waybills_in(request text) returns text[] language plpgsql immutable strict parallel safe as $$
begin
    return array(
        select regexp_replace(upper(key #>> '{}'), '[^0-9A-Z]', '', 'g')
        from jsonb_path_query(request::jsonb, '$.documents[*].cteAccessKeys[*]') as key
    );
exception when others then
    return '{}';
end
$$;
