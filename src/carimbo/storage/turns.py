"""Which place a document gets among those that wait: companies take turns."""

# Start-time fair queueing: a document's turn comes after the company's own that still wait, and not before
# those that are next of all. So the tenth of one company competes with the tenth of another, and a company
# that sends ten thousand at once keeps nobody else waiting. What pauses has turn 0: it waits for no place.
# Ordered and limited, as a minimum and a maximum may be planned as looking through all that wait.
NEXT_TURN = """
    greatest(
        (select turn from documents where next_action_at is not null and is_urgent = $3 and turn > 0
         order by turn limit 1),
        (select turn from documents
         where subscription_id = $1 and company_id = $2 and next_action_at is not null and is_urgent = $3
         order by turn desc limit 1),
        0
    ) + 1
"""
"""SQL of the next turn: $1 and $2 tell whose document it is, $3 whether somebody waits for it."""
