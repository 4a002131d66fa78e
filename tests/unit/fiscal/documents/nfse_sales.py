"""Sold catalog services, and the body of the NFS-e that their sale needs."""

from collections.abc import Mapping
from typing import Any

from carimbo.fiscal.catalog.sale import SaleDocumentBody, SalePart, SoldLine
from carimbo.fiscal.documents.nfse.definition import NFSE
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from unit.fiscal import sold_parts
from unit.fiscal.sold_parts import part_of, sold

USUAL = {"federalServiceCode": "01.05", "cityServiceCode": "123", "issRate": 2}
"""Settings that make every service complete."""
OWN: dict[str, Any] = {"serviceItemCode": "01.05", "cityServiceCode": "123", "iss": {"rate": 2}}


def service(price: Any = 150, **changes: Any) -> SoldLine:
    """Returns a line of a service that takes everything from the company's settings."""
    return sold(
        price, **{"sku": "CURSO", "name": "Curso", "category": "online_course", "fiscal": {}} | changes
    )


def body_of(part: SalePart, settings: Mapping[str, Any] = USUAL) -> SaleDocumentBody:
    """Returns the NFS-e body for a part of a sale."""
    return sold_parts.body_of(NFSE, part, NfseSettings.model_validate(settings))


def json_of(*sold_lines: SoldLine, settings: Mapping[str, Any] = USUAL, **of_the_part: Any) -> Any:
    """Returns the JSON of the NFS-e body for these lines."""
    return body_of(part_of(*sold_lines, **of_the_part), settings).json
