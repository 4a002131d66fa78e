"""A company's settings for NFC-e."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.fields import Changes, Flag, Integer
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.module_settings import ModuleEnvironment, ModuleSettings
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.setting_label import ENVIRONMENT, SWITCH, SettingLabel

CscId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{1,6}$"),
    Field(description="Identificador do CSC (idToken).", examples=["1"]),
]
Csc = Annotated[
    str,
    StringConstraints(pattern=r"^[\x21-\x7e]{1,36}$"),
    Field(description="Código de segurança do contribuinte; volta mascarado.", examples=["0123456789ABCDEF"]),
]

_KEPT = "Em branco, fica como está."
_HOMOLOGATION_CSC_ID = SettingLabel("Identificador do CSC de homologação", is_listed=False)
_HOMOLOGATION_CSC = SettingLabel("CSC de homologação", is_secret=True, hint=_KEPT)
_QR_VERSIONS = {"2": "2, com CSC", "3": "3, sem CSC"}
_ROLLS = {PaperSize.ROLL_80: "80 mm", PaperSize.ROLL_58: "58 mm"}
QR_WITHOUT_CSC = 3
"""The version of the QR code that needs no security code."""


class HomologationCsc(Changes):
    """The security code of the test environment."""

    csc_id: Annotated[CscId | None, _HOMOLOGATION_CSC_ID] = None
    csc: Annotated[Csc | None, _HOMOLOGATION_CSC] = Field(default=None, repr=False)


class NfceSettings(ModuleSettings):
    """Module switch, environment, numbering, the security codes of the QR code and the paper width."""

    active: Annotated[Flag, SWITCH] = False
    environment: Annotated[ModuleEnvironment | None, ENVIRONMENT] = None
    csc_id: Annotated[CscId | None, SettingLabel("Identificador do CSC", is_listed=False)] = None
    csc: Annotated[Csc | None, SettingLabel("CSC da NFC-e", is_secret=True, hint=_KEPT)] = Field(
        default=None, repr=False
    )
    homologation: HomologationCsc | None = None
    qr_version: Annotated[
        Integer, Field(ge=2, le=3), SettingLabel("Versão do QR Code da NFC-e", _QR_VERSIONS)
    ] = Field(default=2, description="Versão do QR Code; a 2 exige o CSC.")
    paper: Annotated[
        Literal[PaperSize.ROLL_80, PaperSize.ROLL_58], SettingLabel("Bobina da NFC-e", _ROLLS)
    ] = Field(default=PaperSize.ROLL_80, description="Largura da bobina em que se imprime.")

    @property
    def own_environment(self) -> ModuleEnvironment | None:
        """The environment of this module; None if it follows the company's."""
        return self.environment

    @property
    def default_paper(self) -> PaperSize:
        """The roll that the company prints on."""
        return self.paper

    @property
    def switch(self) -> bool | None:
        return self.active


def missing_settings(settings: NfceSettings, environment: Environment) -> tuple[str, ...]:
    """Returns the missing settings: the switch, and the CSC of the environment if the QR code needs one."""
    off = () if settings.active else ("nfce.active",)
    if settings.qr_version == QR_WITHOUT_CSC:
        return off
    in_production = environment is Environment.PRODUCTION
    own, path = (settings, "nfce") if in_production else (settings.homologation, "nfce.homologation")
    lacking = (name for name in HomologationCsc.model_fields if not getattr(own, name, None))
    return (*off, *(f"{path}.{to_camel(name)}" for name in lacking))
