"""Compares what the simulator received with what the database says about it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from acceptance.fault_company import Company
from acceptance.fault_site import EVENT, INUTILIZATION, Site
from carimbo.fiscal.identity.access_key import AccessKey, event_id, inutilization_id, nfse_event_id
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from xmlsec1 import xmlsec1_accepts

_AUTHORIZED = ("100", "150")
_REGISTERED = ("102", "135", "155", "201")
_STATE_CODE = "35"
_MODELS = {"nfe": "55", "nfce": "65"}
# By document type: the file with legal force, and the element that we signed.
_FILES = {
    "nfe": (Schema.NFE_AUTHORIZED, "infNFe"),
    "nfce": (Schema.NFE_AUTHORIZED, "infNFe"),
    "nfse": (Schema.NFSE_AUTHORIZED, "infDPS"),
    "cte": (Schema.CTE_AUTHORIZED, "infCte"),
    "cteOs": (Schema.CTE_OS_AUTHORIZED, "infCte"),
    "mdfe": (Schema.MDFE_AUTHORIZED, "infMDFe"),
}
_EVENTS = {
    "cancellation": "110111",
    "correction": "110110",
    "delivery": "110180",
    "deliveryCancellation": "110181",
    "close": "110112",
    "driverInclusion": "110114",
    "documentInclusion": "110115",
    "payment": "110116",
}
_FACTS = {
    "delivery": "deliveredAt",
    "close": "closedAt",
    "driverInclusion": "driverIncludedAt",
    "documentInclusion": "documentsIncludedAt",
    "payment": "paymentChangedAt",
}
"""The facts that documents have after their events."""
_EVENT_FILES = {
    "cancellation": Schema.NFE_CANCELLATION_REGISTERED,
    "correction": Schema.NFE_CORRECTION_REGISTERED,
}
# Of types whose events all have one file format, and sequences of three digits.
_TYPE_EVENT_FILES = {
    "cte": Schema.CTE_EVENT_REGISTERED,
    "cteOs": Schema.CTE_EVENT_REGISTERED,
    "mdfe": Schema.MDFE_EVENT_REGISTERED,
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
    select f.id, f.type, f.sequence, f.state, d.id as document_id, d.external_id, d.status,
        d.type as document_type, coalesce(e.assigned_key, e.access_key) as access_key,
        array(select jsonb_object_keys(d.facts)) as facts,
        (select count(*) from document_events h
            where h.subscription_id = d.subscription_id and h.document_id = d.id and h.type = f.type) as times
    from event_filings f
    join documents d on d.subscription_id = f.subscription_id and d.id = f.document_id
    join emissions e on e.subscription_id = f.subscription_id and e.document_id = f.document_id
        and e.ordinal = f.emission
    where f.company_id = $1 order by f.id
"""
_RANGES = "select * from inutilizations where company_id = $1 order by id"
_XML_FILES = 30
# It is signed again after four minutes. It may have been sent some seconds after it was signed.
_RECEIPT_IS_OLD = timedelta(minutes=3, seconds=30)
_SCHEMAS = Schemas()

Row = Mapping[str, Any]


async def contradictions(site: Site, company: Company) -> list[str]:
    """Lists everything that is wrong when all documents of a company should be authorized exactly once."""
    documents = [dict(row) for row in await site.fetch(_DOCUMENTS, company.id)]
    sent = await site.sent(company)
    return [
        *_not_authorized(documents),
        *_misnumbered(documents),
        *_sent_otherwise(sent, _number_of),
        *_not_once((row["access_key"] for row in documents), sent, _AUTHORIZED),
        *await _flawed(company, documents),
    ]


async def contradictions_of_filings(site: Site, company: Company) -> list[str]:
    """Lists everything that is wrong when all filings of a company should be registered exactly once."""
    events = [dict(row) for row in await site.fetch(_EVENT_FILINGS, company.id)]
    ranges = [dict(row) for row in await site.fetch(_RANGES, company.id)]
    filed = [*await site.sent(company, EVENT), *await site.sent(company, INUTILIZATION)]
    ours = [*map(_event_id, events), *(_range_id(row, company) for row in ranges)]
    return [
        *_not_registered([*events, *ranges]),
        *_sent_otherwise(filed),
        *_not_once(ours, filed, _REGISTERED),
        *_without_consequence(events),
        *await _flawed_events(company, events),
    ]


