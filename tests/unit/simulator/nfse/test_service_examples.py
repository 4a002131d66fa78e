"""Every example of NFS-e at the Sefin: what our builders make, it takes, and it adds up to the same."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime

import pytest
from cryptography.hazmat.primitives.serialization import pkcs12
from golden import FOLDER, Example, examples
from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.nfse import amounts
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.event_case import EventCase
from carimbo.simulator.nfse.judge import judge
from carimbo.simulator.nfse.note import Issue, note_xml
from carimbo.simulator.nfse.reform_amounts import reform_tax
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.nfse.rules.signature import EVENT_SIGNATURE_RULES
from carimbo.simulator.rule import broken_by
from carimbo.simulator.trust import Credential, Trust
from unit.fiscal.desk import PASSWORD
from unit.simulator.front_desk import document
from unit.simulator.mutating import world
from unit.simulator.nfse.declaring import NAMESPACE, declaration
from unit.simulator.nfse.service_court import AT_SEFIN, faults

EXAMPLES = {one.file: one for one in examples() if one.file.startswith("nfse/")}
NOTES = {name: one for name, one in EXAMPLES.items() if one.is_document}
EVENTS = {name: one for name, one in EXAMPLES.items() if not one.is_document}
OTHER_RATES = frozenset(
    f"nfse/{name}.json"
    for name in ("withholdings", "takers-city", "reduced-base", "construction-rate", "foreign-taker")
)
"""Those whose cities have another rate at the simulator than the example says."""
KEY = "35503082211222333000181000000000000126111234567890"


@pytest.fixture(scope="module")
def trust() -> Trust:
    opened = [pkcs12.load_pkcs12(file.read_bytes(), PASSWORD.encode()) for file in FOLDER.glob("*.pfx")]
    return Trust([Credential.of(found.certificate) for one in opened for found in one.additional_certs])


def root_of(example: Example) -> etree._Element:
    return etree.fromstring(example.xml.read_bytes())


def key_named_by(root: etree._Element) -> list[str]:
    """The notes that a declaration replaces, or takes as proof."""
    return [
        one.text or "" for one in root.iter(*(f"{{{NAMESPACE}}}{tag}" for tag in ("chSubstda", "chNFSe")))
    ]


@contextmanager
def case_of(name: str, trust: Trust) -> Iterator[NoteCase]:
    """An example in front of the judge, who holds the notes that it names."""
    root, example = root_of(NOTES[name]), NOTES[name]
    held = (FOLDER / example.replaced_file if example.replaced_file else example.xml).read_bytes()
    around = world(trust, datetime.fromisoformat(root.findtext(f".//{{{NAMESPACE}}}dhEmi", "")))
    with closing(around.store):
        for key in key_named_by(root):
            earlier = replace(document(AT_SEFIN, key, around.now), xml=held)
            Ledger(around.store).keep_document(earlier)
        yield NoteCase(root, AT_SEFIN, around)


class TestNotes:
    @pytest.mark.parametrize("name", NOTES)
    def test_each_is_taken_and_becomes_what_the_xsd_wants(self, name: str, trust: Trust) -> None:
        with case_of(name, trust) as case:
            assert judge(case) == []
            xml = note_xml(case, Issue(access_key=KEY, number=1, serial=1, code="100"))
            assert faults(xml, Schema.NFSE_AUTHORIZED) == []

    @pytest.mark.parametrize("name", NOTES)
    def test_each_has_the_base_that_was_worked_out_by_hand(self, name: str, trust: Trust) -> None:
        told = NOTES[name].totals
        with case_of(name, trust) as case:
            tax = amounts.city_tax(case)
            assert amounts.service_amount(case) == told["amount"] + told.get("discount", 0)
            assert (tax.base if tax else None) == told.get("issBase")

    @pytest.mark.parametrize("name", NOTES)
    def test_each_has_the_tax_and_the_rest_where_the_city_has_the_rate_of_the_example(
        self, name: str, trust: Trust
    ) -> None:
        told = NOTES[name].totals
        with case_of(name, trust) as case:
            tax = amounts.city_tax(case)
            if name in OTHER_RATES:
                assert tax
                assert tax.amount != told["issAmount"]
                return
            assert (tax.amount if tax else None) == told.get("issAmount")
            assert amounts.net_amount(case) == told["netAmount"]
            reform = reform_tax(case)
            assert (reform.base if reform else None) == told.get("ibsCbsBase")


class TestEvents:
    @pytest.mark.parametrize("name", EVENTS)
    def test_each_is_taken(self, name: str, trust: Trust) -> None:
        root = root_of(EVENTS[name])
        now = datetime.fromisoformat(root.findtext(f".//{{{NAMESPACE}}}dhEvento", ""))
        around = world(trust, now)
        with closing(around.store):
            key = root.findtext(f".//{{{NAMESPACE}}}chNFSe", "")
            case = EventCase(root, AT_SEFIN, around, key)
            issuer = f"<CNPJ>{case.author}</CNPJ>"
            earlier = replace(document(AT_SEFIN, key, now), xml=declaration(issuer=issuer).encode())
            Ledger(around.store).keep_document(earlier)
            assert list(broken_by((*EVENT_SIGNATURE_RULES, *EVENT_RULES), case)) == []
