"""Registered events, changed in one place and signed again: helpers to test each rule about them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from lxml import etree

from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.identity.access_key import AccessKey, check_digit
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    Correction,
    Detail,
    OperationAcknowledged,
    OperationConfirmed,
    OperationNotPerformed,
    OperationUnknown,
)
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import CallReply, RequestContext, ServicePath
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.events import EVENTS
from carimbo.simulator.nfe.judged import JudgedInvoiceEvent
from carimbo.simulator.rules import AuthorityVerdict
from nfe_dialect import event_lot
from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, ISSUED_AT, emission
from unit.simulator.mutating import Edit, at, nfce, nfe, sign_again
from unit.simulator.nfe.sefaz_client import EVENT, REASON, SefazClient, service_path

AN_HOUR_LATER = ISSUED_AT + timedelta(hours=1)
TEN_MINUTES_LATER = ISSUED_AT + timedelta(minutes=10)
CORRECTION = Correction(correction="Corrigir o número do pedido para 123")
OFFLINE = emission(
    number=4,
    type=EmissionType.OFFLINE,
    contingency=Contingency(ISSUED_AT - timedelta(minutes=5), "Sem conexão com a SEFAZ"),
)


@dataclass(frozen=True)
class SentEvent:
    """A signed event with the path and time at which it is sent."""

    event: bytes
    service_path: ServicePath
    now: datetime
    signer: Signer


@dataclass(frozen=True)
class Scenario:
    """A company and its customer with the authorities."""

    company: SefazClient
    buyer: SefazClient
    authority: SampleAuthority

    def sold(self) -> StoredDocument:
        """Returns an authorized NF-e to the customer."""
        return self.company.authorized(nfe(self.company.signer, recipient=CONTRIBUTOR))

    def sold_receipt(self, **changes: Any) -> StoredDocument:
        """Returns an authorized NFC-e."""
        return self.company.authorized(nfce(self.company.signer, **changes), family="nfce")

    def by_issuer(self, key: str, detail: Detail, sequence: int = 1) -> SentEvent:
        """Returns an event of the issuer."""
        family, later = ("nfe", AN_HOUR_LATER) if key[20:22] == "55" else ("nfce", TEN_MINUTES_LATER)
        return self._event(
            self.company, CNPJ, key, detail, service_path(EVENT, family=family), later, sequence
        )

    def by_recipient(self, key: str, detail: Detail, sequence: int = 1) -> SentEvent:
        """Returns an event of the recipient."""
        where = service_path(EVENT, "AN")
        return self._event(self.buyer, BUYER_CNPJ, key, detail, where, AN_HOUR_LATER, sequence)

    def _event(
        self,
        client: SefazClient,
        author: str,
        key: str,
        detail: Detail,
        where: ServicePath,
        now: datetime,
        sequence: int,
    ) -> SentEvent:
        client.now = now
        event = client.event(key, detail, by=author, sequence=sequence)
        return SentEvent(signed_event(event, client.signer), where, now, client.signer)

    def register(self, sent: SentEvent) -> CallReply:
        """Sends an event that must be registered."""
        self.company.now = sent.now
        answer = self.company.ask(sent.service_path, event_lot(1, [sent.event]))
        assert answer.code in ("135", "136", "155"), answer.reply.body.decode()
        return answer

    def verdict(
        self, event: bytes, where: ServicePath, now: datetime, **switches: Any
    ) -> AuthorityVerdict | None:
        """Returns the verdict on an event, without storing it."""
        company = self.company
        context = RequestContext(now, company.store, company.trust, Controls(**switches))
        return EVENTS.refusal_of(JudgedInvoiceEvent(etree.fromstring(event), where, context))

    def change(self, statement: str, *values: object) -> None:
        """Changes the stored data."""
        self.company.store.connection.execute(statement, values)


Base = Callable[[Scenario], SentEvent]


def canceled_by(scenario: Scenario, document: StoredDocument) -> SentEvent:
    detail = Cancellation(protocol=document.protocol, reason=REASON)
    return scenario.by_issuer(document.access_key, detail)


def replaced_by(scenario: Scenario, document: StoredDocument, other: str) -> SentEvent:
    detail = CancellationBySubstitution(
        author_state_code="35",
        application_version="pdv 1.0",
        protocol=document.protocol,
        reason=REASON,
        replaced_by=other,
    )
    return scenario.by_issuer(document.access_key, detail)


def _substitution(scenario: Scenario) -> SentEvent:
    first, other = scenario.sold_receipt(), scenario.sold_receipt(under=OFFLINE)
    return replaced_by(scenario, first, other.access_key)


UNKNOWN_KEY = str(
    AccessKey.of_issue(
        ISSUED_AT,
        state_code="35",
        tax_id=CNPJ,
        model="55",
        series=1,
        number=77,
        emission_type="1",
        numeric_code="12345682",
    )
)
BASES: Mapping[str, Base] = {
    "cancellation": lambda scenario: canceled_by(scenario, scenario.sold()),
    "receipt": lambda scenario: canceled_by(scenario, scenario.sold_receipt()),
    "correction": lambda scenario: scenario.by_issuer(scenario.sold().access_key, CORRECTION),
    "substitution": _substitution,
    "confirmed": lambda scenario: scenario.by_recipient(scenario.sold().access_key, OperationConfirmed()),
    "acknowledged": lambda scenario: scenario.by_recipient(
        scenario.sold().access_key, OperationAcknowledged()
    ),
    "denied": lambda scenario: scenario.by_recipient(scenario.sold().access_key, OperationUnknown()),
    "not_performed": lambda scenario: scenario.by_recipient(
        scenario.sold().access_key, OperationNotPerformed(reason=REASON)
    ),
    "unknown_document": lambda scenario: scenario.by_recipient(UNKNOWN_KEY, OperationConfirmed()),
}
"""Accepted events by name."""


def unchanged(root: etree._Element) -> None:
    """Changes nothing, where time, place or history breaks the rule."""


def no_preparation(scenario: Scenario) -> None:
    """Prepares nothing."""


@dataclass(frozen=True)
class EventViolation:
    """A change of an accepted event that breaks exactly one rule."""

    code: str
    base: str
    """A name of `BASES`."""
    edit: Edit = unchanged
    identified: bool = True
    """Whether the Id is computed again after the edit."""
    prepare: Callable[[Scenario], object] = no_preparation
    """Called before the event is sent."""
    make: Base | None = None
    """Makes another event instead of the base."""
    where: ServicePath | None = None
    later: timedelta = timedelta()
    signer: Callable[[Scenario], Signer] | None = None
    after_signing: Edit = unchanged
    also_off: Collection[str] = field(default_factory=frozenset)
    """Rules that this change cannot help breaking too."""

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"

    def check(self, scenario: Scenario) -> None:
        """Checks that the base is registered, the change is refused, and registered with the rule off."""
        base = BASES[self.base](scenario)
        assert scenario.verdict(base.event, base.service_path, base.now) is None
        self.prepare(scenario)
        sent = self.make(scenario) if self.make else base
        signer = self.signer(scenario) if self.signer else sent.signer
        event = mutated(sent.event, self.edit, signer, identified=self.identified)
        event = _edited(event, self.after_signing)
        where, now = self.where or sent.service_path, sent.now + self.later
        verdict = scenario.verdict(event, where, now)
        assert verdict is not None, "registered"
        assert verdict.code == self.code, verdict
        off = frozenset({self.code, *self.also_off})
        assert scenario.verdict(event, where, now, rules_off=off) is None


def mutated(event: bytes, edit: Edit, signer: Signer, *, identified: bool = True) -> bytes:
    """Returns the event changed and signed again; its Id follows unless disabled."""
    root = etree.fromstring(event)
    edit(root)
    signed = at(root, "infEvento")
    if identified:
        texts = {child.tag.rpartition("}")[2]: child.text or "" for child in signed}
        signed.set("Id", f"ID{texts['tpEvento']}{texts['chNFe']}{int(texts['nSeqEvento']):02d}")
    sign_again(root, signed, signer)
    return etree.tostring(root, encoding="utf-8")


def _edited(event: bytes, edit: Edit) -> bytes:
    root = etree.fromstring(event)
    edit(root)
    return etree.tostring(root, encoding="utf-8")


def with_digit(first: str) -> str:
    """Returns a key with its check digit."""
    return first[:43] + check_digit(first[:43])


def altered(key: str, start: int, text: str) -> str:
    """Replaces a part of a key, with a valid check digit."""
    return with_digit(key[:start] + text + key[start + len(text) :])


def rekeyed(start: int, text: str) -> Edit:
    """Replaces a part of the document's key, with a valid check digit."""

    def edit(root: etree._Element) -> None:
        element = at(root, "infEvento/chNFe")
        element.text = altered(element.text or "", start, text)

    return edit
