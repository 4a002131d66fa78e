"""The names of files in the archive.

Names of a document's files end with the digest of the signed version that they belong to. Events and ranges
of numbers own their files, one of each.
"""


def signed_file(digest: str) -> str:
    """A signed version: each is kept, as any of them may turn out to be the one that was authorised."""
    return f"signed/{digest}"


def authorization_file(digest: str) -> str:
    """The authority's receipt."""
    return f"authorization/{digest}"


def refusal_file(digest: str) -> str:
    """The authority's refusal."""
    return f"refusal/{digest}"


def consulted_event_file(event_name: str, digest: str) -> str:
    """An event of another sender that a consult returned."""
    return f"{event_name}/{digest}"


SIGNED = "signed"
"""What was signed of an event or a range, and is sent without any change."""
REGISTRATION = "registration"
"""The authority's receipt for it."""
REFUSAL = "refusal"
"""The authority's refusal of it."""
