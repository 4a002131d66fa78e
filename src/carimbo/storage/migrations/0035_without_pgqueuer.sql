-- After the restart of all processes.
-- The work rows are the queue since 0.2.0. Only processes of the release before use what is dropped here, so
-- `carimbo migrate` waits until none is connected (see storage/migrate.py).

-- since 0.2.0: the work rows are the queue
drop table if exists pgqueuer, pgqueuer_log, pgqueuer_statistics, pgqueuer_schedules;
-- since 0.2.0: the work rows are the queue
drop function if exists fn_pgqueuer_changed;
-- since 0.2.0: the work rows are the queue
drop type if exists pgqueuer_status;
-- since 0.2.0: triggers send a NOTIFY instead of inserting a job
drop function wake_worker;
-- since 0.2.0: the indexes documents_turns and documents_paused find due documents
drop index documents_due;
