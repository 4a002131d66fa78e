"""Inutilization of NF-e and NFC-e numbers: a range that was skipped and is given up for good."""

from collections.abc import Iterator

from lxml import etree

from carimbo.fiscal.ids import InvalidId, inutilization_id
from carimbo.fiscal.layouts.group import group, integer, text
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.layouts.paths import problems
from carimbo.fiscal.layouts.reading import read
from carimbo.fiscal.layouts.records import content
from carimbo.fiscal.layouts.signed_part import WrittenPart, signed_message
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signer

_HIGHEST_SERIES = 999
_HIGHEST_NUMBER = 999_999_999


@group("infInut")
class Inutilization:
    """`infInut`: the range, and why its numbers never became documents."""

    environment: str = text("tpAmb", 1)
    service: str = text("xServ", 10, default="INUTILIZAR")
    state_code: str = text("cUF", 2)
    year: str = text("ano", 2)
    cnpj: str = text("CNPJ", 14, path="taxId")
    model: str = text("mod", 2)
    series: int = integer("serie")
    first_number: int = integer("nNFIni", path="numberStart")
    last_number: int = integer("nNFFin", path="numberEnd")
    reason: str = text("xJust", 255, path="justification")

    @property
    def id(self) -> str:
        """The identifier, which repeats the range."""
        return inutilization_id(
            self.state_code,
            self.year,
            self.cnpj,
            self.model,
            self.series,
            self.first_number,
            self.last_number,
        )


def signed_inutilization(inutilization: Inutilization, signer: Signer) -> bytes:
    """The whole request (inutNFe), signed."""
    identifier, inside = inutilization.id, content(inutilization)
    part = WrittenPart("infInut", NAMESPACE, identifier, f' Id="{identifier}"'.encode(), inside.encode())
    return signed_message("inutNFe", "4.00", part, signer)


def read_inutilization_request(signed: bytes) -> Inutilization:
    """The range that a signed request of ours is about."""
    asked = etree.fromstring(signed).find("{*}infInut")
    if asked is None:
        raise LookupError("a signed request has no infInut")
    return read(Inutilization, asked)


def issue_inutilization(
    inutilization: Inutilization, signer: Signer, schemas: Schemas
) -> bytes | tuple[Problem, ...]:
    """Sign a request and hold it against its XSD, or tell everything that is wrong with it."""
    if wrong := (*_out_of_range(inutilization), *problems(inutilization)):
        return wrong
    try:
        signed = signed_inutilization(inutilization, signer)
    except InvalidId as reason:
        return (Problem(SCHEMA_PROBLEM, "taxId", str(reason)),)
    found = schemas.problems(Schema.NFE_INUTILIZATION, etree.fromstring(signed), Inutilization)
    return found or signed


def _out_of_range(inutilization: Inutilization) -> Iterator[Problem]:
    """Numbers that do not fit the Id, and a range that ends before it begins (rule 224)."""
    if not 0 <= inutilization.series <= _HIGHEST_SERIES:
        yield Problem(SCHEMA_PROBLEM, "series", f"A série vai de 0 a {_HIGHEST_SERIES}.")
    numbers = (("numberStart", inutilization.first_number), ("numberEnd", inutilization.last_number))
    for path, number in numbers:
        if not 1 <= number <= _HIGHEST_NUMBER:
            yield Problem(SCHEMA_PROBLEM, path, f"O número vai de 1 a {_HIGHEST_NUMBER}.")
    if inutilization.last_number < inutilization.first_number:
        yield Problem("224", "numberEnd", "O número final é menor do que o inicial.")
