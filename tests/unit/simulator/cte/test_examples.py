"""Every example of CT-e and CT-e OS is accepted by its own authorizer."""

from contextlib import closing
from functools import partial

import pytest
from lxml import etree

from carimbo.fiscal.tables.authorities import AUTHORIZERS
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.cte.family import DOCUMENTS, OS_DOCUMENTS
from carimbo.simulator.cte.judged import JudgedCte, JudgedCteOs
from carimbo.simulator.family import HOMOLOGATION, RequestContext, ServicePath
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.trust import JudgedCertificate, TrustedAuthorities
from unit.golden_documents import OS_WAYBILLS, WAYBILLS, check_all, golden_document
from unit.simulator.mutating import context
from unit.simulator.rules.test_examples import authorities, moment_of

IN_CONTINGENCY = frozenset("78")
OPEN = {"SVRS": ContingencySwitch.ON, "SVSP": ContingencySwitch.ON}
WITHOUT_ORIGINAL = {
    "cte/complement.json": "267",
    "cte/substitution.json": "568",
    "cte/january-complement.json": "267",
    "cte/january-substitution.json": "568",
    "cteOs/complement.json": "267",
    "cteOs/substitution.json": "568",
    "cteOs/valuables-by-event.json": "824",
    "cte/rail-complement.json": "267",
    "cte/rail-mutual.json": "709",
}
"""Examples that refer to another CT-e, with the code of the refusal if the authority does not have it."""


def path_of(root: etree._Element) -> ServicePath:
    """Returns the path that a document is sent to."""
    key = root[0].get("Id", "")[3:]
    state = state_of_ibge(key[:2])
    assert state
    model, family, service = (
        ("67", "cteos", "CTeRecepcaoOSV4") if key[20:22] == "67" else ("57", "cte", "CTeRecepcaoSincV4")
    )
    serving = AUTHORIZERS[model, state.code]
    authorizer = serving.contingency if key[34] in IN_CONTINGENCY else serving.authorizer
    assert authorizer
    return ServicePath(authorizer, HOMOLOGATION, family, service)


@pytest.fixture(scope="module")
def trust() -> TrustedAuthorities:
    return TrustedAuthorities([JudgedCertificate.of(certificate) for certificate in authorities()])


def refusal_of(file: str, root: etree._Element, request_context: RequestContext) -> AuthorityVerdict | None:
    if file in OS_WAYBILLS:
        return OS_DOCUMENTS.refusal_of(JudgedCteOs(root, path_of(root), request_context))
    return DOCUMENTS.refusal_of(JudgedCte(root, path_of(root), request_context))


def is_accepted(file: str, trust: TrustedAuthorities) -> None:
    root, code = golden_document(file).root, WITHOUT_ORIGINAL.get(file)
    for codes_off, expected in ((frozenset[str](), code), (frozenset({code or ""}), None)):
        request_context = context(trust, moment_of(root), contingency=OPEN, rules_off=codes_off)
        with closing(request_context.store):
            refusal = refusal_of(file, root, request_context)
        assert (refusal and refusal.code) == expected


class TestExamples:
    def test_examples_are_accepted(self, trust: TrustedAuthorities) -> None:
        check_all("examples", {file: partial(is_accepted, file, trust) for file in (*WAYBILLS, *OS_WAYBILLS)})
