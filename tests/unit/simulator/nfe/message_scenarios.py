"""Accepted queries and lots, changed in one place: helpers to test each rule about them."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta

from lxml import etree

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.outcome import Processing
from carimbo.simulator.family import ServicePath
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.registers import Contributor, Contributors
from carimbo.simulator.store import Store
from nfe_dialect import (
    authorization_lot,
    distribution_after,
    distribution_at,
    distribution_of_key,
    event_lot,
    key_query,
    read_authorization,
    receipt_query,
    status_query,
)
from support import CNPJ
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, emission, signer_of
from unit.simulator.mutating import Edit, nfe
from unit.simulator.nfe.event_scenario import CORRECTION, Scenario, altered, no_preparation, unchanged
from unit.simulator.nfe.sefaz_client import (
    AUTHORIZATION,
    CONSULT,
    DISTRIBUTION,
    EVENT,
    RECEIPT,
    REGISTRY,
    STATUS,
    SefazClient,
    der,
    service_path,
)

STATE_REGISTRATION = "111111110110"


@dataclass(frozen=True)
class SentMessage:
    """A message with its sender and path, and the code of its answer when no rule is broken."""

    message: bytes
    service_path: ServicePath
    by: SefazClient
    answer: str


Base = Callable[[Scenario], SentMessage]


def consult(scenario: Scenario) -> SentMessage:
    key = AccessKey.parse(scenario.sold().access_key)
    return SentMessage(key_query("2", key), service_path(CONSULT), scenario.company, "100")


def nothing_new(scenario: Scenario) -> SentMessage:
    message = distribution_after("2", "35", CNPJ, 0)
    return SentMessage(message, service_path(DISTRIBUTION, "AN"), scenario.company, "137")


def nothing_for_a_person(scenario: Scenario) -> SentMessage:
    message = distribution_after("2", "35", CPF, 0)
    return SentMessage(message, service_path(DISTRIBUTION, "AN"), person(CPF)(scenario), "137")


def number_wanted(scenario: Scenario) -> SentMessage:
    message = distribution_at("2", "35", CNPJ, 0)
    return SentMessage(message, service_path(DISTRIBUTION, "AN"), scenario.company, "137")


def invoice_wanted(scenario: Scenario) -> SentMessage:
    return document_query(scenario, scenario.sold().access_key)


def document_query(scenario: Scenario, key: str) -> SentMessage:
    """Returns the customer's query for a document of interest by its key."""
    message = distribution_of_key("2", "35", BUYER_CNPJ, AccessKey.parse(key))
    return SentMessage(message, service_path(DISTRIBUTION, "AN"), scenario.buyer, "138")


def lot_of_one(scenario: Scenario) -> SentMessage:
    message = authorization_lot(1, [nfe(scenario.company.signer)])
    return SentMessage(message, service_path(AUTHORIZATION), scenario.company, "100")


def lot_of_two(scenario: Scenario) -> SentMessage:
    signer = scenario.company.signer
    return lot_of(scenario, *(nfe(signer, under=emission(number=number)) for number in (3, 4)))


def lot_of(scenario: Scenario, *documents: bytes) -> SentMessage:
    """Returns a lot that is answered later."""
    return SentMessage(authorization_lot(1, documents), service_path(AUTHORIZATION), scenario.company, "103")


def receipt(scenario: Scenario) -> SentMessage:
    scenario.company.switches["lot_seconds"] = 0
    lot = lot_of_two(scenario)
    taken = read_authorization(scenario.company.ask(lot.service_path, lot.message).reply.body)
    assert isinstance(taken, Processing)
    return SentMessage(receipt_query("2", taken.receipt), service_path(RECEIPT), scenario.company, "104")


def lot_of_events(scenario: Scenario) -> SentMessage:
    company = scenario.company
    event = signed_event(company.event(scenario.sold().access_key, CORRECTION), company.signer)
    return SentMessage(event_lot(1, [event]), service_path(EVENT), company, "135")


def status(scenario: Scenario) -> SentMessage:
    return SentMessage(status_query("2", "35"), service_path(STATUS), scenario.company, "107")


def contributor(tag: str, text: str) -> Base:
    """Returns a query about a taxpayer in the register."""

    def base(scenario: Scenario) -> SentMessage:
        registered(tax_id=CPF if tag == "CPF" else CNPJ)(scenario)
        message = (
            f'<ConsCad xmlns="{NAMESPACE}" versao="2.00"><infCons><xServ>CONS-CAD</xServ><UF>SP</UF>'
            f"<{tag}>{text}</{tag}></infCons></ConsCad>"
        )
        return SentMessage(message.encode(), service_path(REGISTRY), scenario.company, "111")

    return base


