-- What the authority last said of an attempt, or why it said nothing, and how often it was tried.
alter table emissions
    add column attempts integer not null default 0,
    add column answer_code text,
    add column answer_message text,
    add column answered_at timestamptz;
