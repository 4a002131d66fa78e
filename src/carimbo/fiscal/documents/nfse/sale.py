"""The sale that a directly created NFS-e makes, for the catalog."""

from typing import Any

from carimbo.fiscal.direct_sale import DirectSale, SoldItem, SoldTo
from carimbo.fiscal.documents.nfse.request import BRASILIA, NfseRequest, day_in

_SERVICE = "service"


def sale_of(request: NfseRequest) -> DirectSale:
    """Who took which service, and for how much."""
    return DirectSale(
        customer=_customer(request),
        item=_item(request),
        amount=request.amount,
        sold_on=day_in(request.competence, BRASILIA) if request.competence else None,
    )


def _customer(request: NfseRequest) -> SoldTo:
    taker = request.borrower
    return SoldTo(
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
