-- Sessions that have ended and links that expired, which a worker deletes.
drop index concurrently if exists sessions_by_expiry;
create index concurrently sessions_by_expiry on sessions (expires_at);
drop index concurrently if exists person_links_by_expiry;
create index concurrently person_links_by_expiry on person_links (expires_at);
