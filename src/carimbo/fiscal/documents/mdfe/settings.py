"""The settings of a company for MDF-e."""

from typing import Annotated

from pydantic import Field

from carimbo.fiscal.body.fields import Integer
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.setting_label import SettingLabel

TERM_DAYS = 30
"""After so many days an open manifest blocks the issuer (686)."""


class MdfeSettings(ModuleSettings):
    """Numbering, and when manifests that were left open are closed."""

    close_after_days: Annotated[
        Annotated[Integer, Field(ge=1, lt=TERM_DAYS)] | None,
        SettingLabel(
            "Dias até o encerramento automático dos MDF-e",
            hint="Em branco, nenhum é encerrado sem que alguém peça.",
        ),
    ] = Field(
        default=None,
        description=(
            "Encerra por si os MDF-e abertos há tantos dias, no município de descarga; na falta, nenhum."
        ),
        examples=[20],
    )
