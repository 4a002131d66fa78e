"""The labels of settings on pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SettingLabel:
    """The Portuguese label of a setting, in the annotation of its field; without it, no page shows it."""

    text: str
    words: Mapping[str, str] = field(default_factory=dict)
    """Words for stored values; other values are shown as they are. With words, a form offers these values."""
    is_rate: bool = False
    is_secret: bool = False
    """A page shows only whether a secret is there."""
    is_listed: bool = True
    """Whether the page of a company lists it among the settings, and not only the form that changes it."""
    hint: str = ""
    """What a form says below its input."""
    blank: str = "Nenhum"
    """The word for no choice in a form."""


SWITCH = SettingLabel("Módulo", {"true": "Ligado", "false": "Desligado"}, is_listed=False)
"""The label of the switch of a module."""
ENVIRONMENT = SettingLabel(
    "Ambiente do módulo",
    {"production": "Produção", "homologation": "Homologação"},
    is_listed=False,
    blank="O mesmo da empresa",
)
"""The label of the environment of a module."""
