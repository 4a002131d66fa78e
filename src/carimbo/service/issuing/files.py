"""The names of a document's files in the archive; the digest of what was signed tells its versions apart."""


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
