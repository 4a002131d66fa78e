-- Columns that documents are read and found by, and what fills them. Documents alone: no file locks two tables.

alter table documents
    -- The body as the caller sent it, of a document whose request was filled from the catalog; null where the request
    -- is what was sent. The request stays what the document is made of, also for workers of the release before.
    add column posted_request text,
    add column recipient_tax_id text,
    add column recipient_name text;

-- The recipient in a stored request: `recipient` of goods, `borrower` of services. A body that jsonb does not take,
-- such as one with \u0000 in a text, has none.
create function recipient_in(request text) returns jsonb language plpgsql immutable strict parallel safe as $$
declare
    body jsonb;
begin
    body := request::jsonb;
    return coalesce(body -> 'recipient', body -> 'borrower');
exception when others then
    return null;
end
$$;

create function tax_id_of(recipient jsonb) returns text language sql immutable strict parallel safe
    return regexp_replace(upper(recipient ->> 'taxId'), '[^0-9A-Z]', '', 'g');

-- The release before writes the request alone. Columns that it leaves as they were belong to the former request.
create function follow_request() returns trigger language plpgsql as $$
declare
    recipient jsonb;
begin
    if tg_op = 'UPDATE' then
        if new.posted_request is not distinct from old.posted_request then
            new.posted_request := null;
        end if;
        if (new.recipient_tax_id, new.recipient_name) is distinct from (old.recipient_tax_id, old.recipient_name) then
            return new;
        end if;
    end if;
    recipient := recipient_in(new.request);
    new.recipient_tax_id := tax_id_of(recipient);
    new.recipient_name := recipient ->> 'name';
    return new;
end
$$;

create trigger follow_new_request before insert on documents
    for each row when (new.recipient_tax_id is null and new.recipient_name is null)
    execute function follow_request();
create trigger follow_request before update of request on documents
    for each row when (new.request is distinct from old.request)
    execute function follow_request();

-- How far the worker has come with the recipients of documents that are older than the triggers. No row: it is done.
create table recipient_filling (
    after_subscription_id uuid not null,
    after_document_id uuid not null,
    primary key (after_subscription_id, after_document_id)
);
insert into recipient_filling
values ('00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000');

-- The words of a recipient's name, each with its company, so that a search reads no index entries of other companies.
-- Cut, as a word of a tsvector has at most 2046 bytes, and one character may become 18 in its searchable form.
create function recipient_words(company_id uuid, name text) returns tsvector
    language sql immutable strict parallel safe
    return array_to_tsvector(array(
        select company_id::text || ':' || left(searchable(word), 200) from regexp_split_to_table(name, '\s+') as word
        where searchable(word) <> ''
    ));

-- The event of a rejection keeps its reason: a document that is corrected and emitted again has it no more. Every
-- event keeps what the caller knows the document by: one that is discarded has it no more.
create or replace function tell_of_document() returns trigger language plpgsql as $$
begin
    insert into events (subscription_id, topic, company_id, document_id, emission, amount, issued_at, details)
    values (
        new.subscription_id, new.type || '.' || new.status, new.company_id, new.id, new.emission, new.amount,
        (select issued_at from emissions e
         where e.subscription_id = new.subscription_id and e.document_id = new.id and e.ordinal = new.emission),
        jsonb_build_object('externalId', new.external_id, 'saleId', new.sale_id)
            || case when new.status = 'rejected' then jsonb_build_object('rejection', new.rejection) else '{}' end
    );
    return null;
end
$$;