BASES: Mapping[str, Base] = {
    "consult": consult,
    "nothing_new": nothing_new,
    "nothing_for_a_person": nothing_for_a_person,
    "number_wanted": number_wanted,
    "invoice_wanted": invoice_wanted,
    "lot_of_one": lot_of_one,
    "lot_of_two": lot_of_two,
    "receipt": receipt,
    "lot_of_events": lot_of_events,
    "status": status,
    "company": contributor("CNPJ", CNPJ),
    "registration": contributor("IE", STATE_REGISTRATION),
    "person": contributor("CPF", CPF),
}
"""Accepted messages by name."""


def registered(
    state: str = "SP", tax_id: str = CNPJ, registration: str = STATE_REGISTRATION
) -> Callable[[Scenario], None]:
    """Puts a taxpayer into the register of a state."""
    entered = Contributor(state=state, tax_id=tax_id, registration=registration, name="LOJA MODELO LTDA")
    return lambda scenario: Contributors(scenario.company.store).put(entered)


def person(cpf: str) -> Callable[[Scenario], SefazClient]:
    """Returns a client with a personal certificate."""

    def of(scenario: Scenario) -> SefazClient:
        issued = scenario.authority.issue_person(cpf, "MARIA DA SILVA", LONG_AGO, FAR_AWAY)
        company = scenario.company
        return SefazClient(company.store, company.trust, signer_of(issued), der(issued))

    return of


@dataclass(frozen=True)
class MessageViolation:
    """A change of an accepted message that breaks exactly one rule."""

    code: str
    base: str
    """A name of `BASES`."""
    edit: Edit = unchanged
    prepare: Callable[[Scenario], object] = no_preparation
    """Called before the message is sent."""
    make: Base | None = None
    """Makes another message instead of the base."""
    where: ServicePath | None = None
    by: Callable[[Scenario], SefazClient] | None = None
    later: timedelta = timedelta()
    also_off: Collection[str] = field(default_factory=frozenset)
    """Rules that this change cannot help breaking too."""
    answer: str = ""
    """The answer with the rule off, if it differs from the base."""

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"

    def check(self, scenario: Scenario) -> None:
        """Checks that the base is accepted, the change is refused, and accepted with the rule off."""
        base = BASES[self.base](scenario)
        assert code_of(base) == base.answer
        self.prepare(scenario)
        broken = self._broken(self.make(scenario) if self.make else base, scenario)
        assert code_of(broken) == self.code
        assert code_of(broken, {self.code, *self.also_off}) == (self.answer or base.answer)

    def _broken(self, sent: SentMessage, scenario: Scenario) -> SentMessage:
        root = etree.fromstring(sent.message)
        self.edit(root)
        by = self.by(scenario) if self.by else sent.by
        return replace(
            sent,
            message=etree.tostring(root, encoding="utf-8"),
            service_path=self.where or sent.service_path,
            by=replace(by, now=by.now + self.later),
        )


def code_of(sent: SentMessage, off: Collection[str] = ()) -> str:
    """Returns the answer code of a message that is sent to a copy of the store."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        sent.by.store.connection.backup(copy)
        switches = sent.by.switches | {"rules_off": frozenset(off)}
        return (
            replace(sent.by, store=Store(copy), switches=switches).ask(sent.service_path, sent.message).code
        )


KeyChange = Callable[[str], str]


def with_part(start: int, text: str) -> KeyChange:
    """Replaces a part of the key, with a valid check digit."""
    return lambda key: altered(key, start, text)


def with_wrong_digit(key: str) -> str:
    """Replaces the check digit by a wrong one."""
    return key[:43] + str((int(key[43]) + 1) % 10)


def about(change: KeyChange) -> Edit:
    """Queries another key."""

    def edit(root: etree._Element) -> None:
        element = next(root.iter(f"{{{NAMESPACE}}}chNFe"))
        element.text = change(element.text or "")

    return edit


def impossible_key(code: str, base: str, change: KeyChange) -> MessageViolation:
    """Stores a document, and queries it, under an impossible key."""

    def store_under_that_key(scenario: Scenario) -> None:
        [kept] = scenario.company.ledger.documents()
        key = change(kept.access_key)
        scenario.change("update documents set access_key = ?, number_id = ?", key, DIALECT.number_id(key))

    return MessageViolation(code, base, about(change), prepare=store_under_that_key)
