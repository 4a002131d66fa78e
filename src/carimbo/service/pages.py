"""Pages of a list."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class PageRequest:
    """Which page is wanted, counted from 1."""

    page: int = 1
    page_size: int = 20

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.page_size


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page, and how many items there are in all."""

    items: list[T]
    total: int
    request: PageRequest
