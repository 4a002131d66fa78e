"""References to other documents in complements, returns and sales."""

from datetime import date, datetime
from typing import Any

import pytest

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.family import HOMOLOGATION, RequestContext
from carimbo.simulator.ledger import Ledger, StoredDocument
from unit.simulator.mutating import NAMESPACE, Edit, both, says
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown, issued_at

IDE, CFOP = "infNFe/ide", "infNFe/det/prod/CFOP"
OWN_KEY = "35261011222333000181550010000000021123456824"
ANOTHERS_KEY = "31261022233344000183550010000012341405060704"
NFCE_KEY = "35261011222333000181650010000000051123456854"
CFE_KEY = "35261011222333000181590010000000051123456858"
BEFORE_ITEM_REFERENCES = datetime.fromisoformat("2026-11-15T10:00:00-03:00")
ITEM_REFERENCES = datetime.fromisoformat("2026-11-16T10:00:00-03:00")
BEFORE_NOTE_2026_002 = datetime.fromisoformat("2026-12-13T10:00:00-03:00")
NOTE_2026_002 = datetime.fromisoformat("2026-12-14T10:00:00-03:00")
BEFORE_ONE_ISSUER = datetime.fromisoformat("2026-08-02T10:00:00-03:00")
ONE_ISSUER = datetime.fromisoformat("2026-08-03T10:00:00-03:00")


def refers_to(*keys: str) -> Edit:
    """Makes the document refer to others."""
    return grown(f"{IDE}/verProc", *(f"<NFref><refNFe>{key}</refNFe></NFref>" for key in keys))


def item_refers_to(key: str, position: int = 1) -> Edit:
    """Makes an item refer to an item of another document."""
    named = f"<DFeReferenciado><chaveAcesso>{key}</chaveAcesso><nItem>1</nItem></DFeReferenciado>"
    return grown(f"infNFe/det[{position}]/imposto", named)


COMPLEMENT = says(f"{IDE}/finNFe", "2")
REFERRED = refers_to(OWN_KEY)
RETURNED = both(
    says(f"{IDE}/finNFe", "4"),
    says(CFOP, "5202"),
    becomes("infNFe/pag", "<pag><detPag><tPag>90</tPag><vPag>0.00</vPag></detPag></pag>"),
)
RETURNED_IN_TWO_ITEMS = both(RETURNED, says("infNFe/det[2]/prod/CFOP", "5202"))
OF_TWO_ISSUERS = both(RETURNED_IN_TWO_ITEMS, item_refers_to(OWN_KEY), item_refers_to(ANOTHERS_KEY, 2))
OF_ONE_ISSUER = both(RETURNED_IN_TWO_ITEMS, item_refers_to(ANOTHERS_KEY), item_refers_to(ANOTHERS_KEY, 2))
COMPLEMENTS_A_COUPON = both(COMPLEMENT, says(CFOP, "5929"), refers_to(NFCE_KEY))


def store_printed_receipt(context: RequestContext, xml: bytes) -> None:
    """Stores an NF-e with the DANFE Simplificado Tipo 2 under the key that documents here refer to."""
    ide = "<ide><tpImp>6</tpImp></ide>"
    stored = StoredDocument(
        environment=HOMOLOGATION,
        access_key=OWN_KEY,
        authorizer="SP",
        issuer="11222333000181",
        recipient="",
        series=1,
        number=2,
        issued_at=context.now,
        received_at=context.now,
        code="100",
        protocol="135260000000001",
        digest="",
        xml=f'<NFe xmlns="{NAMESPACE}"><infNFe>{ide}</infNFe></NFe>'.encode(),
        protocol_xml=b"",
    )
    Ledger(context.store).keep_document(stored)


def on(moment: datetime, code: str, *edits: Edit, base: str = "nfe_to_company", **others: Any) -> Violation:
    """Returns a violation of a document that is issued and sent at a moment."""
    return Violation(code, base, both(issued_at(moment), *edits), now=moment, **others)


VIOLATIONS = [
    Violation("254", "nfe", COMPLEMENT),
    Violation("255", "nfe", both(COMPLEMENT, REFERRED, REFERRED)),
    Violation("269", "nfe", both(COMPLEMENT, refers_to(ANOTHERS_KEY))),
    Violation("321", "nfe", RETURNED, detail="[nItem:1]"),
    on(ITEM_REFERENCES, "321", RETURNED, REFERRED),
    on(NOTE_2026_002, "679", refers_to(OWN_KEY, NFCE_KEY), detail="[nOcor:2]"),
    on(NOTE_2026_002, "679", REFERRED, prepare=store_printed_receipt),
    on(NOTE_2026_002, "679", item_refers_to(CFE_KEY), detail="[nItem:1]"),
    on(NOTE_2026_002, "375", COMPLEMENTS_A_COUPON, detail="[nItem:1]"),
    on(ONE_ISSUER, "1193", OF_TWO_ISSUERS, base="nfe_of_two_items", detail="[nItem:2]"),
    Violation("1010", "nfe", both(COMPLEMENT, REFERRED, item_refers_to(OWN_KEY))),
]
ALLOWED = [
    Violation("254", "nfe", both(COMPLEMENT, REFERRED)),
    on(BEFORE_ITEM_REFERENCES, "321", RETURNED, REFERRED),
    on(ITEM_REFERENCES, "321", RETURNED, item_refers_to(OWN_KEY)),
    on(BEFORE_NOTE_2026_002, "679", refers_to(NFCE_KEY)),
    on(BEFORE_NOTE_2026_002, "679", item_refers_to(NFCE_KEY)),
    on(NOTE_2026_002, "679", REFERRED),
    on(NOTE_2026_002, "679", COMPLEMENT, refers_to(NFCE_KEY)),
    on(NOTE_2026_002, "679", RETURNED, item_refers_to(NFCE_KEY)),
    on(BEFORE_NOTE_2026_002, "375", COMPLEMENTS_A_COUPON),
    on(BEFORE_ONE_ISSUER, "1193", OF_TWO_ISSUERS, base="nfe_of_two_items"),
    on(ONE_ISSUER, "1193", OF_ONE_ISSUER, base="nfe_of_two_items"),
]
"""Documents close to breaking a rule, which are accepted."""


class TestReferenceRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None

    def test_moved_date_replaces_the_built_in_one(self, tester: InvoiceRuleTester) -> None:
        returned = on(BEFORE_ITEM_REFERENCES, "321", RETURNED, REFERRED)
        moved = {Milestone.RETURNED_ITEM_REFERENCES: date(2026, 11, 3)}
        refusal = tester.verdict_on(tester.broken(returned), returned, moved_dates=moved)
        assert refusal is not None
        assert refusal.code == "321"
