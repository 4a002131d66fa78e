"""Registered events and accepted questions, changed in one place: helpers to test the rules about them."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.simulator.family import ServicePath
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.store import Store
from support import CNPJ
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import CPF, ISSUED_AT, signer_of
from unit.simulator.cte.bases import store_cte
from unit.simulator.cte.cte_client import (
    CONSULT,
    DISAGREEMENT,
    DISTRIBUTION,
    EVENT,
    STATUS,
    CteClient,
    cancellation,
    consult_query,
    correction,
    delivery,
    delivery_cancellation,
    disagreement_cancellation,
    distribution_query,
    failed_delivery,
    failed_delivery_cancellation,
    guides,
    service_path,
    status_query,
)
from unit.simulator.cte.sample_cte import INVOICE_KEY, TAGS, cte, unsigned_cte
from unit.simulator.mutating import Edit, at, both, renew_key, says, sign_again
from unit.simulator.nfe.sefaz_client import der

AN_HOUR_LATER = ISSUED_AT + timedelta(hours=1)
DELIVERED_AT = ISSUED_AT + timedelta(minutes=30)
VALUABLES = both(says("infCte/ide/mod", "67"), says("infCte/ide/tpServ", "7"))
"""A document that events see as a CT-e OS of valuables."""


@dataclass(frozen=True)
class Scenario:
    """A carrier and the taker of its service with the authorities."""

    carrier: CteClient
    taker: CteClient
    authority: SampleAuthority

    def transported(self) -> StoredDocument:
        """Returns an authorized CT-e."""
        return self.carrier.authorized(cte(self.carrier.signer))

    def transported_at_the_svc(self) -> StoredDocument:
        """Returns a CT-e that the SVC of São Paulo has authorized, which must be enabled."""
        document = cte(self.carrier.signer, says("infCte/ide/tpEmis", "7"))
        return self.carrier.authorized(document, "SVRS")

    def person(self, cpf: str) -> CteClient:
        """Returns the client of a person, with the same store."""
        certificate = self.authority.issue_person(cpf, "MARIA DA SILVA", LONG_AGO, FAR_AWAY)
        return replace(self.carrier, signer=signer_of(certificate), certificate=der(certificate), tax_id=cpf)

    def valuables(self) -> StoredDocument:
        """Returns a stored CT-e OS of valuables."""
        root = etree.fromstring(unsigned_cte())
        VALUABLES(root)
        renew_key(root, TAGS)
        return store_cte(self.carrier.context, etree.tostring(root))

    def registered(self, by: CteClient, document: StoredDocument, payload: str, sequence: int = 1) -> str:
        """Registers an event an hour later, and returns its protocol."""
        answer = replace(by, now=AN_HOUR_LATER).send_event(document.access_key, payload, sequence)
        assert answer.code == "135", answer.message
        return by.ledger.events(document.environment, document.access_key)[-1].protocol

    def change(self, statement: str, *values: object) -> None:
        """Changes the stored data."""
        self.carrier.store.connection.execute(statement, values)


@dataclass(frozen=True)
class SentMessage:
    """A message with its sender and path, and the code of its answer when no rule is broken."""

    message: bytes
    service_path: ServicePath
    by: CteClient
    answer: str


Base = Callable[[Scenario], SentMessage]


def _event(client: CteClient, document: StoredDocument, payload: str) -> SentMessage:
    later = replace(client, now=AN_HOUR_LATER)
    event = later.signed_event(document.access_key, payload)
    return SentMessage(event, service_path(EVENT), later, "135")


def _cancellation(scenario: Scenario) -> SentMessage:
    document = scenario.transported()
    return _event(scenario.carrier, document, cancellation(document.protocol))


def _delivery(scenario: Scenario) -> SentMessage:
    document = scenario.transported()
    return _event(scenario.carrier, document, delivery(document.protocol, DELIVERED_AT, INVOICE_KEY))


def _failed_delivery(scenario: Scenario) -> SentMessage:
    document = scenario.transported()
    return _event(scenario.carrier, document, failed_delivery(document.protocol, DELIVERED_AT, INVOICE_KEY))


def _delivery_cancellation(scenario: Scenario) -> SentMessage:
    document = scenario.transported()
    proof = delivery(document.protocol, DELIVERED_AT, INVOICE_KEY)
    undone = scenario.registered(scenario.carrier, document, proof)
    return _event(scenario.carrier, document, delivery_cancellation(document.protocol, undone))


def _failed_delivery_cancellation(scenario: Scenario) -> SentMessage:
    document = scenario.transported()
    failure = failed_delivery(document.protocol, DELIVERED_AT, INVOICE_KEY)
    undone = scenario.registered(scenario.carrier, document, failure)
    return _event(scenario.carrier, document, failed_delivery_cancellation(document.protocol, undone))


def _disagreement_cancellation(scenario: Scenario) -> SentMessage:
    document = scenario.transported()
    undone = scenario.registered(scenario.taker, document, DISAGREEMENT)
    return _event(scenario.taker, document, disagreement_cancellation(undone))


def _status(scenario: Scenario) -> SentMessage:
    return SentMessage(status_query(), service_path(STATUS), scenario.carrier, "107")


def _consult(scenario: Scenario) -> SentMessage:
    message = consult_query(scenario.transported().access_key)
    return SentMessage(message, service_path(CONSULT), scenario.carrier, "100")


def nothing_new(client: CteClient) -> SentMessage:
    """Returns a question about new documents, of which there are none."""
    question = "<distNSU><ultNSU>000000000000000</ultNSU></distNSU>"
    message = distribution_query(client.tax_id, question)
    return SentMessage(message, service_path(DISTRIBUTION, "AN"), client, "137")


def _number_wanted(scenario: Scenario) -> SentMessage:
    message = distribution_query(CNPJ, "<consNSU><NSU>000000000000000</NSU></consNSU>")
    return SentMessage(message, service_path(DISTRIBUTION, "AN"), scenario.carrier, "137")


BASES: Mapping[str, Base] = {
    "cancellation": _cancellation,
    "correction": lambda scenario: _event(scenario.carrier, scenario.transported(), correction()),
    "disagreement": lambda scenario: _event(scenario.taker, scenario.transported(), DISAGREEMENT),
    "disagreement_cancellation": _disagreement_cancellation,
    "delivery": _delivery,
    "delivery_cancellation": _delivery_cancellation,
    "failed_delivery": _failed_delivery,
    "failed_delivery_cancellation": _failed_delivery_cancellation,
    "guides": lambda scenario: _event(scenario.carrier, scenario.valuables(), guides(1)),
    "consult": _consult,
    "status": _status,
    "nothing_new": lambda scenario: nothing_new(scenario.carrier),
    "number_wanted": _number_wanted,
    "nothing_for_a_person": lambda scenario: nothing_new(scenario.person(CPF)),
}
"""Accepted messages by name."""


def unchanged(root: etree._Element) -> None:
    """Changes nothing, where time, place or history breaks the rule."""


def no_preparation(scenario: Scenario) -> None:
    """Prepares nothing."""


@dataclass(frozen=True)
class MessageViolation:
    """A change of an accepted event or question that breaks one rule."""

    code: str
    base: str
    """A name of `BASES`."""
    edit: Edit = unchanged
    identified: bool = True
    """Whether the Id of an event is computed again after the edit."""
    prepare: Callable[[Scenario], object] = no_preparation
    """Called before the message is sent."""
    where: ServicePath | None = None
    later: timedelta = timedelta()
    by: Callable[[Scenario], CteClient] | None = None
    """The sender and signer, if it is another."""
    after_signing: Edit = unchanged
    also_off: Collection[str] = field(default_factory=frozenset)
    """Rules that this change cannot help breaking too."""
    masked_by: Collection[str] = field(default_factory=frozenset)
    """Rules that refuse the same change earlier, and are off in the test."""
    answer: str = ""
    """The code with the rules off, if it is another."""

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"

    def check(self, scenario: Scenario) -> None:
        """Checks that the base is accepted, the change is refused, and accepted with the rule off."""
        base = BASES[self.base](scenario)
        assert code_of(base) == base.answer
        self.prepare(scenario)
        broken = self._broken(base, scenario)
        assert code_of(broken, self.masked_by) == self.code
        assert code_of(broken, {self.code, *self.masked_by, *self.also_off}) == (self.answer or base.answer)

    def _broken(self, sent: SentMessage, scenario: Scenario) -> SentMessage:
        by = self.by(scenario) if self.by else sent.by
        root = etree.fromstring(sent.message)
        self.edit(root)
        if sent.service_path.service == EVENT:
            _sign_event(root, by.signer, identified=self.identified)
            self.after_signing(root)
        return replace(
            sent,
            message=etree.tostring(root, encoding="utf-8"),
            service_path=self.where or sent.service_path,
            by=replace(by, now=sent.by.now + self.later),
        )


def _sign_event(root: etree._Element, signer: Signer, *, identified: bool) -> None:
    content = at(root, "infEvento")
    if identified:
        texts = {child.tag.rpartition("}")[2]: child.text or "" for child in content}
        content.set("Id", f"ID{texts['tpEvento']}{texts['chCTe']}{int(texts['nSeqEvento']):03d}")
    sign_again(root, content, signer)


def code_of(sent: SentMessage, off: Collection[str] = ()) -> str:
    """Returns the answer code of a message that is sent to a copy of the store."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        sent.by.store.connection.backup(copy)
        switches = sent.by.switches | {"rules_off": frozenset(off)}
        by = replace(sent.by, store=Store(copy), switches=switches)
        return by.ask(sent.service_path, sent.message).code