async def codes_of_filings(site: Site, company: Company) -> dict[str, list[str]]:
    """Returns the answer codes for each event, by its document's external id, and for each number.

    Codes for anything else are listed by its own id.
    """
    events = [dict(row) for row in await site.fetch(_EVENT_FILINGS, company.id)]
    ranges = [dict(row) for row in await site.fetch(_RANGES, company.id)]
    filed = [*await site.sent(company, EVENT), *await site.sent(company, INUTILIZATION)]
    names = {_event_id(row): row["external_id"] for row in events}
    names |= {_range_id(row, company): str(row["first_number"]) for row in ranges}
    return codes_by_name(filed, names)


def codes_by_name(sent: list[dict[str, Any]], names: Mapping[str, str]) -> dict[str, list[str]]:
    """Returns the answer codes by the names of their subjects; a subject without a name keeps its id."""
    codes: dict[str, list[str]] = {}
    for entry in sent:
        codes.setdefault(names.get(entry["subject"], entry["subject"]), []).append(entry["code"])
    return codes


async def contradictions_after_contingency(site: Site, company: Company) -> list[str]:
    """Lists everything that is wrong when each sale should have one document, at whichever authority.

    Superseded attempts must be canceled or unknown to the authority.
    """
    attempts = [dict(row) for row in await site.fetch(_ATTEMPTS, company.id)]
    in_force = [row for row in attempts if row["in_force"]]
    sent, filed = await site.sent(company), await site.sent(company, EVENT)
    authorized = [row["access_key"] for row in attempts if row["state"] in ("authorized", "canceled")]
    canceled = [row["access_key"] for row in attempts if row["state"] == "canceled"]
    return [
        *_not_authorized(in_force),
        *_misnumbered(attempts),
        *_sent_otherwise(sent),
        *_sent_otherwise(filed),
        *_not_once(authorized, sent, _AUTHORIZED),
        *_not_once((_cancellation_id(key) for key in canceled), filed, _REGISTERED),
        *_unsettled(attempts),
        *_not_billed_once(attempts, _valid_keys(sent, filed)),
        *await _flawed(company, in_force),
    ]


def _not_authorized(documents: Sequence[Row]) -> Iterator[str]:
    if not documents:
        yield "there is no document at all"
    for row in documents:
        if row["status"] != "authorized":
            yield f"document {row['id']} is {row['status']}"


def _misnumbered(documents: Sequence[Row]) -> Iterator[str]:
    """Numbers begin with 1, without gaps or duplicates."""
    for document_type in {row["type"] for row in documents}:
        numbers = sorted(row["number"] or 0 for row in documents if row["type"] == document_type)
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"the numbers of {document_type} are {numbers}"


def _number_of(subject: str) -> str:
    """Returns model, series and number of an access key; the Id of a DPS has nothing else that varies."""
    return subject if subject.startswith("DPS") else subject[20:34]


def _sent_otherwise(sent: Sequence[Row], part: Callable[[str], str] = str) -> Iterator[str]:
    """Every message about a subject, or about a part of it, must be the same bytes.

    An NFC-e that the authority does not have is signed again when it is too old.
    """
    first_sent: dict[str, dict[str, datetime]] = {}
    for entry in sent:
        messages = first_sent.setdefault(part(entry["subject"]), {})
        messages.setdefault(entry["digest"], datetime.fromisoformat(entry["at"]))
    for subject, messages in first_sent.items():
        times = sorted(messages.values())
        is_receipt = subject.startswith(_MODELS["nfce"])
        if any(not is_receipt or later - earlier < _RECEIPT_IS_OLD for earlier, later in pairwise(times)):
            yield f"{len(times)} different messages were sent for {subject} at {', '.join(map(str, times))}"


def _not_once(ours: Iterable[str], sent: Sequence[Row], good: Sequence[str]) -> Iterator[str]:
    """Every accepted subject is ours, and was accepted once."""
    accepted = Counter(entry["subject"] for entry in sent if entry["code"] in good)
    expected = Counter(ours)
    for subject in accepted | expected:
        if (accepted[subject], expected[subject]) != (1, 1):
            yield f"{subject} was accepted {accepted[subject]} times and is ours {expected[subject]} times"


def _event_id(event: Row) -> str:
    if event["document_type"] == "nfse":
        return nfse_event_id("101101", event["access_key"])
    digits = 3 if event["document_type"] in _TYPE_EVENT_FILES else 2
    key = AccessKey.parse(event["access_key"])
    return event_id(_EVENTS[event["type"]], key, event["sequence"], digits)


