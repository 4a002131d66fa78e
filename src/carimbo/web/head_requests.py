"""Marks HEAD requests: they are answered like GET requests, but their answer has no body."""

from collections.abc import Mapping, MutableMapping
from typing import Any

_MARK = "carimbo.isHead"


def mark_head(scope: MutableMapping[str, Any]) -> None:
    """Marks a request whose answer is sent without its body."""
    scope[_MARK] = True


def is_head(scope: Mapping[str, Any]) -> bool:
    """Returns whether the answer is sent without its body, so that nobody needs to make it."""
    return bool(scope.get(_MARK))
