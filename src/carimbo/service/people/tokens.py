"""Random tokens of sessions and links; only their hashes are stored."""

import hashlib
import secrets

_BYTES = 32


def new_token() -> str:
    """Returns 256 random bits in characters that an address can contain."""
    return secrets.token_urlsafe(_BYTES)


def token_hash(token: str) -> bytes:
    """Returns what is stored of a token. It is random, so that a fast hash is safe."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
