"""The settings of companies that carry cargo."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.setting_label import SettingLabel


class CarrierSettings(ModuleSettings):
    """Numbering, and the carrier's registration at ANTT, which MDF-e have too."""

    rntrc: Annotated[
        Annotated[str, StringConstraints(pattern=r"^[0-9]{8}$")] | None,
        SettingLabel("RNTRC", hint="Registro na ANTT, 8 dígitos."),
    ] = Field(default=None, description="Registro na ANTT, 8 dígitos.", examples=["12345678"])
