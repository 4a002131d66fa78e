"""The names of files in the archive.

Of a document the digest of what was signed tells the versions apart. An event or a range of numbers owns its
files itself, and has one of each.
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


def cancellation_file(digest: str) -> str:
    """The cancellation that a consult brought."""
    return f"cancellation/{digest}"


SIGNED = "signed"
"""What was signed of an event or a range, and is sent without any change."""
REGISTRATION = "registration"
"""The authority's receipt for it."""
REFUSAL = "refusal"
"""The authority's refusal of it."""
