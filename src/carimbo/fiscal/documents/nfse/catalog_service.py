"""The service of the catalog that the municipal code of a shortcut body stands for."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.document_type import CatalogItem
from carimbo.fiscal.documents.nfse.national_code import services_named
from carimbo.fiscal.documents.nfse.request import DIRECT_SKU, NfseRequest
from carimbo.fiscal.documents.nfse.tax_bodies import IssBody
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.money import written_rate
from carimbo.fiscal.problems import Problem, quoted

_AMBIGUOUS = "AMBIGUOUS"


@dataclass(frozen=True, slots=True)
class CatalogService:
    """What the catalog knows of a service."""

    sku: str
    code: str
    """Item of LC 116 or national code (`serviceItemCode`)."""
    iss: IssBody | None
    nbs: str | None


def catalog_code(request: NfseRequest) -> str | None:
    """Returns the municipal code to look up in the catalog; None for a body that has the national one."""
    return None if request.federal_service_code else request.service_code


def service_in_catalog(request: NfseRequest, items: Sequence[CatalogItem]) -> CatalogService | None:
    """Returns the service that all items with the municipal code of a body agree on, None without items.

    Raises Incomplete if they differ in the national code, or in an ISS that the body does not have. The item
    that notes without a SKU share is no word of the company about a code: it has that of the first note.
    """
    chosen = [item for item in items if item.sku != DIRECT_SKU]
    known = [_service(item) for item in chosen if item.fiscal.get("serviceItemCode")]
    if catalog_code(request) is None or not known:
        return None
    if len({services_named(one.code) for one in known}) > 1:
        raise Incomplete(_several_codes(request, known))
    taxes = list({(one.iss.rate, one.iss.is_withheld): one.iss for one in known if one.iss}.values())
    if len(taxes) > 1 and request.iss is None:
        raise Incomplete(_several_taxes(request, [tax.rate for tax in taxes]))
    codes = {one.nbs for one in known if one.nbs}
    return CatalogService(
        sku=known[0].sku,
        code=known[0].code,
        iss=taxes[0] if taxes else None,
        nbs=codes.pop() if len(codes) == 1 else None,
    )


def _service(item: CatalogItem) -> CatalogService:
    iss, nbs = item.fiscal.get("iss"), item.fiscal.get("nbs")
    return CatalogService(
        sku=item.sku,
        code=item.fiscal["serviceItemCode"],
        iss=IssBody.model_validate(iss) if iss else None,
        nbs=nbs.replace(".", "") if nbs else None,
    )


def _several_codes(request: NfseRequest, known: list[CatalogService]) -> Problem:
    listed = "; ".join(f"{one.code} em {quoted(one.sku)}" for one in known)
    return Problem(
        _AMBIGUOUS,
        "serviceCode",
        f"O catálogo tem serviços diferentes com o código municipal {quoted(request.service_code)}:"
        f" {listed}.",
        "Informe em federalServiceCode o código do serviço prestado.",
        facts=(("candidates", tuple(dict.fromkeys(one.code for one in known))),),
    )


def _several_taxes(request: NfseRequest, rates: list[Decimal]) -> Problem:
    listed = dict.fromkeys(f"{written_rate(rate)}%" for rate in rates)
    return Problem(
        _AMBIGUOUS,
        "iss.rate",
        f"Os serviços do catálogo com o código municipal {quoted(request.service_code)} não têm o mesmo ISS:"
        f" {', '.join(listed)}.",
        "Informe iss.rate e, se o tomador retém o imposto, iss.isWithheld.",
    )
