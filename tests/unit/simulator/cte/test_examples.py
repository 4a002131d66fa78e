"""Every CT-e example is accepted by its own authorizer."""

from contextlib import closing
from functools import partial

import pytest
from lxml import etree

from carimbo.fiscal.tables.authorities import AUTHORIZERS
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.cte.family import DOCUMENTS
from carimbo.simulator.cte.judged import JudgedCte
from carimbo.simulator.family import HOMOLOGATION, ServicePath
from carimbo.simulator.trust import JudgedCertificate, TrustedAuthorities
from unit.golden_documents import WAYBILLS, check_all, golden_document
from unit.simulator.mutating import context
from unit.simulator.rules.test_examples import authorities, moment_of

IN_CONTINGENCY = frozenset("78")
OPEN = {"SVRS": ContingencySwitch.ON, "SVSP": ContingencySwitch.ON}
WITHOUT_ORIGINAL = {
    "cte/complement.json": "267",
    "cte/substitution.json": "568",
    "cte/january-complement.json": "267",
    "cte/january-substitution.json": "568",
}
"""Examples that refer to another CT-e, with the code of the refusal if the authority does not have it."""


def path_of(root: etree._Element) -> ServicePath:
    """Returns the path that a document is sent to."""
    key = root[0].get("Id", "")[3:]
    state = state_of_ibge(key[:2])
    assert state
    serving = AUTHORIZERS["57", state.code]
    authorizer = serving.contingency if key[34] in IN_CONTINGENCY else serving.authorizer
    assert authorizer
    return ServicePath(authorizer, HOMOLOGATION, "cte", "CTeRecepcaoSincV4")


@pytest.fixture(scope="module")
def trust() -> TrustedAuthorities:
    return TrustedAuthorities([JudgedCertificate.of(certificate) for certificate in authorities()])


def is_accepted(file: str, trust: TrustedAuthorities) -> None:
    root, code = golden_document(file).root, WITHOUT_ORIGINAL.get(file)
    for codes_off, expected in ((frozenset[str](), code), (frozenset({code or ""}), None)):
        request_context = context(trust, moment_of(root), contingency=OPEN, rules_off=codes_off)
        with closing(request_context.store):
            refusal = DOCUMENTS.refusal_of(JudgedCte(root, path_of(root), request_context))
        assert (refusal and refusal.code) == expected


class TestExamples:
    def test_examples_are_accepted(self, trust: TrustedAuthorities) -> None:
        check_all("examples", {file: partial(is_accepted, file, trust) for file in WAYBILLS})
