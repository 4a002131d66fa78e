"""Questions and lots that the authorities take, changed in one place: how each rule about them is tested."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta

from lxml import etree

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.outcome import Processing
from carimbo.simulator.contributors import Contributor, Contributors
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.place import Place
from carimbo.simulator.store import Store
from nfe_dialect import (
    authorization_lot,
    distribution_after,
    distribution_of_key,
    event_lot,
    key_query,
    read_authorization,
    receipt_query,
    status_query,
)
from support import CNPJ
from unit.fiscal.desk import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, emission, signer_of
from unit.simulator.mutating import Edit, nfe
from unit.simulator.nfe.counter import (
    AUTHORIZATION,
    CONSULT,
    DISTRIBUTION,
    EVENT,
    RECEIPT,
    REGISTRY,
    STATUS,
    Counter,
    der,
    place,
)
from unit.simulator.nfe.registrar import CORRECTION, Registrar, altered, nothing_before, unchanged

STATE_REGISTRATION = "111111110110"


@dataclass(frozen=True)
class Asked:
    """A message, by whom and where it is put, and the code when all is well."""

    message: bytes
    place: Place
    by: Counter
    answer: str


Base = Callable[[Registrar], Asked]


def consult(registrar: Registrar) -> Asked:
    key = AccessKey.parse(registrar.sold().access_key)
    return Asked(key_query("2", key), place(CONSULT), registrar.company, "100")


def nothing_new(registrar: Registrar) -> Asked:
    message = distribution_after("2", "35", CNPJ, 0)
    return Asked(message, place(DISTRIBUTION, "AN"), registrar.company, "137")


def nothing_for_a_person(registrar: Registrar) -> Asked:
    message = distribution_after("2", "35", CPF, 0)
    return Asked(message, place(DISTRIBUTION, "AN"), person(CPF)(registrar), "137")


def invoice_wanted(registrar: Registrar) -> Asked:
    return wanted(registrar, registrar.sold().access_key)


def wanted(registrar: Registrar, key: str) -> Asked:
    """The customer's question about a key, asked for as a document of interest."""
    message = distribution_of_key("2", "35", BUYER_CNPJ, AccessKey.parse(key))
    return Asked(message, place(DISTRIBUTION, "AN"), registrar.buyer, "138")


def lot_of_one(registrar: Registrar) -> Asked:
    message = authorization_lot(1, [nfe(registrar.company.signer)])
    return Asked(message, place(AUTHORIZATION), registrar.company, "100")


def lot_of_two(registrar: Registrar) -> Asked:
    signer = registrar.company.signer
    return several(registrar, *(nfe(signer, under=emission(number=number)) for number in (3, 4)))


def several(registrar: Registrar, *documents: bytes) -> Asked:
    """A lot that is to be answered later."""
    return Asked(authorization_lot(1, documents), place(AUTHORIZATION), registrar.company, "103")


def receipt(registrar: Registrar) -> Asked:
    registrar.company.switches["lot_seconds"] = 0
    lot = lot_of_two(registrar)
    taken = read_authorization(registrar.company.ask(lot.place, lot.message).reply.body)
    assert isinstance(taken, Processing)
    return Asked(receipt_query("2", taken.receipt), place(RECEIPT), registrar.company, "104")


def lot_of_events(registrar: Registrar) -> Asked:
    company = registrar.company
    event = signed_event(company.event(registrar.sold().access_key, CORRECTION), company.signer)
    return Asked(event_lot(1, [event]), place(EVENT), company, "135")


def status(registrar: Registrar) -> Asked:
    return Asked(status_query("2", "35"), place(STATUS), registrar.company, "107")


def contributor(tag: str, text: str) -> Base:
    """A question about somebody who is in the register."""

    def base(registrar: Registrar) -> Asked:
        registered(tax_id=CPF if tag == "CPF" else CNPJ)(registrar)
        message = (
            f'<ConsCad xmlns="{NAMESPACE}" versao="2.00"><infCons><xServ>CONS-CAD</xServ><UF>SP</UF>'
            f"<{tag}>{text}</{tag}></infCons></ConsCad>"
        )
        return Asked(message.encode(), place(REGISTRY), registrar.company, "111")

    return base


