-- The days of earlier documents, in a shard of their own. The triggers have committed before, and one statement sees
-- documents and counters at the same instant: what the triggers have counted by then is subtracted, so that nobody
-- waits for this, and no document is counted twice.
insert into document_days
select subscription_id, company_id, day, environment, type, status, 16, sum(documents), sum(amount)
from (
    select subscription_id, company_id, document_day(first_queued_at, created_at) as day, environment, type, status,
        1 as documents, amount
    from documents where status in ('authorized', 'rejected', 'canceled')
    union all
    select subscription_id, company_id, day, environment, type, status, -documents, -amount from document_days
) as uncounted
group by 1, 2, 3, 4, 5, 6 having sum(documents) <> 0;
