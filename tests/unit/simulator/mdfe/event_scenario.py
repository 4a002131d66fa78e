"""Registered events and accepted questions, changed in one place: helpers to test the rules about them."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import closing as closing_connection
from dataclasses import dataclass, field, replace
from datetime import timedelta

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.simulator.family import ServicePath
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.store import Store
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import CPF, ISSUED_AT, signer_of
from unit.simulator.mdfe.bases import LOADS_LATER, OF_A_PERSON, hired
from unit.simulator.mdfe.mdfe_client import (
    CONSULT,
    EVENT,
    OPEN,
    MdfeClient,
    cancellation,
    closing,
    consult_query,
    driver,
    inclusion,
    open_query,
    payment,
    payment_change,
    service_path,
)
from unit.simulator.mdfe.sample_mdfe import mdfe, unchanged
from unit.simulator.mutating import Edit, at, sign_again
from unit.simulator.nfe.sefaz_client import der

AN_HOUR_LATER = ISSUED_AT + timedelta(hours=1)


@dataclass(frozen=True)
class Scenario:
    """A carrier and another company with the authority."""

    carrier: MdfeClient
    other: MdfeClient
    authority: SampleAuthority

    def on_the_way(self, edit: Edit = unchanged) -> StoredDocument:
        """Returns an authorized MDF-e."""
        return self.carrier.authorized(mdfe(self.carrier.signer, edit))

    def person(self, cpf: str) -> MdfeClient:
        """Returns the client of a person, with the same store."""
        certificate = self.authority.issue_person(cpf, "MARIA DA SILVA", LONG_AGO, FAR_AWAY)
        return replace(self.carrier, signer=signer_of(certificate), certificate=der(certificate), tax_id=cpf)

    def change(self, statement: str, *values: object) -> None:
        """Changes the stored data."""
        self.carrier.store.connection.execute(statement, values)


@dataclass(frozen=True)
class SentMessage:
    """A message with its sender and path, and the code of its answer when no rule is broken."""

    message: bytes
    service_path: ServicePath
    by: MdfeClient
    answer: str


Base = Callable[[Scenario], SentMessage]


def _event(payload: Callable[[str], str], edit: Edit = unchanged) -> Base:
    """An event of the carrier, an hour after the authorization."""

    def send(scenario: Scenario) -> SentMessage:
        document, later = scenario.on_the_way(edit), replace(scenario.carrier, now=AN_HOUR_LATER)
        event = later.signed_event(document.access_key, payload(document.protocol))
        return SentMessage(event, service_path(EVENT), later, "135")

    return send


def _closing_by_another(scenario: Scenario) -> SentMessage:
    document, later = scenario.on_the_way(), replace(scenario.other, now=AN_HOUR_LATER)
    payload = closing(document.protocol, by_another=True)
    event = later.signed_event(document.access_key, payload)
    return SentMessage(event, service_path(EVENT), later, "135")


def _consult(scenario: Scenario) -> SentMessage:
    message = consult_query(scenario.on_the_way().access_key)
    return SentMessage(message, service_path(CONSULT), scenario.carrier, "100")


def _open_ones(client: MdfeClient) -> SentMessage:
    return SentMessage(open_query(client.tax_id), service_path(OPEN), client, "112")


BASES: Mapping[str, Base] = {
    "cancellation": _event(cancellation),
    "cancellation_before_loading": _event(cancellation, LOADS_LATER),
    "closing": _event(closing),
    "closing_by_another": _closing_by_another,
    "driver": _event(lambda protocol: driver()),
    "inclusion": _event(inclusion, LOADS_LATER),
    "payment": _event(payment, hired(OF_A_PERSON, "2")),
    "payment_change": _event(payment_change),
    "consult": _consult,
    "open_ones": lambda scenario: _open_ones(scenario.carrier),
    "open_ones_of_a_person": lambda scenario: _open_ones(scenario.person(CPF)),
}
"""Accepted messages by name."""


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
    later: timedelta = timedelta()
    by: Callable[[Scenario], MdfeClient] | None = None
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

    def accepted(self, scenario: Scenario) -> None:
        """Checks that the changed message is accepted, with `code` as its answer."""
        base = BASES[self.base](scenario)
        self.prepare(scenario)
        assert code_of(self._broken(base, scenario)) == self.code

    def _broken(self, sent: SentMessage, scenario: Scenario) -> SentMessage:
        by = self.by(scenario) if self.by else sent.by
        root = etree.fromstring(sent.message)
        self.edit(root)
        if sent.service_path.service == EVENT:
            _sign_event(root, by.signer, identified=self.identified)
            self.after_signing(root)
        message = etree.tostring(root, encoding="utf-8")
        return replace(sent, message=message, by=replace(by, now=sent.by.now + self.later))


def _sign_event(root: etree._Element, signer: Signer, *, identified: bool) -> None:
    content = at(root, "infEvento")
    if identified:
        texts = {child.tag.rpartition("}")[2]: child.text or "" for child in content}
        content.set("Id", f"ID{texts['tpEvento']}{texts['chMDFe']}{int(texts['nSeqEvento']):03d}")
    sign_again(root, content, signer)


def code_of(sent: SentMessage, off: Collection[str] = ()) -> str:
    """Returns the answer code of a message that is sent to a copy of the store."""
    with closing_connection(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        sent.by.store.connection.backup(copy)
        switches = sent.by.switches | {"rules_off": frozenset(off)}
        by = replace(sent.by, store=Store(copy), switches=switches)
        return by.ask(sent.service_path, sent.message).code
