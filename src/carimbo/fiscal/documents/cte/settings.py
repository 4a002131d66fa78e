"""The settings of a company for CT-e."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Flag
from carimbo.fiscal.module_settings import ModuleEnvironment, ModuleSettings


class CteSettings(ModuleSettings):
    """Module switch, environment, numbering and the carrier's RNTRC."""

    active: Flag = False
    environment: ModuleEnvironment | None = None
    rntrc: Annotated[str, StringConstraints(pattern=r"^[0-9]{8}$")] | None = Field(
        default=None, description="Registro na ANTT, 8 dígitos.", examples=["12345678"]
    )

    @property
    def own_environment(self) -> ModuleEnvironment | None:
        """The environment of this module; None if it follows the company's."""
        return self.environment

    @property
    def switch(self) -> bool | None:
        return self.active
