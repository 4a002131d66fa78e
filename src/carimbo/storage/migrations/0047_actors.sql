-- Who did it, as {kind, id, name}. Rows of earlier releases do not say it.
alter table documents add column created_by jsonb;
alter table sales add column created_by jsonb;
alter table event_filings add column created_by jsonb;
alter table inutilizations add column created_by jsonb;
alter table manifestations add column created_by jsonb;
-- Null for what an authority or the worker caused.
alter table document_events add column actor jsonb;
