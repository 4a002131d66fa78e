"""Inutilization of NF-e and NFC-e numbers: a range that was skipped and is given up for good.

Only these two families have it; the other ones leave gaps in their numbering.
"""

from collections.abc import Iterator

from lxml import etree

from carimbo.fiscal.ids import InvalidId, inutilization_id
from carimbo.fiscal.layouts.group import group, integer, text
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.paths import problems
from carimbo.fiscal.layouts.reading import read
from carimbo.fiscal.layouts.records import content
from carimbo.fiscal.layouts.sefaz.answer_part import Part, find_answer, with_code
from carimbo.fiscal.layouts.sefaz.messages import message
from carimbo.fiscal.layouts.sefaz.verdicts import authorized, duplicate, refusal
from carimbo.fiscal.layouts.signed_part import WrittenPart, signed_message
from carimbo.fiscal.outcome import NotJudged, Outcome, unexpected
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.tables.statuses import Action
from carimbo.fiscal.xml_reading import root_alone

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
    part = WrittenPart(
        "infInut", NFE_DIALECT.namespace, identifier, f' Id="{identifier}"'.encode(), inside.encode()
    )
    return signed_message("inutNFe", NFE_DIALECT.version, part, signer)


def read_inutilization_request(signed: bytes) -> Inutilization:
    """The range that a signed request of ours is about."""
    asked = etree.fromstring(signed).find("{*}infInut")
    if asked is None:
        raise LookupError("a signed request has no infInut")
    return read(Inutilization, asked)


def read_inutilization(body: bytes, asked: Inutilization) -> Outcome:
    """Reads the answer to a request (retInutNFe); it must be about the range of the request."""
    answer = find_answer(NFE_DIALECT, body, "retInutNFe")
    if isinstance(answer, NotJudged):
        return answer
    information = with_code(answer.part("infInut"))
    if isinstance(information, NotJudged):
        return information
    if not _may_be_of(information, asked):
        return unexpected("retInutNFe de outra faixa")
    match information.action:
        case Action.VOIDED:
            return authorized(information, answer)
        case Action.ALREADY_VOIDED:
            return duplicate(information)
        case _:
            return refusal(information, answer)


def registered_inutilization(signed: bytes, answer: bytes) -> bytes:
    """Joins a request with its registration, under the XSD's name for it, with a capital letter."""
    return message(NFE_DIALECT, "ProcInutNFe", root_alone(signed), root_alone(answer))


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


def _may_be_of(information: Part, asked: Inutilization) -> bool:
    """Returns whether an answer can be about a range: it need not repeat it, but must not name another."""
    wanted = {
        "ano": asked.year,
        "CNPJ": asked.cnpj,
        "mod": asked.model,
        "serie": str(asked.series),
        "nNFIni": str(asked.first_number),
        "nNFFin": str(asked.last_number),
    }
    answered = ((information.text(tag) or value, value) for tag, value in wanted.items())
    return all(text.lstrip("0") == value.lstrip("0") for text, value in answered)
