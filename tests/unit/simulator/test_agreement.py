"""Every document that our own rules accept is also accepted by the simulator."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.simulator.family import PRODUCTION, RequestContext, ServicePath
from carimbo.simulator.nfe.authorization import DOCUMENTS
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal import optional_taxes as tax
from unit.fiscal.good_bodies import SIMPLES, TO_A_COMPANY, Good, answer_to, different, good_bodies, quick
from unit.fiscal.goods.support import CONTRIBUTOR, NFCE_BODY, NFE_BODY, item
from unit.fiscal.published_fields import NFCE, NFE, Json
from unit.fiscal.rules.breaking import GOOD
from unit.simulator.mutating import NAMESPACE, case_of, context

MAY_DIFFER = {
    "471": "a state that accepts services in NF-e may accept NCM 00, so our rule only warns",
    "900": "some states may not check when installments are due, so our rule only warns",
}
NOT_CHECKED = {"297": "the signatures are fake, for speed"}
IN_RIO = TO_A_COMPANY["recipient"] | {"stateRegistration": "77040072"}
GOODS = {"cest": "2104600"}


def bodies() -> Iterator[Good]:
    """Yields requests with every field, from each tax regime to each possible recipient."""
    yield from good_bodies()
    for good in GOOD.values():
        yield Good(good.body, good.company["taxRegime"], NFCE if good.model == "65" else NFE)
    for icms in tax.ICMS_BY_CST.samples:
        yield from _sold_to_companies(item(icms=icms, **GOODS), "normal")
    for regime in SIMPLES:
        for icms in tax.ICMS_BY_CSOSN.samples:
            yield Good(NFCE_BODY | {"items": [item(icms=icms)]}, regime, NFCE)
            yield from _sold_to_companies(item(icms=icms, **GOODS), regime)


def _sold_to_companies(sold: Json, regime: str) -> Iterator[Good]:
    for buyer in (CONTRIBUTOR, IN_RIO):
        yield Good(NFE_BODY | {"recipient": buyer, "items": [sold, item(**GOODS)]}, regime)


@pytest.fixture(scope="module")
def signer(signer: Signer) -> Signer:
    return quick(signer)


@pytest.fixture
def request_context(trust: TrustedAuthorities) -> Iterator[RequestContext]:
    created = context(trust, rules_off=frozenset(MAY_DIFFER | NOT_CHECKED))
    with closing(created.store):
        yield created


def verdict(document: SignedDocument, request_context: RequestContext) -> AuthorityVerdict | None:
    """Returns the verdict of the authority of São Paulo on a document, in production."""
    model = etree.fromstring(document.xml).findtext(f".//{{{NAMESPACE}}}mod")
    family = "nfe" if model == "55" else "nfce"
    return DOCUMENTS.refusal_of(
        case_of(document.xml, request_context, ServicePath("SP", PRODUCTION, family, "NFeAutorizacao4"))
    )


class TestAgreement:
    def test_issued_documents_are_authorized(self, signer: Signer, request_context: RequestContext) -> None:
        issued = [
            (good, document)
            for good in different(bodies())
            if isinstance(document := answer_to(good, signer), SignedDocument)
        ]
        refused = [(verdict(document, request_context), good) for good, document in issued]
        assert [(refusal, good) for refusal, good in refused if refusal] == []
        assert len(issued) > 1_000
