"""A company's settings for NFS-e."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import FederalServiceCode, Flag, Integer, Percent
from carimbo.fiscal.documents.nfse.request import CityServiceCode, Nbs
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.setting_label import SettingLabel

NO_SPECIAL_REGIME = "0"
# The national standard reserves 50000 and above for its own emitters.
DpsSeries = Annotated[Integer, Field(ge=1, le=49_999, description="Série da DPS, de 1 a 49999.")]
DpsNumber = Annotated[
    Integer,
    Field(ge=1, le=999_999_999_999_999, description="Próximo número da DPS; guardado por ambiente e série."),
]


class NfseSettings(ModuleSettings):
    """Numbering of the DPS, the company's usual service, and its registration in the municipality."""

    series: DpsSeries = 1
    number: DpsNumber | None = None
    city_service_code: Annotated[CityServiceCode | None, SettingLabel("Código municipal do serviço")] = Field(
        default=None, description="Código municipal do serviço."
    )
    federal_service_code: Annotated[
        FederalServiceCode | None, SettingLabel("Serviço usual da NFS-e (LC 116)")
    ] = Field(
        default=None,
        description=(
            "Item da lista de serviços (LC 116), ou o código nacional, se o item tem vários, como 17.01.01."
        ),
        examples=["01.05"],
    )
    iss_rate: Annotated[Percent | None, SettingLabel("Alíquota usual do ISS", is_rate=True)] = Field(
        default=None, description="Alíquota do ISS, em percentual."
    )
    nbs: Nbs | None = Field(default=None, description="Código NBS dos serviços que não têm o seu (cNBS).")
    special_regime: Annotated[str, StringConstraints(pattern="^[0-69]$")] = Field(
        default=NO_SPECIAL_REGIME,
        description="Regime especial de tributação no município: 0 nenhum, 1 a 6 ou 9 (regEspTrib).",
    )
    send_municipal_registration: Flag = Field(
        default=True,
        description="Se a nota leva a inscrição municipal: só quando o município a pôs no cadastro nacional.",
    )
