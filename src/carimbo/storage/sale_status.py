"""How sales stand, in SQL: `s` is a sale, and parameter 2 the company whose sales are looked for."""

# How a sale stands is what its documents say; only of drafts does it say itself whether they wait for a time.
STATUS = """(
    select case
        when bool_or(d.status = 'processing') then 'processing'
        when bool_and(d.status = 'authorized') then 'invoiced'
        when bool_or(d.status = 'authorized') then 'partiallyInvoiced'
        when bool_or(d.status = 'rejected') then 'failed'
        when bool_and(d.status = 'canceled') then 'canceled'
        when s.next_action_at is not null or s.parked_reason is not null then 'scheduled'
        else 'draft' end
    from documents d where d.subscription_id = s.subscription_id and d.sale_id = s.id
)"""
# How one of its documents must stand.
_NEEDED = {
    # A sale whose documents were all discarded is a draft again.
    "draft": " and d.status = 'pending'"
    " union all select n.id from sales n where n.company_id = $2 and not n.has_documents",
    "scheduled": " and d.status = 'pending'",
    "processing": " and d.status = 'processing'",
    "partiallyInvoiced": "",
    "failed": " and d.status = 'rejected'",
    "canceled": " and d.status = 'canceled'",
}
_UNSETTLED = (
    "select d.sale_id from documents d where d.company_id = $2 and d.status <> 'authorized'"
    " and d.sale_id is not null"
)
STANDS = {
    "invoiced": f"s.has_documents and s.id not in ({_UNSETTLED})",
    **{
        status: f"s.id in ({_UNSETTLED}{needed}) and {STATUS} = '{status}'"
        for status, needed in _NEEDED.items()
    },
}
"""By how a sale stands, the SQL that finds such: what is not settled is little, and has an index."""
LOSE_DOCUMENT = """
    with rest as (
        select count(*) as documents, count(*) filter (where status = 'pending') as drafts
        from documents where subscription_id = $1 and sale_id = $2
    )
    update sales set updated_at = now(), has_documents = rest.documents > 0,
        next_action_at = case when rest.drafts > 0 then next_action_at end,
        scheduled_emit_at = case when rest.drafts > 0 then scheduled_emit_at end,
        parked_reason = case when rest.drafts > 0 then parked_reason end
    from rest where subscription_id = $1 and id = $2
"""
"""Updates a sale after one of its documents was discarded; without drafts its schedule is cleared."""
