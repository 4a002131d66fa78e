"""The judge: what the simulator was really sent, held against what the database says of it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from acceptance.fault_company import Company
from acceptance.fault_site import EVENT, INUTILIZATION, Site
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.ids import event_id, inutilization_id, nfse_event_id
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from xmlsec1 import xmlsec1_accepts

_AUTHORIZED = ("100", "150")
_REGISTERED = ("102", "135", "155", "201")
_STATE_CODE = "35"
_MODELS = {"nfe": "55", "nfce": "65"}
# By type of document: the file that has legal force, and what of it we signed.
_FILES = {
    "nfe": (Schema.NFE_AUTHORIZED, "infNFe"),
    "nfce": (Schema.NFE_AUTHORIZED, "infNFe"),
    "nfse": (Schema.NFSE_AUTHORIZED, "infDPS"),
}
_EVENTS = {
    "cancellation": ("110111", Schema.NFE_CANCELLATION_REGISTERED),
    "correction": ("110110", Schema.NFE_CORRECTION_REGISTERED),
}
_DOCUMENTS = """
    select d.id, d.type, d.status, e.number, e.access_key, e.digest from documents d
    left join emissions e on e.subscription_id = d.subscription_id and e.document_id = d.id
    where d.company_id = $1 order by d.id
"""
_ATTEMPTS = """
    select d.id, d.type, d.status, e.number, e.access_key, e.digest, e.state,
        e.ordinal = d.emission as in_force
    from documents d join emissions e on e.subscription_id = d.subscription_id and e.document_id = d.id
    where d.company_id = $1 order by d.id, e.ordinal
"""
_EVENT_FILINGS = """
    select f.id, f.type, f.sequence, f.state, d.id as document_id, d.external_id, d.type as kind, d.status,
        coalesce(e.assigned_key, e.access_key) as access_key,
        (select count(*) from document_events h
            where h.subscription_id = d.subscription_id and h.document_id = d.id and h.type = f.type) as told
    from event_filings f
    join documents d on d.subscription_id = f.subscription_id and d.id = f.document_id
    join emissions e on e.subscription_id = f.subscription_id and e.document_id = f.document_id
        and e.ordinal = f.emission
    where f.company_id = $1 order by f.id
