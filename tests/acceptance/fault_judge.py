"""The judge: what the simulator was really sent, held against what the database says of it."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acceptance.fault_company import Company
from acceptance.fault_site import Site
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from xmlsec1 import xmlsec1_accepts

_AUTHORIZED = ("100", "150")
_NUMBER = slice(20, 34)
"""Model, series and number within an access key."""
_DOCUMENTS = """
    select d.id, d.type, d.status, e.number, e.access_key from documents d
    left join emissions e on e.subscription_id = d.subscription_id and e.document_id = d.id
    where d.company_id = $1 order by d.id
"""
_XML_FILES = 30
_SCHEMAS = Schemas()

Row = Mapping[str, Any]


async def contradictions(site: Site, company: Company) -> list[str]:
    """Everything that is wrong once all documents of a company should be authorised, each exactly once."""
    documents = [dict(row) for row in await site.fetch(_DOCUMENTS, company.id)]
    sent = await site.sent(company)
    return [
        *_not_authorized(documents),
        *_misnumbered(documents),
        *_sent_otherwise(sent),
        *_not_once(documents, sent),
        *await _flawed(company, documents),
    ]


def _not_authorized(documents: Sequence[Row]) -> Iterator[str]:
    if not documents:
        yield "there is no document at all"
    for row in documents:
        if row["status"] != "authorized":
            yield f"document {row['id']} is {row['status']}"


def _misnumbered(documents: Sequence[Row]) -> Iterator[str]:
    """Numbers begin with 1, without gap and without twin."""
    for kind in {row["type"] for row in documents}:
        numbers = sorted(row["number"] or 0 for row in documents if row["type"] == kind)
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"the numbers of {kind} are {numbers}"


def _sent_otherwise(sent: Sequence[Row]) -> Iterator[str]:
    """Whatever is sent under a number is the same to the byte, however often it is sent."""
    contents: dict[str, set[str]] = {}
    for entry in sent:
        contents.setdefault(entry["subject"][_NUMBER], set()).add(entry["digest"])
    for number, digests in contents.items():
        if len(digests) > 1:
            yield f"{len(digests)} different messages were sent under {number}"


def _not_once(documents: Sequence[Row], sent: Sequence[Row]) -> Iterator[str]:
    """The keys that were authorised are those of our documents, each once."""
    authorized = Counter(entry["subject"] for entry in sent if entry["code"] in _AUTHORIZED)
    ours = Counter(row["access_key"] for row in documents)
    for key in authorized | ours:
        if (authorized[key], ours[key]) != (1, 1):
            yield f"{key} was authorised {authorized[key]} times and is on {ours[key]} documents"


async def _flawed(company: Company, documents: Sequence[Row]) -> list[str]:
    """The archived files of all documents, or of some where there are many."""
    chosen = [row for row in documents if row["status"] == "authorized"]
    flaws = []
    for row in chosen[:: len(chosen) // _XML_FILES + 1]:
        xml = await company.xml(row["id"])
        if flaw := await asyncio.to_thread(_flaw, xml):
            flaws.append(f"the XML of {row['access_key']} {flaw}")
    return flaws


def _flaw(xml: bytes) -> str | None:
    root = read_xml(xml)
    if problems := _SCHEMAS.problems(Schema.NFE_AUTHORIZED, root):
        return f"is against the XSD: {problems[0].message}"
    if root.findtext(".//{*}digVal") != root.findtext(".//{*}DigestValue"):
        return "has the protocol of another version"
    return None if xmlsec1_accepts(xml, "infNFe") else "has a wrong signature"
