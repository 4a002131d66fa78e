-- Paused documents are claimed by the time when they are due, and the others by their turn.
drop index concurrently if exists documents_paused;
create index concurrently documents_paused on documents (is_urgent, next_action_at)
    where next_action_at is not null and turn = 0;
