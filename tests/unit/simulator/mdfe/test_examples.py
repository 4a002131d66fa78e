"""Every example of MDF-e is accepted by the authority."""

from contextlib import closing
from functools import partial

import pytest

from carimbo.simulator.mdfe.family import DOCUMENTS
from carimbo.simulator.mdfe.judged import JudgedMdfe
from carimbo.simulator.trust import JudgedCertificate, TrustedAuthorities
from unit.golden_documents import MANIFESTS, check_all, golden_document
from unit.simulator.mdfe.bases import AT_SVRS
from unit.simulator.mutating import context
from unit.simulator.rules.test_examples import authorities, moment_of


@pytest.fixture(scope="module")
def trust() -> TrustedAuthorities:
    return TrustedAuthorities([JudgedCertificate.of(certificate) for certificate in authorities()])


def is_accepted(file: str, trust: TrustedAuthorities) -> None:
    root = golden_document(file).root
    request_context = context(trust, moment_of(root))
    with closing(request_context.store):
        assert DOCUMENTS.refusal_of(JudgedMdfe(root, AT_SVRS, request_context)) is None


class TestExamples:
    def test_examples_are_accepted(self, trust: TrustedAuthorities) -> None:
        check_all("examples", {file: partial(is_accepted, file, trust) for file in MANIFESTS})
