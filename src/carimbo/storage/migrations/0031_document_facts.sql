-- What the events of a document left behind, such as the moment when it was closed.
alter table documents add column facts jsonb not null default '{}';
