-- The documents of a month, for archives: in the order of their issue.
drop index concurrently if exists emissions_by_issue;
create index concurrently emissions_by_issue on emissions
    (subscription_id, company_id, environment, issued_at, document_id)
    where state in ('authorized', 'canceled');
