"""The control page, with the hashes that its own Content-Security-Policy asks for."""

import re
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files


@lru_cache(maxsize=1)
def control_page() -> bytes:
    """The page as it is sent: only its own style and script may run, and only this port may be asked."""
    page = (files(__package__) / "control.html").read_text(encoding="utf-8")
    for tag in ("style", "script"):
        page = page.replace(f"{{{tag}-hash}}", _hash_of(tag, page))
    return page.encode()


def _hash_of(tag: str, page: str) -> str:
    inside = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in inside)
