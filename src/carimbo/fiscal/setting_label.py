"""The labels of settings on pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SettingLabel:
    """The Portuguese label of a setting, in the annotation of its field; a page shows only labelled ones."""

    text: str
    words: Mapping[str, str] = field(default_factory=dict)
    """Words for stored values; other values are shown as they are."""
    is_rate: bool = False
    is_secret: bool = False
    """A page shows only whether a secret is there."""
