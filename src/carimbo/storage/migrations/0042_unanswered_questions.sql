-- A question about a single document that gets no answer is repeated later and later, so that others are asked
-- meanwhile. The tables are read by the workers that ask; the release before has none of them.
alter table stream_gaps
    add column tries integer not null default 0,
    add column ask_at timestamptz not null default now();
alter table stream_requests
    add column tries integer not null default 0,
    add column ask_at timestamptz not null default now();

-- Files that could not be read are read again from time to time: a newer release may know them.
alter table stream_unread_files add column tried_at timestamptz not null default now();
