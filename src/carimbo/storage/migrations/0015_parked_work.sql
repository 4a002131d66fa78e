-- What was set aside is counted every few seconds, and there is next to none of it among all that is done.
create index documents_parked on documents (id) where parked_reason is not null;
create index event_filings_parked on event_filings (id) where parked_reason is not null;
create index inutilizations_parked on inutilizations (id) where parked_reason is not null;
create index strays_parked on strays (id) where parked_reason is not null;
create index sales_parked on sales (id) where parked_reason is not null;
create index emails_parked on emails (id) where parked_reason is not null;
create index probes_parked on probes (id) where parked_reason is not null;
