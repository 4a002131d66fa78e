-- Facts from the events of a document, such as the moment when it was closed.
alter table documents add column facts jsonb not null default '{}';
