"""Every example of NFS-e at the Sefin: what our builders make, it takes, and it adds up to the same."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import partial

import pytest
from cryptography.hazmat.primitives.serialization import pkcs12
from golden import FOLDER
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
from unit.golden_documents import EVENTS_OF_NOTES, NOTES, ask_all, check_all, golden_document
from unit.simulator.front_desk import document
from unit.simulator.mutating import world
from unit.simulator.nfse.declaring import NAMESPACE, declaration
from unit.simulator.nfse.sefin import AT_SEFIN, faults

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


def key_named_by(root: etree._Element) -> list[str]:
    """The notes that a declaration replaces, or takes as proof."""
    return [
        one.text or "" for one in root.iter(*(f"{{{NAMESPACE}}}{tag}" for tag in ("chSubstda", "chNFSe")))
    ]


@contextmanager
def case_of(file: str, trust: Trust) -> Iterator[NoteCase]:
    """An example in front of the judge, who holds the notes that it names."""
    one = golden_document(file)
    replaced = one.example.replaced_file
    held = (FOLDER / replaced).read_bytes() if replaced else one.xml
    around = world(trust, datetime.fromisoformat(one.root.findtext(f".//{{{NAMESPACE}}}dhEmi", "")))
    with closing(around.store):
        for key in key_named_by(one.root):
            earlier = replace(document(AT_SEFIN, key, around.now), xml=held)
            Ledger(around.store).keep_document(earlier)
        yield NoteCase(one.root, AT_SEFIN, around)


@dataclass(frozen=True)
class Judged:
    """A note in front of the judge, and what it must add up to."""

    file: str
    case: NoteCase
    totals: dict[str, Decimal]


def is_accepted(note: Judged) -> None:
    assert judge(note.case) == []


def becomes_an_nfse_that_the_xsd_accepts(note: Judged) -> None:
    xml = note_xml(note.case, Issue(access_key=KEY, number=1, serial=1, code="100"))
    assert faults(xml, Schema.NFSE_AUTHORIZED) == []


def has_the_base_that_was_worked_out_by_hand(note: Judged) -> None:
    tax = amounts.city_tax(note.case)
    assert amounts.service_amount(note.case) == note.totals["amount"] + note.totals.get("discount", 0)
    assert (tax.base if tax else None) == note.totals.get("issBase")


def has_the_tax_and_net_amount_if_the_city_has_the_rate_of_the_example(note: Judged) -> None:
    tax = amounts.city_tax(note.case)
    if note.file in OTHER_RATES:
        assert tax
        assert tax.amount != note.totals["issAmount"]
        return
    assert (tax.amount if tax else None) == note.totals.get("issAmount")
    assert amounts.net_amount(note.case) == note.totals["netAmount"]
    reform = reform_tax(note.case)
    assert (reform.base if reform else None) == note.totals.get("ibsCbsBase")


QUESTIONS: tuple[Callable[[Judged], None], ...] = (
    is_accepted,
    becomes_an_nfse_that_the_xsd_accepts,
    has_the_base_that_was_worked_out_by_hand,
    has_the_tax_and_net_amount_if_the_city_has_the_rate_of_the_example,
)


class TestNotes:
    @pytest.mark.parametrize("file", NOTES)
    def test_each_is_accepted_and_adds_up(self, file: str, trust: Trust) -> None:
        with case_of(file, trust) as case:
            ask_all(file, Judged(file, case, golden_document(file).example.totals), QUESTIONS)


def event_is_accepted(file: str, trust: Trust) -> None:
    """Judges an event of a note that the authority holds."""
    root = golden_document(file).root
    now = datetime.fromisoformat(root.findtext(f".//{{{NAMESPACE}}}dhEvento", ""))
    around = world(trust, now)
    with closing(around.store):
        key = root.findtext(f".//{{{NAMESPACE}}}chNFSe", "")
        case = EventCase(root, AT_SEFIN, around, key)
        issuer = f"<CNPJ>{case.author}</CNPJ>"
        earlier = replace(document(AT_SEFIN, key, now), xml=declaration(issuer=issuer).encode())
        Ledger(around.store).keep_document(earlier)
        assert list(broken_by((*EVENT_SIGNATURE_RULES, *EVENT_RULES), case)) == []


class TestEvents:
    def test_all_are_accepted(self, trust: Trust) -> None:
        check_all("events", {file: partial(event_is_accepted, file, trust) for file in EVENTS_OF_NOTES})