def _cancellation_id(access_key: str) -> str:
    document_type = "cte" if AccessKey.parse(access_key).model in ("57", "67") else "nfe"
    return _event_id(
        {"type": "cancellation", "document_type": document_type, "access_key": access_key, "sequence": 1}
    )


def _range_id(row: Row, company: Company) -> str:
    numbers = row["series"], row["first_number"], row["last_number"]
    year, model = f"{row['year'] % 100:02}", _MODELS[row["document_type"]]
    return inutilization_id(_STATE_CODE, year, company.tax_id, model, *numbers)


def _not_registered(filings: Sequence[Row]) -> Iterator[str]:
    if not filings:
        yield "there is no filing at all"
    for row in filings:
        if row["state"] != "registered":
            yield f"filing {row['id']} is {row['state']}"


def _without_consequence(events: Sequence[Row]) -> Iterator[str]:
    """Only a cancellation cancels its document, and only an event that was not undone leaves its fact.

    Each event is in the history once.
    """
    undone = {row["document_id"] for row in events if row["type"] == "deliveryCancellation"}
    for row in events:
        is_in_force = row["type"] in _FACTS and row["document_id"] not in undone
        expected = {_FACTS[row["type"]]} if is_in_force else set()
        if facts := expected ^ (set(row["facts"]) & set(_FACTS.values())):
            yield f"document {row['document_id']} has wrong facts after its {row['type']}: {facts}"
        if (row["status"] == "canceled") != (row["type"] == "cancellation"):
            yield f"document {row['document_id']} is {row['status']} after its {row['type']}"
        if (row["sequence"], row["times"]) != (1, 1):
            yield f"{row['type']} {row['sequence']} of {row['document_id']} happened {row['times']} times"


def _unsettled(attempts: Sequence[Row]) -> Iterator[str]:
    for row in attempts:
        if not row["in_force"] and row["state"] not in ("canceled", "signed"):
            yield f"the superseded attempt with number {row['number']} is {row['state']}"


def _valid_keys(sent: Sequence[Row], filed: Sequence[Row]) -> set[str]:
    """Returns the keys that are valid at the authorities."""
    canceled = {key for entry in filed if entry["code"] in _REGISTERED for key in entry["keys"]}
    return {entry["subject"] for entry in sent if entry["code"] in _AUTHORIZED} - canceled


def _not_billed_once(attempts: Sequence[Row], valid: set[str]) -> Iterator[str]:
    """Of all attempts of a document, only the current one is valid at the authorities."""
    for row in attempts:
        if (row["access_key"] in valid) != row["in_force"]:
            validity = "valid" if row["access_key"] in valid else "not valid"
            force = "in force" if row["in_force"] else "not in force"
            yield f"{row['access_key']} is {validity} at the authorities and {force} here"
    for key in valid - {row["access_key"] for row in attempts}:
        yield f"{key} is valid at the authorities and unknown here"


async def _flawed(company: Company, documents: Sequence[Row]) -> list[str]:
    """Checks the archived files of all documents, or of a sample if there are many."""
    flaws = []
    for row in _some([row for row in documents if row["status"] == "authorized"]):
        xml = await company.xml(row["id"])
        if flaw := await asyncio.to_thread(_flaw, xml, row):
            flaws.append(f"the XML of {row['access_key']} {flaw}")
    return flaws


async def _flawed_events(company: Company, events: Sequence[Row]) -> list[str]:
    """Checks the archived files of events, or of a sample of them."""
    flaws = []
    for row in _some([row for row in events if row["state"] == "registered"]):
        xml = await company.event_xml(row["document_type"], row["document_id"], row["id"])
        if flaw := await asyncio.to_thread(_flaw_of_form, xml, *_event_file(row)):
            flaws.append(f"the XML of {_event_id(row)} {flaw}")
    return flaws


def _some(rows: Sequence[Row]) -> Sequence[Row]:
    return rows[:: len(rows) // _XML_FILES + 1]


def _event_file(event: Row) -> tuple[Schema, str]:
    """Returns the schema of an event's file with legal force, and the element that we signed."""
    if event["document_type"] == "nfse":
        return Schema.NFSE_EVENT_REGISTERED, "infPedReg"
    schema = _TYPE_EVENT_FILES.get(event["document_type"]) or _EVENT_FILES[event["type"]]
    return schema, "infEvento"


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
