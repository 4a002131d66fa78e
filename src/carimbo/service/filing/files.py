"""The names of a statement's files in the archive, where it is their owner."""

SIGNED = "signed"
"""What was signed, and is sent without any change."""
REGISTRATION = "registration"
"""The authority's receipt."""
REFUSAL = "refusal"
"""The authority's refusal."""
