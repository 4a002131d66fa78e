"""The settings of a company for CT-e."""

from typing import Annotated

from carimbo.fiscal.body.fields import Flag
from carimbo.fiscal.module_settings import ModuleEnvironment
from carimbo.fiscal.setting_label import ENVIRONMENT, SWITCH
from carimbo.fiscal.transport.settings import CarrierSettings


class CteSettings(CarrierSettings):
    """Module switch, environment, numbering and the carrier's RNTRC."""

    active: Annotated[Flag, SWITCH] = False
    environment: Annotated[ModuleEnvironment | None, ENVIRONMENT] = None

    @property
    def own_environment(self) -> ModuleEnvironment | None:
        """The environment of this module; None if it follows the company's."""
        return self.environment

    @property
    def switch(self) -> bool | None:
        return self.active
