"""Fills the request body of an NFS-e with the service of the catalog that has its municipal code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from carimbo.fiscal.catalog.filling import (
    CatalogFacts,
    CatalogFilling,
    CatalogReferences,
    CatalogService,
    FillingReview,
)
from carimbo.fiscal.catalog.sale import ItemType, without_absent
from carimbo.fiscal.documents.nfse.bodies import IssBody
from carimbo.fiscal.documents.nfse.request import DIRECT_SKU, NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import MISSING_RATE, service_named, services_named
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.money import format_rate
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Incomplete, Problem, quoted
from carimbo.fiscal.tables.service_codes import NationalService

_AMBIGUOUS = "AMBIGUOUS"
# Stored documents contain this text, and `is_own_warning` recognises it: keep it if the wording changes.
_TAKEN = "serviceCode: O código nacional "


@dataclass(frozen=True, slots=True)
class _Service:
    """The facts of a service that its items in the catalog agree on."""

    sku: str
    code: str
    """Item of LC 116 or national code (`serviceItemCode`)."""
    iss: IssBody | None
    nbs: str | None

    @property
    def national(self) -> NationalService:
        """The only national service of its code; raises `Incomplete` if there are several."""
        sku = quoted(self.sku)
        return service_named(
            self.code, f"Corrija serviceItemCode de {sku} no catálogo, ou informe em federalServiceCode,"
        )


def references_of(request: NfseRequest) -> CatalogReferences:
    """Returns the municipal code of the service; none for a body with the national code."""
    has_code = request.federal_service_code is not None
    return CatalogReferences(city_service_code=None if has_code else request.service_code)


def review(request: NfseRequest, settings: NfseSettings, facts: CatalogFacts) -> FillingReview:
    """Returns why a body can't take its service from the catalog, or a warning with the item that it uses.

    The company's own ISS rate does not apply to another service.
    """
    try:
        service = _service_of(request, facts.services)
        if service is None:
            return FillingReview()
        own, has_iss = settings.federal_service_code, request.iss or service.iss
        if not has_iss and own is not None and services_named(service.code) != services_named(own):
            return FillingReview((MISSING_RATE,))
        warning = (
            f"{_TAKEN}{service.national.dotted} é o do item {quoted(service.sku)} do catálogo, que tem o"
            " mesmo código municipal."
        )
    except Incomplete as incomplete:
        return FillingReview(incomplete.problems)
    return FillingReview(warnings=(warning,))


def fill(
    body: Mapping[str, Any], request: NfseRequest, _issuer: Company, facts: CatalogFacts
) -> Mapping[str, Any]:
    """Fills national code, ISS and NBS; an ISS in the body is used as a whole."""
    service = _service_of(request, facts.services)
    if service is None:
        return body
    filled = {
        "federalServiceCode": service.national.dotted,
        "iss": service.iss.model_dump(by_alias=True) if service.iss and request.iss is None else None,
        "nbs": service.nbs if request.nbs is None else None,
    }
    return {**body, **without_absent(filled)}


def is_own_warning(warning: str) -> bool:
    """Returns whether a warning is that of `review` about the item of the catalog."""
    return warning.startswith(_TAKEN)


def _service_of(request: NfseRequest, items: Sequence[CatalogService]) -> _Service | None:
    """Returns the service that all items with the municipal code of a body agree on; None without items.

    Raises `Incomplete` if they differ in the national code, or in the ISS while the body has none. The item
    of notes without a SKU does not count: its codes are those of the first such note, not a choice of the
    company.
    """
    items = [item for item in items if item.sku != DIRECT_SKU and item.fiscal.get("serviceItemCode")]
    services = [_service(item) for item in items]
    if not services:
        return None
    if len({services_named(service.code) for service in services}) > 1:
        raise Incomplete(_several_codes(request, services))
    rates = [service.iss for service in services if service.iss]
    taxes = list({(iss.rate, iss.is_withheld): iss for iss in rates}.values())
    if len(taxes) > 1 and request.iss is None:
        raise Incomplete(_several_taxes(request, [tax.rate for tax in taxes]))
    codes = {service.nbs for service in services if service.nbs}
    return _Service(
        sku=services[0].sku,
        code=services[0].code,
        iss=taxes[0] if taxes else None,
        nbs=codes.pop() if len(codes) == 1 else None,
    )


def _service(item: CatalogService) -> _Service:
    iss, nbs = item.fiscal.get("iss"), item.fiscal.get("nbs")
    return _Service(
        sku=item.sku,
        code=item.fiscal["serviceItemCode"],
        iss=IssBody.model_validate(iss) if iss else None,
        nbs=nbs.replace(".", "") if nbs else None,
    )


def _several_codes(request: NfseRequest, services: list[_Service]) -> Problem:
    listed = "; ".join(f"{service.code} em {quoted(service.sku)}" for service in services)
    return Problem(
        _AMBIGUOUS,
        "serviceCode",
        f"O catálogo tem serviços diferentes com o código municipal {quoted(request.service_code)}:"
        f" {listed}.",
        "Informe em federalServiceCode o código do serviço prestado.",
        facts=(("candidates", tuple(dict.fromkeys(service.code for service in services))),),
    )


def _several_taxes(request: NfseRequest, rates: list[Decimal]) -> Problem:
    listed = dict.fromkeys(f"{format_rate(rate)}%" for rate in rates)
    return Problem(
        _AMBIGUOUS,
        "iss.rate",
        f"Os serviços do catálogo com o código municipal {quoted(request.service_code)} não têm o mesmo ISS:"
        f" {', '.join(listed)}.",
        "Informe iss.rate e, se o tomador retém o imposto, iss.isWithheld.",
    )


FILLING = CatalogFilling(
    ItemType.SERVICE,
    references_of,
    fill,
    review=review,
    is_own_warning=is_own_warning,
    # A sale writes no serviceCode, so a document that a sale made has one only if a PATCH added it.
    fills_sales=True,
)
