-- Counters by which lists of received documents say how many there are, however full the inbox is.

-- By the day of issue in UTC. A filter by dates counts whole days here and the rest of its first and last day itself.
create table received_days (
    subscription_id uuid not null,
    company_id uuid not null,
    service text not null,
    environment text not null,
    day date not null,
    status text not null,
    situation text not null,
    role text not null,
    documents bigint not null,
    primary key (subscription_id, company_id, service, environment, day, status, situation, role)
) with (fillfactor = 50);

-- Who issued them. A search reads these names, which are fewer than the documents.
create table received_issuers (
    subscription_id uuid not null,
    company_id uuid not null,
    service text not null,
    environment text not null,
    tax_id text not null,
    name text not null,
    documents bigint not null,
    primary key (subscription_id, company_id, service, environment, tax_id, name)
) with (fillfactor = 50);
create index received_issuers_by_words on received_issuers using gin (recipient_words(company_id, name))
    with (fastupdate = off);

create function count_received_by_day(received received_documents, change integer) returns void language sql as $$
    insert into received_days as c
    values (received.subscription_id, received.company_id, received.service, received.environment,
        (received.issued_at at time zone 'UTC')::date, received.status, received.situation, received.role, change)
    on conflict (subscription_id, company_id, service, environment, day, status, situation, role)
    do update set documents = c.documents + excluded.documents
$$;
create function count_received_by_issuer(received received_documents, change integer) returns void language sql as $$
    insert into received_issuers as c
    values (received.subscription_id, received.company_id, received.service, received.environment,
        received.issuer_tax_id, received.issuer_name, change)
    on conflict (subscription_id, company_id, service, environment, tax_id, name)
    do update set documents = c.documents + excluded.documents
$$;

-- Whoever changes received documents has locked those of the company, so that no two transactions count at once.
create or replace function count_received() returns trigger language plpgsql as $$
begin
    perform count_received_by_day(new, 1), count_received_by_issuer(new, 1);
    if tg_op = 'UPDATE' then
        perform count_received_by_day(old, -1), count_received_by_issuer(old, -1);
    end if;
    return null;
end
$$;
-- since 0.1.0: no release has this table.
drop trigger count_new_received on received_documents;
-- since 0.1.0: no release has this table.
drop trigger count_changed_received on received_documents;
create trigger count_new_received after insert on received_documents
    for each row execute function count_received();
create trigger count_changed_received after update on received_documents
    for each row when (
        (old.issued_at, old.status, old.situation, old.role, old.issuer_tax_id, old.issuer_name)
        is distinct from (new.issued_at, new.status, new.situation, new.role, new.issuer_tax_id, new.issuer_name)
    ) execute function count_received();

insert into received_days
select subscription_id, company_id, service, environment, (issued_at at time zone 'UTC')::date, status, situation, role,
    count(*)
from received_documents group by 1, 2, 3, 4, 5, 6, 7, 8;
insert into received_issuers
select subscription_id, company_id, service, environment, issuer_tax_id, issuer_name, count(*)
from received_documents group by 1, 2, 3, 4, 5, 6;
-- since 0.1.0: no release has this table.
drop table received_counts;
