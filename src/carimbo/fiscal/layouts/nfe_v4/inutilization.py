"""Inutilization of NF-e and NFC-e numbers: a range that was skipped and will never be used.

Other families of documents have no inutilization and leave gaps in their numbering.
"""

from collections.abc import Iterator

from lxml import etree

from carimbo.fiscal.identity.access_key import InvalidId, inutilization_id
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.group import group, integer, text
from carimbo.fiscal.layouts.json_form import unwritable_values
from carimbo.fiscal.layouts.layout import content_xml
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.reading import read_group
from carimbo.fiscal.layouts.sefaz.answer_part import SefazPart, find_answer, with_code
from carimbo.fiscal.layouts.sefaz.messages import message
from carimbo.fiscal.layouts.sefaz.verdicts import authorized, duplicate, refusal
from carimbo.fiscal.layouts.signed_part import WrittenPart, signed_message
from carimbo.fiscal.outcome import NotJudged, Outcome, unexpected
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.tables.statuses import Action
from carimbo.fiscal.xml_reading import root_alone

_MAX_SERIES = 999
_MAX_NUMBER = 999_999_999


@group("infInut")
class InutilizationRange:
    """`infInut`: the range, and why its numbers were not used."""

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
        """The identifier, which contains the range."""
        return inutilization_id(
            self.state_code,
            self.year,
            self.cnpj,
            self.model,
            self.series,
            self.first_number,
            self.last_number,
        )


def signed_inutilization(inutilization: InutilizationRange, signer: Signer) -> bytes:
    """Returns the signed request (inutNFe)."""
    identifier, inside = inutilization.id, content_xml(inutilization)
    part = WrittenPart(
        "infInut", NFE_DIALECT.namespace, identifier, f' Id="{identifier}"'.encode(), inside.encode()
    )
    return signed_message("inutNFe", NFE_DIALECT.version, part, signer)


def read_inutilization_request(signed: bytes) -> InutilizationRange:
    """Reads the range of a request that we signed."""
    element = etree.fromstring(signed).find("{*}infInut")
    if element is None:
        raise LookupError("a signed request has no infInut")
    return read_group(InutilizationRange, element)


def read_inutilization(body: bytes, requested: InutilizationRange) -> Outcome:
    """Reads the answer to a request (retInutNFe), which must be about the same range."""
    answer = find_answer(NFE_DIALECT, body, "retInutNFe")
    if isinstance(answer, NotJudged):
        return answer
    information = with_code(answer.part("infInut"))
    if isinstance(information, NotJudged):
        return information
    if not _can_be_about(information, requested):
        return unexpected("retInutNFe de outra faixa")
    match information.action:
        case Action.INUTILIZED:
            return authorized(information, answer)
        case Action.ALREADY_INUTILIZED:
            return duplicate(information)
        case _:
            return refusal(information, answer)


def registered_inutilization(signed: bytes, answer: bytes) -> bytes:
    """Joins a request with its registration (ProcInutNFe: the XSD spells it with a capital letter)."""
    return message(NFE_DIALECT, "ProcInutNFe", root_alone(signed), root_alone(answer))


def issue_inutilization(
    inutilization: InutilizationRange, signer: Signer, schemas: Schemas
) -> bytes | tuple[Problem, ...]:
    """Signs a request and checks it against its XSD, or returns everything that is wrong with it."""
    if invalid := (*_out_of_range(inutilization), *unwritable_values(inutilization)):
        return invalid
    try:
        signed = signed_inutilization(inutilization, signer)
    except InvalidId as reason:
        return (Problem(SCHEMA_PROBLEM, "taxId", str(reason)),)
    refused = schemas.problems(Schema.NFE_INUTILIZATION, etree.fromstring(signed), InutilizationRange)
    return refused or signed


def _out_of_range(inutilization: InutilizationRange) -> Iterator[Problem]:
    """Yields numbers that do not fit the Id, and a range that ends before it begins (rule 224)."""
    if not 0 <= inutilization.series <= _MAX_SERIES:
        yield Problem(SCHEMA_PROBLEM, "series", f"A série vai de 0 a {_MAX_SERIES}.")
    numbers = (("numberStart", inutilization.first_number), ("numberEnd", inutilization.last_number))
    for path, number in numbers:
        if not 1 <= number <= _MAX_NUMBER:
            yield Problem(SCHEMA_PROBLEM, path, f"O número vai de 1 a {_MAX_NUMBER}.")
    if inutilization.last_number < inutilization.first_number:
        yield Problem("224", "numberEnd", "O número final é menor do que o inicial.")


def _can_be_about(information: SefazPart, requested: InutilizationRange) -> bool:
    """Returns whether an answer can be about a range: it may omit the range, but not name another one."""
    expected = {
        "ano": requested.year,
        "CNPJ": requested.cnpj,
        "mod": requested.model,
        "serie": str(requested.series),
        "nNFIni": str(requested.first_number),
        "nNFFin": str(requested.last_number),
    }
    answered = ((information.text(tag) or value, value) for tag, value in expected.items())
    return all(text.lstrip("0") == value.lstrip("0") for text, value in answered)
