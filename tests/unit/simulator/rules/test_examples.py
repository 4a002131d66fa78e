"""Every example of an NF-e or NFC-e at its own authorizer: what our builders make, the judge accepts."""

from contextlib import closing
from datetime import datetime
from functools import partial

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12
from golden import FOLDER
from lxml import etree

from carimbo.fiscal.tables.authorizers import AUTHORIZERS
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.controls import Contingency
from carimbo.simulator.nfe.authorization import DOCUMENTS
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.models import NFE
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.trust import Credential, Trust
from unit.fiscal.desk import PASSWORD
from unit.golden_documents import INVOICES, check_all, golden_document
from unit.simulator.mutating import NAMESPACE, world

IN_CONTINGENCY = frozenset("67")
OPEN = {"SVCAN": Contingency.ON, "SVCRS": Contingency.ON}


def authorities() -> tuple[x509.Certificate, ...]:
    """Of the examples' certificates."""
    opened = [pkcs12.load_pkcs12(file.read_bytes(), PASSWORD.encode()) for file in FOLDER.glob("*.pfx")]
    return tuple(found.certificate for one in opened for found in one.additional_certs)


def place_of(root: etree._Element) -> Place:
    """Where a document goes."""
    key = root[0].get("Id", "")[3:]
    state = state_of_ibge(key[:2])
    assert state
    serving = AUTHORIZERS[key[20:22], state.code]
    authorizer = serving.contingency if key[34] in IN_CONTINGENCY else serving.authorizer
    assert authorizer
    return Place(authorizer, HOMOLOGATION, "nfe" if key[20:22] == NFE else "nfce", "NFeAutorizacao4")


def moment_of(root: etree._Element) -> datetime:
    return datetime.fromisoformat(root.findtext(f".//{{{NAMESPACE}}}dhEmi", ""))


@pytest.fixture(scope="module")
def trust() -> Trust:
    return Trust([Credential.of(one) for one in authorities()])


def is_accepted(file: str, trust: Trust) -> None:
    root = golden_document(file).root
    around = world(trust, moment_of(root), contingency=OPEN)
    with closing(around.store):
        assert DOCUMENTS.refusal_of(Case(root, place_of(root), around)) is None


class TestExamples:
    def test_all_are_accepted(self, trust: Trust) -> None:
        check_all("examples", {file: partial(is_accepted, file, trust) for file in INVOICES})
