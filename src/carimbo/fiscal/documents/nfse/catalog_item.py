"""The fiscal fields that a service of the catalog may have, for its NFS-e."""

from typing import Annotated

from pydantic import Field

from carimbo.fiscal.documents.nfse.national_code import is_listed
from carimbo.fiscal.documents.nfse.request import CityServiceCode, Nbs
from carimbo.fiscal.documents.nfse.tax_bodies import IbsCbsBody, IssBody, TaxesBody
from carimbo.fiscal.fields import Body, CnaeCode, FederalServiceCode
from carimbo.fiscal.stored import checked_once
from carimbo.fiscal.tables.nbs import NBS

_LISTED = checked_once(is_listed, "Não está na lista nacional de serviços.")
_KNOWN_NBS = checked_once(lambda code: code in NBS, "Não está na tabela NBS.")


class ServiceFiscal(Body):
    """Which service it is, and how it is taxed."""

    service_item_code: Annotated[FederalServiceCode, _LISTED] | None = Field(
        default=None,
        description="Item da lista de serviços, como 01.05, ou código nacional, como 01.05.01 (cTribNac).",
        examples=["01.05"],
    )
    city_service_code: CityServiceCode | None = Field(
        default=None, description="Código municipal do serviço (cTribMun, se tem 3 dígitos)."
    )
    nbs: Annotated[Nbs, _KNOWN_NBS] | None = Field(
        default=None,
        description=(
            "Código NBS, com ou sem pontos; na falta, o da empresa, mesmo que"
            " fiscalFollowsCompanyDefaults seja false (cNBS)."
        ),
        examples=["1.1502.10.00"],
    )
    cnae_code: CnaeCode | None = Field(default=None, description="CNAE; o padrão nacional não o leva.")
    iss: IssBody | None = Field(default=None, description="ISS do serviço.")
    taxes: TaxesBody | None = Field(default=None, description="Tributos federais e retenções (tribFed).")
    ibs_cbs: IbsCbsBody | None = Field(
        default=None, description="IBS e CBS; na falta, os padrões, para quem é do regime normal (IBSCBS)."
    )


def needed_alone(fiscal: ServiceFiscal) -> tuple[str, ...]:
    """What lacks in a service that takes nothing from the company, by our JSON's names."""
    needed = {"serviceItemCode": fiscal.service_item_code, "iss": fiscal.iss}
    return tuple(name for name, value in needed.items() if value is None)
