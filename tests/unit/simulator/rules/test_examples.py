"""Every NF-e and NFC-e example is accepted by its own authorizer."""

from contextlib import closing
from datetime import datetime
from functools import partial

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12
from golden import FOLDER
from lxml import etree

from carimbo.fiscal.tables.authorities import AUTHORIZERS
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.family import HOMOLOGATION, ServicePath
from carimbo.simulator.nfe.authorization import DOCUMENTS
from carimbo.simulator.nfe.dialect import NFE
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.trust import JudgedCertificate, TrustedAuthorities
from unit.fiscal.command_files import PASSWORD
from unit.golden_documents import INVOICES, check_all, golden_document
from unit.simulator.mutating import context

IN_CONTINGENCY = frozenset("67")
OPEN = {"SVCAN": ContingencySwitch.ON, "SVCRS": ContingencySwitch.ON}


def authorities() -> tuple[x509.Certificate, ...]:
    """Returns the authorities of the examples' certificates."""
    opened = [pkcs12.load_pkcs12(file.read_bytes(), PASSWORD.encode()) for file in FOLDER.glob("*.pfx")]
    return tuple(authority.certificate for bundle in opened for authority in bundle.additional_certs)


def path_of(root: etree._Element) -> ServicePath:
    """Returns the path that a document is sent to."""
    key = root[0].get("Id", "")[3:]
    state = state_of_ibge(key[:2])
    assert state
    serving = AUTHORIZERS[key[20:22], state.code]
    authorizer = serving.contingency if key[34] in IN_CONTINGENCY else serving.authorizer
    assert authorizer
    return ServicePath(authorizer, HOMOLOGATION, "nfe" if key[20:22] == NFE else "nfce", "NFeAutorizacao4")


def moment_of(root: etree._Element) -> datetime:
    return datetime.fromisoformat(root.findtext(".//{*}dhEmi", ""))


@pytest.fixture(scope="module")
def trust() -> TrustedAuthorities:
    return TrustedAuthorities([JudgedCertificate.of(certificate) for certificate in authorities()])


def is_accepted(file: str, trust: TrustedAuthorities) -> None:
    root = golden_document(file).root
    request_context = context(trust, moment_of(root), contingency=OPEN)
    with closing(request_context.store):
        assert DOCUMENTS.refusal_of(JudgedInvoice(root, path_of(root), request_context)) is None


class TestExamples:
    def test_examples_are_accepted(self, trust: TrustedAuthorities) -> None:
        check_all("examples", {file: partial(is_accepted, file, trust) for file in INVOICES})
