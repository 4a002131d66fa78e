-- What documents are read and found by. Functions only: columns and indexes follow in a file without a transaction.

-- The event of a rejection keeps its reason: a document that is corrected and emitted again has it no more.
create or replace function tell_of_document() returns trigger language plpgsql as $$
begin
    insert into events (subscription_id, topic, company_id, document_id, emission, amount, issued_at, details)
    values (
        new.subscription_id, new.type || '.' || new.status, new.company_id, new.id, new.emission, new.amount,
        (select issued_at from emissions e
         where e.subscription_id = new.subscription_id and e.document_id = new.id and e.ordinal = new.emission),
        case when new.status = 'rejected' then jsonb_build_object('rejection', new.rejection) end
    );
    return null;
end
$$;

-- The words of a recipient's name, each with its company, so that a search reads no index entries of other companies.
create function recipient_words(company_id uuid, name text) returns tsvector
    language sql immutable strict parallel safe
    return array_to_tsvector(array(
        select company_id::text || ':' || searchable(word) from regexp_split_to_table(name, '\s+') as word
        where searchable(word) <> ''
    ));

-- The recipient in a stored request: `recipient` of goods, `borrower` of services. A body that jsonb does not take,
-- such as one with \u0000 in a text, has none.
create function recipient_in(request text) returns jsonb language plpgsql immutable strict parallel safe as $$
begin
    return coalesce(request::jsonb -> 'recipient', request::jsonb -> 'borrower');
exception when others then
    return null;
end
$$;
