"""Events that the authorities register, changed in one place and signed again: how each rule is tested."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from lxml import etree

from carimbo.fiscal.access_key import AccessKey, check_digit
from carimbo.fiscal.emission import Contingency, EmissionType
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
from carimbo.fiscal.signature import Signer
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import Said, World
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.event_case import EventCase
from carimbo.simulator.nfe.events import EVENTS
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Refusal
from nfe_dialect import event_lot
from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, ISSUED_AT, emission
from unit.simulator.mutating import DS, Edit, at, nfce, nfe
from unit.simulator.nfe.counter import EVENT, REASON, Counter, place

AN_HOUR_LATER = ISSUED_AT + timedelta(hours=1)
TEN_MINUTES_LATER = ISSUED_AT + timedelta(minutes=10)
CORRECTION = Correction(correction="Corrigir o número do pedido para 123")
OFFLINE = emission(
    number=4,
    type=EmissionType.OFFLINE,
    contingency=Contingency(ISSUED_AT - timedelta(minutes=5), "Sem conexão com a SEFAZ"),
)


@dataclass(frozen=True)
class Told:
    """A signed event, where and when it is told."""

    event: bytes
    place: Place
    now: datetime
    signer: Signer


@dataclass(frozen=True)
class Registrar:
    """The authorities, a company and its customer."""

    company: Counter
    buyer: Counter
    authority: SampleAuthority

    def sold(self) -> StoredDocument:
        """An NF-e to the customer, authorised."""
        return self.company.authorised(nfe(self.company.signer, recipient=CONTRIBUTOR))

    def sold_at_the_counter(self, **changes: Any) -> StoredDocument:
        """An NFC-e, authorised."""
        return self.company.authorised(nfce(self.company.signer, **changes), family="nfce")

    def by_issuer(self, key: str, detail: Detail, sequence: int = 1) -> Told:
        """What the issuer tells of a document."""
        family, later = ("nfe", AN_HOUR_LATER) if key[20:22] == "55" else ("nfce", TEN_MINUTES_LATER)
        return self._told(self.company, CNPJ, key, detail, place(EVENT, family=family), later, sequence)

    def by_recipient(self, key: str, detail: Detail, sequence: int = 1) -> Told:
        """What the recipient tells of a document."""
        where = place(EVENT, "AN")
        return self._told(self.buyer, BUYER_CNPJ, key, detail, where, AN_HOUR_LATER, sequence)

    def _told(
        self,
        counter: Counter,
        author: str,
        key: str,
        detail: Detail,
        where: Place,
        now: datetime,
        sequence: int,
    ) -> Told:
        counter.now = now
        event = counter.event(key, detail, by=author, sequence=sequence)
        return Told(signed_event(event, counter.signer), where, now, counter.signer)

    def register(self, told: Told) -> Said:
        """Tell an event that has to be registered."""
        self.company.now = told.now
        said = self.company.ask(told.place, event_lot(1, [told.event]))
        assert said.code in ("135", "136", "155"), said.reply.body.decode()
        return said

    def verdict(self, event: bytes, where: Place, now: datetime, **switches: Any) -> Refusal | None:
        """What the judge says of an event, without keeping it."""
        company = self.company
        world = World(now, company.store, company.trust, Controls(**switches))
        return EVENTS.refusal_of(EventCase(etree.fromstring(event), where, world))

    def change(self, statement: str, *values: object) -> None:
        """Make it so that something was otherwise."""
        self.company.store.connection.execute(statement, values)


Base = Callable[[Registrar], Told]


def canceled_by(registrar: Registrar, document: StoredDocument) -> Told:
    detail = Cancellation(protocol=document.protocol, reason=REASON)
    return registrar.by_issuer(document.access_key, detail)


def replaced_by(registrar: Registrar, document: StoredDocument, other: str) -> Told:
    detail = CancellationBySubstitution(
        author_state_code="35",
        application_version="pdv 1.0",
        protocol=document.protocol,
        reason=REASON,
        replaced_by=other,
    )
    return registrar.by_issuer(document.access_key, detail)


def _substitution(registrar: Registrar) -> Told:
    first, other = registrar.sold_at_the_counter(), registrar.sold_at_the_counter(under=OFFLINE)
    return replaced_by(registrar, first, other.access_key)


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
    "cancellation": lambda registrar: canceled_by(registrar, registrar.sold()),
    "receipt": lambda registrar: canceled_by(registrar, registrar.sold_at_the_counter()),
    "correction": lambda registrar: registrar.by_issuer(registrar.sold().access_key, CORRECTION),
    "substitution": _substitution,
    "confirmed": lambda registrar: registrar.by_recipient(registrar.sold().access_key, OperationConfirmed()),
    "acknowledged": lambda registrar: registrar.by_recipient(
        registrar.sold().access_key, OperationAcknowledged()
    ),
    "denied": lambda registrar: registrar.by_recipient(registrar.sold().access_key, OperationUnknown()),
    "not_performed": lambda registrar: registrar.by_recipient(
        registrar.sold().access_key, OperationNotPerformed(reason=REASON)
    ),
    "unknown_document": lambda registrar: registrar.by_recipient(UNKNOWN_KEY, OperationConfirmed()),
}
"""Events that are registered as they are, by name."""


def unchanged(root: etree._Element) -> None:
    """Change nothing: what is wrong is the moment, the place, or what happened before."""


def nothing_before(registrar: Registrar) -> None:
    """Nothing happened between base and event."""


@dataclass(frozen=True)
class EventBreaking:
    """What breaks one rule, and nothing else, of an event that is registered."""

    code: str
    base: str
    """A name of `BASES`."""
    edit: Edit = unchanged
    identified: bool = True
    """Whether the Id follows the edit."""
    prepare: Callable[[Registrar], object] = nothing_before
    """What happened before the event came."""
    make: Base | None = None
    """Makes the event anew, where it is another one altogether."""
    where: Place | None = None
    later: timedelta = timedelta()
    signer: Callable[[Registrar], Signer] | None = None
    after_signing: Edit = unchanged
    also_off: Collection[str] = field(default_factory=frozenset)
    """Rules that cannot help to be broken too."""

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"

    def prove(self, registrar: Registrar) -> None:
        """The base is registered; changed it is refused with the code, and registered with that rule off."""
        base = BASES[self.base](registrar)
        assert registrar.verdict(base.event, base.place, base.now) is None
        self.prepare(registrar)
        told = self.make(registrar) if self.make else base
        signer = self.signer(registrar) if self.signer else told.signer
        event = mutated(told.event, self.edit, signer, identified=self.identified)
        event = _edited(event, self.after_signing)
        where, now = self.where or told.place, told.now + self.later
        found = registrar.verdict(event, where, now)
        assert found is not None, "registered"
        assert found.code == self.code, found
        off = frozenset({self.code, *self.also_off})
        assert registrar.verdict(event, where, now, rules_off=off) is None


def mutated(event: bytes, edit: Edit, signer: Signer, *, identified: bool = True) -> bytes:
    """The event changed and signed again; its Id follows unless told otherwise."""
    root = etree.fromstring(event)
    edit(root)
    told = at(root, "infEvento")
    if identified:
        texts = {child.tag.rpartition("}")[2]: child.text or "" for child in told}
        told.set("Id", f"ID{texts['tpEvento']}{texts['chNFe']}{int(texts['nSeqEvento']):02d}")
    sign_again(root, told, signer)
    return etree.tostring(root, encoding="utf-8")


def sign_again(root: etree._Element, signed: etree._Element, signer: Signer) -> None:
    """Put a new signature in the place of the old one."""
    alone = etree.fromstring(etree.tostring(signed))
    new = signer.sign(etree.tostring(alone, method="c14n"), signed.get("Id", ""))
    old = root.find(f"{DS}Signature")
    assert old is not None
    root.replace(old, etree.fromstring(new.text))


def _edited(event: bytes, edit: Edit) -> bytes:
    root = etree.fromstring(event)
    edit(root)
    return etree.tostring(root, encoding="utf-8")


def with_digit(first: str) -> str:
    """A key with its check digit."""
    return first[:43] + check_digit(first[:43])


def altered(key: str, start: int, text: str) -> str:
    """A key with something else in it, whose check digit follows."""
    return with_digit(key[:start] + text + key[start + len(text) :])


def rekeyed(start: int, text: str) -> Edit:
    """Write something else into the document's key, whose check digit follows."""

    def edit(root: etree._Element) -> None:
        found = at(root, "infEvento/chNFe")
        found.text = altered(found.text or "", start, text)

    return edit
