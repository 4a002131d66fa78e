"""Groups of checkboxes in forms, of which people choose several."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Checkbox:
    """A value that may be chosen, with its words."""

    value: str
    label: str
    hint: str
    is_chosen: bool


@dataclass(frozen=True)
class CheckboxGroup:
    """Checkboxes below a title; all of them have the same name."""

    title: str
    name: str
    checkboxes: Sequence[Checkbox]
