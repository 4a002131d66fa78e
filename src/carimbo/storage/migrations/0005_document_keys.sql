-- Rows of these tables are written by statements that hold their document's, and documents are never deleted: a
-- foreign key looks up again, for every row, what is at hand.
alter table emissions drop constraint emissions_subscription_id_document_id_fkey;
alter table document_events drop constraint document_events_subscription_id_document_id_fkey;

-- A company belongs to one subscription: what is not unique begins with the company. An index that begins with the
-- subscription looks to the planner as good as the primary key for finding one row, until there are statistics.
drop index documents_by_age;
drop index documents_listed_by_external_id;
drop index documents_by_type;
drop index documents_unsettled;
drop index documents_turns;
drop index documents_turns_of_company;

create index documents_by_age on documents (company_id, created_at, id);
create index documents_listed_by_external_id on documents (company_id, external_id) where external_id is not null;
create index documents_by_type on documents (company_id, type, created_at, id);
create index documents_unsettled on documents (company_id, status, created_at, id) where status <> 'authorized';
-- Of what waits for a turn only, so that nobody looks here for the turns of one company.
create index documents_turns on documents (is_urgent, turn) where next_action_at is not null and turn > 0;
create index documents_turns_of_company on documents (company_id, is_urgent, turn)
    where next_action_at is not null;
