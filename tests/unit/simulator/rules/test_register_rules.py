"""Documents and numbers that the authorities already have."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.simulator.family import HOMOLOGATION, RequestContext
from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredDocument, StoredInutilization
from carimbo.simulator.limits import REJECTIONS_OF_A_DOCUMENT
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.sefaz.rules.documents import count_rejection
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mutating import case_of
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation, base

Prepare = Callable[[RequestContext, bytes], None]
PROTOCOL = "135260000000001"
PROTOCOL_DETAIL = f"[nProt:{PROTOCOL}][dhAut:2026-11-14T10:00:00-03:00]"


def store_document(**changes: Any) -> Prepare:
    """Stores the same document, with changes."""

    def prepare(context: RequestContext, xml: bytes) -> None:
        invoice = case_of(xml, context)
        usual: dict[str, Any] = {
            "environment": HOMOLOGATION,
            "access_key": invoice.access_key,
            "authorizer": "SP",
            "issuer": invoice.author,
            "recipient": "",
            "series": 1,
            "number": 3,
            "issued_at": ISSUED_AT,
            "received_at": ISSUED_AT,
            "code": "100",
            "protocol": PROTOCOL,
            "digest": "",
            "xml": xml,
            "protocol_xml": b"",
        }
        stored = StoredDocument(**usual | changes)
        Ledger(context.store).keep_document(stored, DIALECT.number_id(stored.access_key))

    return prepare


def with_other_code(context: RequestContext, xml: bytes) -> None:
    """Stores another document with the same number."""
    store_document(access_key=other_key(case_of(xml, context).access_key))(context, xml)


def other_key(key: str, emission: str = "") -> str:
    return f"{key[:34]}{emission or key[34]}987654321"


def sent_before(context: RequestContext, xml: bytes) -> None:
    """Stores a normal emission of the same number, under another key."""
    store_document(access_key=other_key(case_of(xml, context).access_key, emission="1"))(context, xml)


def inutilized(context: RequestContext, xml: bytes) -> None:
    key = case_of(xml, context).access_key
    Ledger(context.store).keep_range(
        StoredInutilization(
            environment=HOMOLOGATION,
            state_code=key[:2],
            issuer=key[6:20],
            model=key[20:22],
            series=1,
            year="26",
            first_number=2,
            last_number=4,
            authorizer="SP",
            received_at=ISSUED_AT,
            protocol=PROTOCOL,
        )
    )


def rejected(times: int, before: timedelta = timedelta()) -> Prepare:
    def prepare(context: RequestContext, xml: bytes) -> None:
        earlier = RequestContext(context.now - before, context.store, context.trust, context.controls)
        for _ in range(times):
            count_rejection(case_of(xml, earlier))

    return prepare


VIOLATIONS = [
    Violation("539", "nfe", prepare=with_other_code, detail=PROTOCOL_DETAIL),
    Violation("204", "nfe", prepare=store_document(), detail=PROTOCOL_DETAIL),
    Violation("218", "nfe", prepare=store_document(status=DocumentStatus.CANCELED), detail=PROTOCOL_DETAIL),
    Violation("206", "nfe", prepare=inutilized),
    Violation("656", "nfe", prepare=rejected(REJECTIONS_OF_A_DOCUMENT)),
]


class TestRegisterRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    def test_number_that_another_key_uses_is_reported_with_that_key(self, tester: InvoiceRuleTester) -> None:
        xml = base("nfe", tester.signer)
        key = other_key(etree.fromstring(xml)[0].get("Id", "")[3:])
        assert tester.verdict(xml, prepare=with_other_code) == AuthorityVerdict(
            "539", f"[chNFe:{key}]{PROTOCOL_DETAIL}"
        )

    def test_document_of_the_other_environment_is_ignored(self, tester: InvoiceRuleTester) -> None:
        assert tester.verdict(base("nfe", tester.signer), prepare=store_document(environment="1")) is None

    def test_nfce_may_be_issued_again_offline_with_its_number(self, tester: InvoiceRuleTester) -> None:
        violation = Violation("539", "nfce_offline", prepare=sent_before)
        assert tester.verdict_on(base("nfce_offline", tester.signer), violation) is None

    def test_offline_nfce_is_a_duplicate_of_itself_beside_the_normal_one(
        self, tester: InvoiceRuleTester
    ) -> None:
        def store_both(context: RequestContext, xml: bytes) -> None:
            sent_before(context, xml)
            store_document()(context, xml)

        violation = Violation("204", "nfce_offline", prepare=store_both)
        assert tester.verdict_on(base("nfce_offline", tester.signer), violation) == AuthorityVerdict(
            "204", PROTOCOL_DETAIL
        )

    def test_offline_nfce_is_accepted_although_its_number_was_voided(self, tester: InvoiceRuleTester) -> None:
        violation = Violation("206", "nfce_offline", prepare=inutilized)
        assert tester.verdict_on(base("nfce_offline", tester.signer), violation) is None

    @pytest.mark.parametrize(
        "prepare",
        [
            rejected(REJECTIONS_OF_A_DOCUMENT - 1),
            rejected(REJECTIONS_OF_A_DOCUMENT, before=timedelta(minutes=61)),
        ],
    )
    def test_rejections_are_counted_within_an_hour(self, prepare: Prepare, tester: InvoiceRuleTester) -> None:
        assert tester.verdict(base("nfe", tester.signer), prepare=prepare) is None

    def test_rejections_are_not_counted_without_limits(self, tester: InvoiceRuleTester) -> None:
        xml = base("nfe", tester.signer)
        assert tester.verdict(xml, prepare=rejected(REJECTIONS_OF_A_DOCUMENT), limits=False) is None
