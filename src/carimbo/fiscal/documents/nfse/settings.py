"""A company's settings for NFS-e."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import FederalServiceCode, Flag, Integer, Percent
from carimbo.fiscal.documents.nfse.request import CityServiceCode, Nbs
from carimbo.fiscal.module_settings import NEXT_NUMBER, SERIES, ModuleSettings
from carimbo.fiscal.setting_label import SettingLabel

NO_SPECIAL_REGIME = "0"
_SPECIAL_REGIMES = {
    NO_SPECIAL_REGIME: "Nenhum",
    "1": "Ato cooperado (cooperativa)",
    "2": "Estimativa",
    "3": "Microempresa municipal",
    "4": "Notário ou registrador",
    "5": "Profissional autônomo",
    "6": "Sociedade de profissionais",
    "9": "Outros",
}
# The national standard reserves 50000 and above for its own emitters.
DpsSeries = Annotated[Integer, Field(ge=1, le=49_999, description="Série da DPS, de 1 a 49999.")]
DpsNumber = Annotated[
    Integer,
    Field(ge=1, le=999_999_999_999_999, description="Próximo número da DPS; guardado por ambiente e série."),
]


class NfseSettings(ModuleSettings):
    """Numbering of the DPS, the company's usual service, and its registration in the municipality."""

    series: Annotated[DpsSeries, SERIES] = 1
    number: Annotated[DpsNumber | None, NEXT_NUMBER] = None
    city_service_code: Annotated[CityServiceCode | None, SettingLabel("Código municipal do serviço")] = Field(
        default=None, description="Código municipal do serviço."
    )
    federal_service_code: Annotated[
        FederalServiceCode | None,
        SettingLabel(
            "Serviço usual da NFS-e (LC 116)",
            hint="O item da lista, como 01.05, ou o código nacional inteiro, se o item tem vários: 17.01.01.",
        ),
    ] = Field(
        default=None,
        description=(
            "Item da lista de serviços (LC 116), ou o código nacional, se o item tem vários, como 17.01.01."
        ),
        examples=["01.05"],
    )
    iss_rate: Annotated[
        Percent | None, SettingLabel("Alíquota usual do ISS", is_rate=True, hint="Em percentual, como 2,5.")
    ] = Field(default=None, description="Alíquota do ISS, em percentual.")
    nbs: Annotated[Nbs | None, SettingLabel("NBS usual")] = Field(
        default=None, description="Código NBS dos serviços que não têm o seu (cNBS)."
    )
    special_regime: Annotated[
        str,
        StringConstraints(pattern="^[0-69]$"),
        SettingLabel("Regime especial de tributação do ISS", _SPECIAL_REGIMES),
    ] = Field(
        default=NO_SPECIAL_REGIME,
        description="Regime especial de tributação no município: 0 nenhum, 1 a 6 ou 9 (regEspTrib).",
    )
    send_municipal_registration: Annotated[
        Flag,
        SettingLabel(
            "Inscrição municipal na NFS-e",
            hint="Sim, só se o município a pôs no cadastro nacional.",
        ),
    ] = Field(
        default=True,
        description="Se a nota leva a inscrição municipal: só quando o município a pôs no cadastro nacional.",
    )
