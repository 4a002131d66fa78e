"""What our own rules let through, the simulator does: nobody learns of a mistake by a rejection."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from lxml import etree

from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.simulator.family import World
from carimbo.simulator.nfe.authorization import DOCUMENTS
from carimbo.simulator.place import PRODUCTION, Place
from carimbo.simulator.rule import Refusal
from carimbo.simulator.trust import Trust
from unit.fiscal import optional_taxes as tax
from unit.fiscal.good_bodies import SIMPLES, TO_A_COMPANY, Good, answer_to, different, good_bodies, quick
from unit.fiscal.goods.support import CONTRIBUTOR, NFCE_BODY, NFE_BODY, item
from unit.fiscal.published_fields import NFCE, NFE, Json
from unit.fiscal.rules.breaking import GOOD
from unit.simulator.mutating import NAMESPACE, case_of, world

MAY_DIFFER = {
    "471": "a state that takes NF-e of services may take NCM 00, so our rule only warns",
    "900": "not every state is known to look at when installments are due, so our rule only warns",
}
NOT_ASKED = {"297": "the signatures are made up, for speed"}
IN_RIO = TO_A_COMPANY["recipient"] | {"stateRegistration": "77040072"}
GOODS = {"cest": "2104600"}


def bodies() -> Iterator[Good]:
    """Whatever a caller may tell, sold by each regime to those that it can be sold to."""
    yield from good_bodies()
    for good in GOOD.values():
        yield Good(good.body, good.company["taxRegime"], NFCE if good.model == "65" else NFE)
    for told in tax.ICMS_BY_CST.samples:
        yield from _sold_to_companies(item(icms=told, **GOODS), "normal")
    for regime in SIMPLES:
        for told in tax.ICMS_BY_CSOSN.samples:
            yield Good(NFCE_BODY | {"items": [item(icms=told)]}, regime, NFCE)
            yield from _sold_to_companies(item(icms=told, **GOODS), regime)


def _sold_to_companies(sold: Json, regime: str) -> Iterator[Good]:
    for buyer in (CONTRIBUTOR, IN_RIO):
        yield Good(NFE_BODY | {"recipient": buyer, "items": [sold, item(**GOODS)]}, regime)


@pytest.fixture(scope="module")
def signer(signer: Signer) -> Signer:
    return quick(signer)


@pytest.fixture
def around(trust: Trust) -> Iterator[World]:
    made = world(trust, rules_off=frozenset(MAY_DIFFER | NOT_ASKED))
    with closing(made.store):
        yield made


def verdict(document: SignedDocument, around: World) -> Refusal | None:
    """What the authority of São Paulo says of a document, in production."""
    model = etree.fromstring(document.xml).findtext(f".//{{{NAMESPACE}}}mod")
    family = "nfe" if model == "55" else "nfce"
    return DOCUMENTS.refusal_of(
        case_of(document.xml, around, Place("SP", PRODUCTION, family, "NFeAutorizacao4"))
    )


class TestAgreement:
    def test_what_is_issued_is_authorised(self, signer: Signer, around: World) -> None:
        issued = [
            (good, made)
            for good in different(bodies())
            if isinstance(made := answer_to(good, signer), SignedDocument)
        ]
        refused = [(verdict(made, around), good) for good, made in issued]
        assert [(refusal, good) for refusal, good in refused if refusal] == []
        assert len(issued) > 1_000
