"""Every NFS-e example is accepted by the Sefin, with the same amounts."""

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

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.nfse import amounts
from carimbo.simulator.nfse.amounts import reform_tax
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.event import JudgedNoteEvent
from carimbo.simulator.nfse.note_xml import Issue, note_xml
from carimbo.simulator.nfse.rule_sets import broken_dps_rules
from carimbo.simulator.nfse.rules.certificates import EVENT_SIGNATURE_RULES
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.rules import broken_by
from carimbo.simulator.trust import JudgedCertificate, TrustedAuthorities
from unit.fiscal.command_files import PASSWORD
from unit.golden_documents import EVENTS_OF_NOTES, NOTES, ask_all, check_all, golden_document
from unit.simulator.mutating import context
from unit.simulator.nfse.declaring import NAMESPACE, declaration
from unit.simulator.nfse.sefin import AT_SEFIN, xsd_errors
from unit.simulator.sample_family import document

OTHER_RATES = frozenset(
    f"nfse/{name}.json"
    for name in ("withholdings", "takers-city", "reduced-base", "construction-rate", "foreign-taker")
)
"""Examples with another rate than the simulator has for their cities."""
KEY = "35503082211222333000181000000000000126111234567890"


@pytest.fixture(scope="module")
def trust() -> TrustedAuthorities:
    opened = [pkcs12.load_pkcs12(file.read_bytes(), PASSWORD.encode()) for file in FOLDER.glob("*.pfx")]
    return TrustedAuthorities(
        [
            JudgedCertificate.of(authority.certificate)
            for bundle in opened
            for authority in bundle.additional_certs
        ]
    )


def key_named_by(root: etree._Element) -> list[str]:
    """Returns the keys of notes that a declaration replaces or uses as proof."""
    return [
        element.text or ""
        for element in root.iter(*(f"{{{NAMESPACE}}}{tag}" for tag in ("chSubstda", "chNFSe")))
    ]


@contextmanager
def case_of(file: str, trust: TrustedAuthorities) -> Iterator[JudgedDps]:
    """Yields an example as the rules see it, with the notes that it names in the store."""
    example = golden_document(file)
    replaced = example.example.replaced_file
    held = (FOLDER / replaced).read_bytes() if replaced else example.xml
    request_context = context(
        trust, datetime.fromisoformat(example.root.findtext(f".//{{{NAMESPACE}}}dhEmi", ""))
    )
    with closing(request_context.store):
        for key in key_named_by(example.root):
            earlier = replace(document(AT_SEFIN, key, request_context.now), xml=held)
            Ledger(request_context.store).keep_document(earlier)
        yield JudgedDps(example.root, AT_SEFIN, request_context)


@dataclass(frozen=True)
class JudgedExample:
    """A judged note with its expected amounts."""

    file: str
    case: JudgedDps
    totals: dict[str, Decimal]


def is_accepted(note: JudgedExample) -> None:
    assert broken_dps_rules(note.case) == []


def becomes_an_nfse_that_the_xsd_accepts(note: JudgedExample) -> None:
    xml = note_xml(note.case, Issue(access_key=KEY, number=1, serial=1, code="100"))
    assert xsd_errors(xml, Schema.NFSE_AUTHORIZED) == []


def has_the_base_that_was_worked_out_by_hand(note: JudgedExample) -> None:
    tax = amounts.city_tax(note.case)
    assert amounts.service_amount(note.case) == note.totals["amount"] + note.totals.get("discount", 0)
    assert (tax.base if tax else None) == note.totals.get("issBase")


def has_the_tax_and_net_amount_if_the_city_has_the_rate_of_the_example(note: JudgedExample) -> None:
    tax = amounts.city_tax(note.case)
    if note.file in OTHER_RATES:
        assert tax
        assert tax.amount != note.totals["issAmount"]
        return
    assert (tax.amount if tax else None) == note.totals.get("issAmount")
    assert amounts.net_amount(note.case) == note.totals["netAmount"]
    reform = reform_tax(note.case)
    assert (reform.base if reform else None) == note.totals.get("ibsCbsBase")


CHECKS: tuple[Callable[[JudgedExample], None], ...] = (
    is_accepted,
    becomes_an_nfse_that_the_xsd_accepts,
    has_the_base_that_was_worked_out_by_hand,
    has_the_tax_and_net_amount_if_the_city_has_the_rate_of_the_example,
)


class TestNotes:
    @pytest.mark.parametrize("file", NOTES)
    def test_example_is_accepted_with_its_amounts(self, file: str, trust: TrustedAuthorities) -> None:
        with case_of(file, trust) as case:
            ask_all(file, JudgedExample(file, case, golden_document(file).example.totals), CHECKS)


def event_is_accepted(file: str, trust: TrustedAuthorities) -> None:
    """Judges an event of a stored note."""
    root = golden_document(file).root
    now = datetime.fromisoformat(root.findtext(f".//{{{NAMESPACE}}}dhEvento", ""))
    request_context = context(trust, now)
    with closing(request_context.store):
        key = root.findtext(f".//{{{NAMESPACE}}}chNFSe", "")
        case = JudgedNoteEvent(root, AT_SEFIN, request_context, key)
        issuer = f"<CNPJ>{case.author}</CNPJ>"
        earlier = replace(document(AT_SEFIN, key, now), xml=declaration(issuer=issuer).encode())
        Ledger(request_context.store).keep_document(earlier)
        assert list(broken_by((*EVENT_SIGNATURE_RULES, *EVENT_RULES), case)) == []


class TestEvents:
    def test_event_examples_are_accepted(self, trust: TrustedAuthorities) -> None:
        check_all("events", {file: partial(event_is_accepted, file, trust) for file in EVENTS_OF_NOTES})
