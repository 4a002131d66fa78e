"""Adds NF-e and their events to the sequences of their parties, for some as summaries."""

from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from carimbo.fiscal.tables.authorities import NATIONAL
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.group import Group, group_of
from carimbo.simulator.identifiers import KEY_MODEL
from carimbo.simulator.ledger import Ledger, StoredDocument, StoredEvent
from carimbo.simulator.nfe.dialect import (
    ACKNOWLEDGED,
    CONFIRMED,
    CORRECTION,
    DIALECT,
    NAMESPACE,
    NFE,
    NOT_PERFORMED,
)
from carimbo.simulator.sefaz.answers import AnsweringAuthority, authorized_document, registered_event
from carimbo.simulator.sefaz.distribution_reader import Distributor
from carimbo.simulator.xml_messages import tax_id_field, text_elements

_AUTHORIZED, _CANCELED = "1", "3"
_WITHOUT_REGISTRATION = "ISENTO"
INVOICE, INVOICE_SUMMARY = "procNFe_v4.00.xsd", "resNFe_v1.01.xsd"
EVENT, EVENT_SUMMARY = "procEventoNFe_v1.00.xsd", "resEvento_v1.01.xsd"
_RELEASING = frozenset(event_type.code for event_type in (CONFIRMED, ACKNOWLEDGED, NOT_PERFORMED))
_BY_ISSUERS = "11"
_FAMILY = "nfe"


def invoice_summary(document: StoredDocument, invoice: Group) -> str:
    """Returns `resNFe`, for recipients that have not manifested yet (MOC 7.0, 5.7.6)."""
    return DIALECT.message(
        "resNFe",
        text_elements(
            {"chNFe": document.access_key}
            | tax_id_field(document.issuer)
            | {
                "xNome": invoice.text("emit/xNome"),
                "IE": invoice.text("emit/IE") or _WITHOUT_REGISTRATION,
                "dhEmi": invoice.text("ide/dhEmi"),
                "tpNF": invoice.text("ide/tpNF"),
                "vNF": invoice.text("total/ICMSTot/vNF"),
                "digVal": document.digest,
                "dhRecbto": _time(document.environment, document.received_at),
                "nProt": document.protocol,
                "cSitNFe": _CANCELED if document.is_canceled else _AUTHORIZED,
            }
        ),
        "1.01",
    )


def event_summary(event: StoredEvent) -> str:
    """Returns `resEvento`, for recipients that have not manifested yet (MOC 7.0, 5.7.6)."""
    event_content = group_of(next(etree.fromstring(event.xml).iterchildren(f"{{{NAMESPACE}}}infEvento")))
    return DIALECT.message(
        "resEvento",
        text_elements(
            {"cOrgao": event_content.text("cOrgao")}
            | tax_id_field(event.author)
            | {
                "chNFe": event.access_key,
                "dhEvento": event_content.text("dhEvento"),
                "tpEvento": event.type,
                "nSeqEvento": str(event.sequence),
                "xEvento": event_content.text("detEvento/descEvento"),
                "dhRecbto": _time(event.environment, event.registered_at),
                "nProt": event.protocol,
            }
        ),
        "1.01",
    )


def _time(environment: str, moment: datetime) -> str:
    """A time in the zone of the national environment."""
    return AnsweringAuthority(DIALECT, ServicePath(NATIONAL, environment, _FAMILY, ""), moment).time()


@dataclass(frozen=True, slots=True)
class InterestedParties:
    """The parties of a document."""

    issuer: str
    recipient: str
    others: frozenset[str]
    """Carrier, and the readers that the issuer names (`autXML`)."""


def parties_of(document: StoredDocument, invoice: Group | None = None) -> InterestedParties:
    """Returns the parties of a document; `invoice` saves reading it again."""
    if invoice is None:
        invoice = group_of(next(etree.fromstring(document.xml).iterchildren(f"{{{NAMESPACE}}}infNFe")))
    readers, carrier = invoice.all("autXML"), invoice.group("transp/transporta")
    others = (*readers, carrier) if carrier else readers
    tax_ids = {party.text("CNPJ") or party.text("CPF") for party in others}
    return InterestedParties(document.issuer, document.recipient, frozenset(tax_ids - {"", document.issuer}))


def is_released(document: StoredDocument, ledger: Ledger) -> bool:
    """Returns whether the recipient can have the document instead of its summary (MOC 7.0, 5.7, note 1)."""
    return any(
        event.type in _RELEASING and event.author == document.recipient
        for event in ledger.events(document.environment, document.access_key)
    )


def distribute_document(document: StoredDocument, invoice: Group, context: RequestContext) -> None:
    """Distributes an authorized NF-e to its parties; the recipient gets a summary until it manifests."""
    if document.access_key[KEY_MODEL] != NFE:
        return
    distributor = Distributor(context, document.environment, _FAMILY)
    parties = parties_of(document, invoice)
    for taxpayer in sorted(parties.others):
        xml = authorized_document(DIALECT, document.xml, document.protocol_xml)
        distributor.add(taxpayer, document.access_key, INVOICE, xml)
    if parties.recipient not in parties.others | {"", parties.issuer}:
        summary = invoice_summary(document, invoice)
        distributor.add(parties.recipient, document.access_key, INVOICE_SUMMARY, summary)


def distribute_event(event: StoredEvent, document: StoredDocument, context: RequestContext) -> None:
    """Distributes an event to the parties of its document (MOC 7.0, table 5-25)."""
    if event.access_key[KEY_MODEL] != NFE:
        return
    parties = parties_of(document)
    distributor = Distributor(context, event.environment, _FAMILY)
    xml = registered_event(DIALECT, event.xml, event.answer_xml)
    by_issuer = event.type.startswith(_BY_ISSUERS)
    recipients = parties.others | {parties.recipient if by_issuer else parties.issuer}
    for taxpayer in sorted(recipients - {"", event.author}):
        is_plain_recipient = taxpayer == parties.recipient and taxpayer not in parties.others
        gets_summary = event.type == CORRECTION.code and is_plain_recipient
        if gets_summary and not is_released(document, Ledger(context.store)):
            distributor.add(taxpayer, event.access_key, EVENT_SUMMARY, event_summary(event))
        else:
            distributor.add(taxpayer, event.access_key, EVENT, xml)
    if event.type in _RELEASING:
        _distribute_whole_document(document, event.author, context)


def _distribute_whole_document(document: StoredDocument, taxpayer: str, context: RequestContext) -> None:
    """Gives the recipient the document itself, once."""
    distributor = Distributor(context, document.environment, _FAMILY)
    if not distributor.sequence.of_key(taxpayer, document.access_key, INVOICE):
        xml = authorized_document(DIALECT, document.xml, document.protocol_xml)
        distributor.add(taxpayer, document.access_key, INVOICE, xml)
