"""The fiscal fields of a service of the catalog, and the sale and the item that a direct NFS-e makes."""

from typing import Annotated, Any

from pydantic import Field

from carimbo.fiscal.body.fields import Body, CnaeCode, FederalServiceCode
from carimbo.fiscal.body.reading import checked_when_sent
from carimbo.fiscal.catalog.sale import DirectSale, SoldItem
from carimbo.fiscal.documents.nfse.bodies import IssBody, ServiceIbsCbsBody, TaxesBody
from carimbo.fiscal.documents.nfse.request import CityServiceCode, Nbs, NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import is_listed
from carimbo.fiscal.documents.nfse.territory import requested_day
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.tables.service_codes import NBS

_LISTED = checked_when_sent(is_listed, "Não está na lista nacional de serviços.")
_KNOWN_NBS = checked_when_sent(lambda code: code in NBS, "Não está na tabela NBS.")
_SERVICE = "service"


class ServiceFiscal(Body):
    """Fiscal fields of a service in the catalog: its codes and taxes."""

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
    ibs_cbs: ServiceIbsCbsBody | None = Field(
        default=None, description="IBS e CBS; na falta, os padrões, para quem é do regime normal (IBSCBS)."
    )


def needed_alone(fiscal: ServiceFiscal) -> tuple[str, ...]:
    """Returns the missing fields of a service that takes nothing from the company, by their JSON names."""
    needed = {"serviceItemCode": fiscal.service_item_code, "iss": fiscal.iss}
    return tuple(name for name, value in needed.items() if value is None)


def sale_of(request: NfseRequest, company: Company) -> DirectSale:
    """Returns the sale that a directly created NFS-e makes: customer, service and price."""
    return DirectSale(
        customer=_customer(request),
        item=_item(request),
        price=request.amount,
        discount=(request.discounts and request.discounts.unconditional) or ZERO,
        sold_on=requested_day(request, company),
    )


def _customer(request: NfseRequest) -> CustomerFacts:
    taker = request.borrower
    return CustomerFacts(
        name=taker.name,
        document=taker.tax_id,
        foreign_id=taker.foreign_id,
        email=taker.email,
        phone=taker.phone,
        address=taker.address.model_dump(by_alias=True, exclude_none=True) if taker.address else None,
        municipal_registration=taker.municipal_registration,
        is_foreign=taker.is_foreign,
    )


def _item(request: NfseRequest) -> SoldItem:
    fiscal: dict[str, Any] = {
        "serviceItemCode": request.federal_service_code,
        "cityServiceCode": request.city_service_code or request.service_code,
        "nbs": request.nbs,
        "cnaeCode": request.cnae_code,
    }
    return SoldItem(
        sku=request.sku,
        name=request.item_name,
        type=_SERVICE,
        category=request.category,
        guarantee=request.guarantee,
        fiscal={name: value for name, value in fiscal.items() if value is not None},
    )