BASES: Mapping[str, Base] = {
    "consult": consult,
    "nothing_new": nothing_new,
    "nothing_for_a_person": nothing_for_a_person,
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
"""Messages that are taken as they are, by name."""


def registered(
    state: str = "SP", tax_id: str = CNPJ, registration: str = STATE_REGISTRATION
) -> Callable[[Registrar], None]:
    """Somebody is in the register of a state."""
    entered = Contributor(state=state, tax_id=tax_id, registration=registration, name="LOJA MODELO LTDA")
    return lambda registrar: Contributors(registrar.company.store).put(entered)


def person(cpf: str) -> Callable[[Registrar], Counter]:
    """Somebody with a certificate of a person."""

    def of(registrar: Registrar) -> Counter:
        issued = registrar.authority.issue_person(cpf, "MARIA DA SILVA", LONG_AGO, FAR_AWAY)
        company = registrar.company
        return Counter(company.store, company.trust, signer_of(issued), der(issued))

    return of


@dataclass(frozen=True)
class Breaking:
    """What breaks one rule, and nothing else, of a message that is taken."""

    code: str
    base: str
    """A name of `BASES`."""
    edit: Edit = unchanged
    prepare: Callable[[Registrar], object] = nothing_before
    """What happened before the message came."""
    make: Base | None = None
    """Makes the message anew, where it is another one altogether."""
    where: Place | None = None
    by: Callable[[Registrar], Counter] | None = None
    later: timedelta = timedelta()
    also_off: Collection[str] = field(default_factory=frozenset)
    """Rules that cannot help to be broken too."""
    answer: str = ""
    """With the rule off, where it cannot be the answer of the base."""

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"

    def prove(self, registrar: Registrar) -> None:
        """The base is taken; changed it is refused with the code, and taken with that rule off."""
        base = BASES[self.base](registrar)
        assert code_of(base) == base.answer
        self.prepare(registrar)
        broken = self._broken(self.make(registrar) if self.make else base, registrar)
        assert code_of(broken) == self.code
        assert code_of(broken, {self.code, *self.also_off}) == (self.answer or base.answer)

    def _broken(self, asked: Asked, registrar: Registrar) -> Asked:
        root = etree.fromstring(asked.message)
        self.edit(root)
        by = self.by(registrar) if self.by else asked.by
        return replace(
            asked,
            message=etree.tostring(root, encoding="utf-8"),
            place=self.where or asked.place,
            by=replace(by, now=by.now + self.later),
        )


def code_of(asked: Asked, off: Collection[str] = ()) -> str:
    """What is answered, without a trace: the message is put to a copy of the authorities."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        asked.by.store.connection.backup(copy)
        switches = asked.by.switches | {"rules_off": frozenset(off)}
        return replace(asked.by, store=Store(copy), switches=switches).ask(asked.place, asked.message).code


KeyChange = Callable[[str], str]


def with_part(start: int, text: str) -> KeyChange:
    """The key with something else in it, whose check digit is right."""
    return lambda key: altered(key, start, text)


def with_wrong_digit(key: str) -> str:
    """The key with the next check digit."""
    return key[:43] + str((int(key[43]) + 1) % 10)


def about(change: KeyChange) -> Edit:
    """Ask about another key."""

    def edit(root: etree._Element) -> None:
        found = next(root.iter(f"{{{NAMESPACE}}}chNFe"))
        found.text = change(found.text or "")

    return edit


def impossible(code: str, base: str, change: KeyChange) -> Breaking:
    """A document is kept, and asked about, under a key that cannot be."""

    def keep_so(registrar: Registrar) -> None:
        [kept] = registrar.company.ledger.documents()
        key = change(kept.access_key)
        registrar.change("update documents set access_key = ?, number_id = ?", key, DIALECT.number_id(key))

    return Breaking(code, base, about(change), prepare=keep_so)