"""
_RANGES = "select * from inutilizations where company_id = $1 order by id"
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
        *_sent_otherwise(sent, _number_of),
        *_not_once((row["access_key"] for row in documents), sent, _AUTHORIZED),
        *await _flawed(company, documents),
    ]


async def contradictions_of_statements(site: Site, company: Company) -> list[str]:
    """Everything that is wrong once all that a company told should be registered, each exactly once."""
    events = [dict(row) for row in await site.fetch(_EVENT_FILINGS, company.id)]
    ranges = [dict(row) for row in await site.fetch(_RANGES, company.id)]
    told = [*await site.sent(company, EVENT), *await site.sent(company, INUTILIZATION)]
    ours = [*map(_event_id, events), *(_range_id(row, company) for row in ranges)]
    return [
        *_not_registered([*events, *ranges]),
        *_sent_otherwise(told),
        *_not_once(ours, told, _REGISTERED),
        *_without_consequence(events),
        *await _flawed_events(company, events),
    ]


async def codes_of_statements(site: Site, company: Company) -> dict[str, list[str]]:
    """Returns what the authority said of each event, by its document's external id, and of each number.

    What it said of anything else is there by its id.
    """
    events = [dict(row) for row in await site.fetch(_EVENT_FILINGS, company.id)]
    ranges = [dict(row) for row in await site.fetch(_RANGES, company.id)]
    told = [*await site.sent(company, EVENT), *await site.sent(company, INUTILIZATION)]
    names = {_event_id(row): row["external_id"] for row in events}
    names |= {_range_id(row, company): str(row["first_number"]) for row in ranges}
    return codes_by_name(told, names)


def codes_by_name(sent: list[dict[str, Any]], names: Mapping[str, str]) -> dict[str, list[str]]:
    """Returns the codes of answers by the names of their subjects; a subject without a name keeps its own."""
    codes: dict[str, list[str]] = {}
    for entry in sent:
        codes.setdefault(names.get(entry["subject"], entry["subject"]), []).append(entry["code"])
    return codes


async def contradictions_after_contingency(site: Site, company: Company) -> list[str]:
    """Everything that is wrong once each sale should have one document, wherever that was authorised.

    Attempts that another one took the place of are canceled, or the authority has nothing of them.
    """
    attempts = [dict(row) for row in await site.fetch(_ATTEMPTS, company.id)]
    in_force = [row for row in attempts if row["in_force"]]
    sent, told = await site.sent(company), await site.sent(company, EVENT)
    authorized = [row["access_key"] for row in attempts if row["state"] in ("authorized", "canceled")]
    canceled = [row["access_key"] for row in attempts if row["state"] == "canceled"]
    return [
        *_not_authorized(in_force),
        *_misnumbered(attempts),
        *_sent_otherwise(sent),
        *_sent_otherwise(told),
        *_not_once(authorized, sent, _AUTHORIZED),
        *_not_once((_cancellation_id(key) for key in canceled), told, _REGISTERED),
        *_unsettled(attempts),
        *_not_billed_once(attempts, _standing(sent, told)),
        *await _flawed(company, in_force),
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


def _number_of(subject: str) -> str:
    """Model, series and number within an access key; the Id of a DPS has nothing else that varies."""
    return subject if subject.startswith("DPS") else subject[20:34]


def _sent_otherwise(sent: Sequence[Row], part: Callable[[str], str] = str) -> Iterator[str]:
    """Whatever is sent of a subject, or of a part of it, is the same to the byte, however often."""
    contents: dict[str, set[str]] = {}
    for entry in sent:
        contents.setdefault(part(entry["subject"]), set()).add(entry["digest"])
    for subject, digests in contents.items():
        if len(digests) > 1:
            yield f"{len(digests)} different messages were sent of {subject}"


def _not_once(ours: Iterable[str], sent: Sequence[Row], good: Sequence[str]) -> Iterator[str]:
    """What was accepted is ours, each once."""
    accepted = Counter(entry["subject"] for entry in sent if entry["code"] in good)
    expected = Counter(ours)
    for subject in accepted | expected:
        if (accepted[subject], expected[subject]) != (1, 1):
            yield f"{subject} was accepted {accepted[subject]} times and is ours {expected[subject]} times"


def _event_id(event: Row) -> str:
    if event["kind"] == "nfse":
        return nfse_event_id("101101", event["access_key"])
    return event_id(_EVENTS[event["type"]][0], AccessKey.parse(event["access_key"]), event["sequence"])


def _cancellation_id(access_key: str) -> str:
    return _event_id({"type": "cancellation", "kind": "nfe", "access_key": access_key, "sequence": 1})


def _range_id(row: Row, company: Company) -> str:
    numbers = row["series"], row["first_number"], row["last_number"]
    year, model = f"{row['year'] % 100:02}", _MODELS[row["document_type"]]
    return inutilization_id(_STATE_CODE, year, company.tax_id, model, *numbers)


def _not_registered(filings: Sequence[Row]) -> Iterator[str]:
    if not filings:
        yield "there is no statement at all"
    for row in filings:
        if row["state"] != "registered":
            yield f"statement {row['id']} is {row['state']}"


def _without_consequence(events: Sequence[Row]) -> Iterator[str]:
    """A cancellation cancels its document and nothing else does; each event is in the history once."""
    for row in events:
        if (row["status"] == "canceled") != (row["type"] == "cancellation"):
            yield f"document {row['document_id']} is {row['status']} after its {row['type']}"
        if (row["sequence"], row["told"]) != (1, 1):
            yield f"{row['type']} {row['sequence']} of {row['document_id']} is told {row['told']} times"


def _unsettled(attempts: Sequence[Row]) -> Iterator[str]:
    for row in attempts:
        if not row["in_force"] and row["state"] not in ("canceled", "signed"):
            yield f"the attempt under {row['number']} that another took the place of is {row['state']}"


def _standing(sent: Sequence[Row], told: Sequence[Row]) -> set[str]:
    """The keys that the authorities hold for valid."""
    canceled = {key for entry in told if entry["code"] in _REGISTERED for key in entry["keys"]}
    return {entry["subject"] for entry in sent if entry["code"] in _AUTHORIZED} - canceled


def _not_billed_once(attempts: Sequence[Row], standing: set[str]) -> Iterator[str]:
    """Of all the attempts of a document the authorities hold one for valid: the one in force."""
    for row in attempts:
        if (row["access_key"] in standing) != row["in_force"]:
            validity = "valid" if row["access_key"] in standing else "not valid"
            force = "in force" if row["in_force"] else "not in force"
            yield f"{row['access_key']} is {validity} at the authorities and {force} here"
    for key in standing - {row["access_key"] for row in attempts}:
        yield f"{key} is valid at the authorities and nobody's here"


async def _flawed(company: Company, documents: Sequence[Row]) -> list[str]:
    """The archived files of all documents, or of some where there are many."""
    flaws = []
    for row in _some([row for row in documents if row["status"] == "authorized"]):
        xml = await company.xml(row["id"])
        if flaw := await asyncio.to_thread(_flaw, xml, row):
            flaws.append(f"the XML of {row['access_key']} {flaw}")
    return flaws


async def _flawed_events(company: Company, events: Sequence[Row]) -> list[str]:
    """The archived files of events, or of some of them."""
    flaws = []
    for row in _some([row for row in events if row["state"] == "registered"]):
        xml = await company.event_xml(row["kind"], row["document_id"], row["id"])
        if flaw := await asyncio.to_thread(_flaw_of_form, xml, *_event_file(row)):
            flaws.append(f"the XML of {_event_id(row)} {flaw}")
    return flaws


def _some(rows: Sequence[Row]) -> Sequence[Row]:
    return rows[:: len(rows) // _XML_FILES + 1]


def _event_file(event: Row) -> tuple[Schema, str]:
    """The file of an event that has legal force, and what of it we signed."""
    if event["kind"] == "nfse":
        return Schema.NFSE_EVENT_REGISTERED, "infPedReg"
    return _EVENTS[event["type"]][1], "infEvento"


def _flaw(xml: bytes, document: Row) -> str | None:
    root = read_xml(xml)
    digests = root.findtext(".//{*}digVal") or document["digest"], root.findtext(".//{*}DigestValue")
    if set(digests) != {document["digest"]}:
        return "has the protocol of another version"
    return _flaw_of_form(xml, *_FILES[document["type"]])


def _flaw_of_form(xml: bytes, schema: Schema, signed: str) -> str | None:
    if problems := _SCHEMAS.problems(schema, read_xml(xml)):
        return f"is against the XSD: {problems[0].message}"
    return None if xmlsec1_accepts(xml, signed) else "has a wrong signature"
