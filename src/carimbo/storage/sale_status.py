"""The status of a sale, in SQL: `s` is a sale, and parameter 2 the company whose sales are looked for."""

IS_WAITING = "(s.next_action_at is not null or s.parked_reason is not null)"
"""Whether the time of a sale has still to come."""
# Read from the documents. The sale itself says whether drafts wait for a time, and whether one was discarded.
STATUS = f"""(
    select case
        when bool_or(d.status = 'processing') then 'processing'
        when bool_and(d.status = 'authorized') and not s.has_discarded_document then 'invoiced'
        when bool_or(d.status = 'authorized') then 'partiallyInvoiced'
        when bool_or(d.status = 'canceled') and not (bool_or(d.status = 'pending') and {IS_WAITING})
            then 'canceled'
        when bool_or(d.status = 'rejected') then 'failed'
        when {IS_WAITING} then 'scheduled'
        else 'draft' end
    from documents d where d.subscription_id = s.subscription_id and d.sale_id = s.id
)"""
_WITH_UNAUTHORIZED_DOCUMENT = (
    "select d.sale_id from documents d where d.company_id = $2 and d.status <> 'authorized'"
    " and d.sale_id is not null"
)
# By status, what narrows down the sales with a document that is not authorized, or adds others to them.
_CANDIDATES = {
    # A sale whose documents were all discarded is a draft again.
    "draft": " and d.status = 'pending'"
    " union all select n.id from sales n where n.company_id = $2 and not n.has_documents",
    "scheduled": " and d.status = 'pending'",
    "processing": " and d.status = 'processing'",
    "partiallyInvoiced": " union all"
    " select n.id from sales n where n.company_id = $2 and n.has_discarded_document",
    "failed": " and d.status = 'rejected'",
    "canceled": " and d.status = 'canceled'",
}
STATUS_FILTERS = {
    "invoiced": "s.has_documents and not s.has_discarded_document"
    f" and s.id not in ({_WITH_UNAUTHORIZED_DOCUMENT})",
    **{
        status: f"s.id in ({_WITH_UNAUTHORIZED_DOCUMENT}{candidates}) and {STATUS} = '{status}'"
        for status, candidates in _CANDIDATES.items()
    },
}
"""By status, the condition of the sales that have it. It starts from documents that are not authorized: they
are few, and have an index."""
LOSE_DOCUMENT = """
    with rest as (
        select count(*) as documents, count(*) filter (where status = 'pending') as drafts
        from documents where subscription_id = $1 and sale_id = $2
    )
    update sales set updated_at = now(), has_documents = rest.documents > 0,
        has_discarded_document = not is_direct,
        next_action_at = case when rest.drafts > 0 then next_action_at end,
        scheduled_emit_at = case when rest.drafts > 0 then scheduled_emit_at end,
        parked_reason = case when rest.drafts > 0 then parked_reason end
    from rest where subscription_id = $1 and id = $2
"""
"""Updates a sale after one of its documents was discarded; without drafts its schedule is cleared."""
