"""Who is told of what: each taxpayer has a sequence of its own (NSU) of documents and events of interest."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lxml import etree

from carimbo.simulator.family import World
from carimbo.simulator.group import Group, group_of
from carimbo.simulator.ledger import Ledger, StoredDocument, StoredEvent
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.nfe.event_types import ACKNOWLEDGED, CONFIRMED, CORRECTION, NOT_PERFORMED
from carimbo.simulator.nfe.models import NFE
from carimbo.simulator.nfe.summaries import event_summary, invoice_summary
from carimbo.simulator.sefaz.answers import authorized_document, registered_event
from carimbo.simulator.sefaz.key_parts import MODEL
from carimbo.simulator.store import Store, moment_text

PAGE = 50
INVOICE, INVOICE_SUMMARY = "procNFe_v4.00.xsd", "resNFe_v1.01.xsd"
EVENT, EVENT_SUMMARY = "procEventoNFe_v1.00.xsd", "resEvento_v1.01.xsd"

_RELEASING = frozenset(event_type.code for event_type in (CONFIRMED, ACKNOWLEDGED, NOT_PERFORMED))
_BY_ISSUERS = "11"


@dataclass(frozen=True, slots=True)
class Interest:
    """One place in the sequence of a taxpayer."""

    nsu: int
    schema: str
    xml: bytes


@dataclass(frozen=True, slots=True)
class Parties:
    """Who has to do with a document."""

    issuer: str
    recipient: str
    others: frozenset[str]
    """Transporter, and whoever the issuer lets see it (`autXML`)."""


class Interests:
    """The sequences of one environment."""

    def __init__(self, store: Store, environment: str) -> None:
        self._store = store
        self._environment = environment

    def add(self, taxpayer: str, access_key: str, schema: str, xml: str, at: datetime) -> None:
        """Tell a taxpayer of something."""
        nsu = self.highest(taxpayer) + 1
        row = (self._environment, taxpayer, nsu, access_key, schema, moment_text(at), xml.encode())
        self._store.connection.execute("insert into interests values (?, ?, ?, ?, ?, ?, ?)", row)

    def after(self, taxpayer: str, nsu: int, since: datetime) -> list[Interest]:
        """The first page of what a taxpayer was told after a number, since a moment."""
        return self._where(taxpayer, "nsu > ? and created_at >= ?", nsu, moment_text(since))

    def at(self, taxpayer: str, nsu: int, since: datetime) -> list[Interest]:
        """What has a number; nothing if there is none."""
        return self._where(taxpayer, "nsu = ? and created_at >= ?", nsu, moment_text(since))

    def of_key(self, taxpayer: str, access_key: str, schema: str) -> list[Interest]:
        """What a taxpayer was told of a document under a schema."""
        return self._where(taxpayer, "access_key = ? and schema = ?", access_key, schema)

    def highest(self, taxpayer: str) -> int:
        """The last number of a taxpayer; zero if it was told nothing."""
        query = "select max(nsu) from interests where environment = ? and taxpayer = ?"
        row = self._store.connection.execute(query, (self._environment, taxpayer)).fetchone()
        return int(row[0] or 0)

    def _where(self, taxpayer: str, condition: str, *values: Any) -> list[Interest]:
        rows = self._store.connection.execute(
            "select nsu, schema, xml from interests where environment = ? and taxpayer = ?"
            f" and {condition} order by nsu limit {PAGE}",
            (self._environment, taxpayer, *values),
        )
        return [Interest(row["nsu"], row["schema"], bytes(row["xml"])) for row in rows]


def parties_of(document: StoredDocument, invoice: Group | None = None) -> Parties:
    """Who has to do with a document, read from it unless it was read already."""
    read = invoice or group_of(next(etree.fromstring(document.xml).iterchildren(f"{{{NAMESPACE}}}infNFe")))
    others = (*read.all("autXML"), *filter(None, (read.group("transp/transporta"),)))
    named = {other.text("CNPJ") or other.text("CPF") for other in others}
    return Parties(document.issuer, document.recipient, frozenset(named - {"", document.issuer}))


def is_released(document: StoredDocument, ledger: Ledger) -> bool:
    """Tell whether the recipient may have the document itself, and not its summary (MOC 7.0, 5.7, note 1)."""
    return any(
        event.type in _RELEASING and event.author == document.recipient
        for event in ledger.events(document.environment, document.access_key)
    )


def tell_of_document(document: StoredDocument, invoice: Group, world: World) -> None:
    """Tell the parties of an authorised NF-e; the recipient gets a summary until it says something."""
    if document.access_key[MODEL] != NFE:
        return
    interests, parties = Interests(world.store, document.environment), parties_of(document, invoice)
    for taxpayer in sorted(parties.others):
        whole = authorized_document(DIALECT, document.xml, document.protocol_xml)
        interests.add(taxpayer, document.access_key, INVOICE, whole, world.now)
    if parties.recipient not in parties.others | {"", parties.issuer}:
        summary = invoice_summary(document, invoice)
        interests.add(parties.recipient, document.access_key, INVOICE_SUMMARY, summary, world.now)


def tell_of_event(event: StoredEvent, document: StoredDocument, world: World) -> None:
    """Tell the parties of a document what its issuer or its recipient did (MOC 7.0, table 5-25)."""
    if event.access_key[MODEL] != NFE:
        return
    parties, interests = parties_of(document), Interests(world.store, event.environment)
    whole = registered_event(DIALECT, event.xml, event.answer_xml)
    by_issuer = event.type.startswith(_BY_ISSUERS)
    told = parties.others | {parties.recipient if by_issuer else parties.issuer}
    for taxpayer in sorted(told - {"", event.author}):
        is_held_back = taxpayer == parties.recipient and taxpayer not in parties.others
        if event.type == CORRECTION.code and is_held_back and not is_released(document, Ledger(world.store)):
            interests.add(taxpayer, event.access_key, EVENT_SUMMARY, event_summary(event), world.now)
        else:
            interests.add(taxpayer, event.access_key, EVENT, whole, world.now)
    if event.type in _RELEASING:
        _release(document, event.author, world)


def _release(document: StoredDocument, taxpayer: str, world: World) -> None:
    """Give the recipient the document itself, once."""
    interests = Interests(world.store, document.environment)
    if not interests.of_key(taxpayer, document.access_key, INVOICE):
        whole = authorized_document(DIALECT, document.xml, document.protocol_xml)
        interests.add(taxpayer, document.access_key, INVOICE, whole, world.now)
