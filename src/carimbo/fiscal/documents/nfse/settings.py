"""A company's settings for NFS-e."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.document_type import ModuleSettings
from carimbo.fiscal.fields import Integer, Percent, Text

# The national standard keeps 50000 and above for its own emitters.
DpsSeries = Annotated[Integer, Field(ge=1, le=49_999, description="Série da DPS, de 1 a 49999.")]
DpsNumber = Annotated[
    Integer,
    Field(ge=1, le=999_999_999_999_999, description="Próximo número da DPS; guardado por ambiente e série."),
]


class NfseSettings(ModuleSettings):
    """Numbering of the DPS and the company's usual service."""

    series: DpsSeries = 1
    number: DpsNumber | None = None
    city_service_code: Annotated[Text, StringConstraints(max_length=20)] | None = Field(
        default=None, description="Código municipal do serviço."
    )
    federal_service_code: (
        Annotated[str, StringConstraints(pattern=r"^[0-9]{2}\.[0-9]{2}(\.[0-9]{2})?$|^[0-9]{6}$")] | None
    ) = Field(default=None, description="Item da lista de serviços (LC 116).", examples=["01.05"])
    iss_rate: Percent | None = Field(default=None, description="Alíquota do ISS, em percentual.")
