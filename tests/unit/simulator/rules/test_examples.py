"""Every example of the repository at its own authorizer: what our builders make, the judge accepts."""

from contextlib import closing
from datetime import datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12
from golden import FOLDER, Example, examples
from lxml import etree

from carimbo.fiscal.tables.authorizers import AUTHORIZERS
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.controls import Contingency
from carimbo.simulator.nfe.case import NFE, Case
from carimbo.simulator.nfe.judge import judge
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.trust import Credential, Trust
from unit.fiscal.desk import PASSWORD
from unit.simulator.mutating import NAMESPACE, world

IN_CONTINGENCY = frozenset("67")
OPEN = {"SVCAN": Contingency.ON, "SVCRS": Contingency.ON}


def authorities() -> tuple[x509.Certificate, ...]:
    """Of the examples' certificates."""
    opened = [pkcs12.load_pkcs12(file.read_bytes(), PASSWORD.encode()) for file in FOLDER.glob("*.pfx")]
    return tuple(found.certificate for one in opened for found in one.additional_certs)


def document_of(example: Example) -> etree._Element | None:
    root = etree.fromstring(example.xml.read_bytes())
    return root if root.tag == f"{{{NAMESPACE}}}NFe" else None


DOCUMENTS = {example.file: root for example in examples() if (root := document_of(example)) is not None}


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


class TestExamples:
    @pytest.mark.parametrize("name", DOCUMENTS)
    def test_it_is_accepted(self, name: str, trust: Trust) -> None:
        root = DOCUMENTS[name]
        around = world(trust, moment_of(root), contingency=OPEN)
        with closing(around.store):
            assert judge(Case(root, place_of(root), around)) is None
