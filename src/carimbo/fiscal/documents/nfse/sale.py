"""The sale that a directly created NFS-e makes, for the catalog."""

from typing import Any

from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.direct_sale import DirectSale, SoldItem
from carimbo.fiscal.documents.nfse.competence import told_day
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.money import ZERO

_SERVICE = "service"


def sale_of(request: NfseRequest, company: Company) -> DirectSale:
    """Who took which service, and for how much."""
    return DirectSale(
        customer=_customer(request),
        item=_item(request),
        price=request.amount,
        discount=(request.discounts and request.discounts.unconditional) or ZERO,
        sold_on=told_day(request, company),
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
    told: dict[str, Any] = {
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
        fiscal={name: value for name, value in told.items() if value is not None},
    )
