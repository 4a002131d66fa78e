"""Every example of an NFS-e: the totals that were worked out by hand, and all that a declaration can have."""

from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from golden import FOLDER, Example, examples, reviewed
from lxml import etree

from carimbo.fiscal.company_file import read_json
from carimbo.fiscal.document_type import Preview, Review
from carimbo.fiscal.layouts.dps_v1.document import in_root, read_note, write
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, ServiceNote
from carimbo.fiscal.layouts.paths import locate
from carimbo.fiscal.layouts.signed_part import WrittenPart
from unit.fiscal.layout_places import local_name, places_in, places_not_in
from unit.fiscal.published_fields import NFSE, is_published

NOTES = [one for one in examples() if one.is_document and one.request.parent.name == "nfse"]
EVENTS = [one for one in examples() if one.request.parent.name == "events" and "nfse/" in one.file]
of_every_note = pytest.mark.parametrize("example", NOTES, ids=lambda example: example.file)

# What is told of the rate alone, and is no amount.
RATE = "issRate"

# Groups that no example shows, each by its place in the document; what would be inside is not listed.
REFORM = "infDPS/IBSCBS"
NOT_SHOWN = {
    # Our issuers tell no address of their own (E0128), and the total of their taxes in percent.
    "infDPS/prest/end",
    "infDPS/valores/trib/totTrib/vTotTrib",
    # No field of the body leads there.
    "infDPS/serv/infoCompl/gItemPed",
    f"{REFORM}/dest",
    f"{REFORM}/valores/gReeRepRes",
    f"{REFORM}/valores/trib/gIBSCBS/gTribRegular",
    f"{REFORM}/valores/trib/gIBSCBS/gDif",
    # Services of a building, an event or a property abroad, and persons between from abroad.
    "infDPS/interm/end/endExt",
    "infDPS/serv/obra/end/endExt",
    "infDPS/serv/atvEvento/end/endExt",
    f"{REFORM}/imovel/end/endExt",
}


@cache
def root_of(file: str) -> etree._Element:
    return etree.fromstring((FOLDER / file).with_suffix(".xml").read_bytes())


@cache
def review_of(file: str) -> Review:
    return reviewed(next(one for one in NOTES if one.file == file))


def preview_of(example: Example) -> Preview:
    preview = review_of(example.file).preview
    assert preview
    return preview


def shown(tag: str) -> set[str | None]:
    """Everything that the examples have in an element."""
    return {found.text for one in NOTES for found in root_of(one.file).iter(f"{{{NAMESPACE}}}{tag}")}


def body_of(example: Example) -> dict[str, Any]:
    body: dict[str, Any] = read_json(example.request)
    return body


class TestReviewOfANote:
    @of_every_note
    def test_finds_nothing_wrong_with_it(self, example: Example) -> None:
        assert review_of(example.file).problems == ()

    @of_every_note
    def test_has_its_text_without_the_signature(self, example: Example) -> None:
        signed, unsigned = example.xml.read_bytes(), preview_of(example).xml
        assert signed.partition(b"<Signature ")[0] + b"</DPS>" == unsigned

    @of_every_note
    def test_adds_up_to_what_was_worked_out_by_hand(self, example: Example) -> None:
        told = {name: amount for name, amount in preview_of(example).totals.items() if amount}
        assert told.pop(RATE, 0) == rate_of(example)
        assert told == example.totals

    @of_every_note
    def test_amounts_to_the_price_without_what_is_taken_off_for_good(self, example: Example) -> None:
        root = root_of(example.file)
        price = root.findtext(f".//{{{NAMESPACE}}}vServ", "")
        discount = root.findtext(f".//{{{NAMESPACE}}}vDescIncond", "0")
        charged = Decimal(price) - Decimal(discount)
        assert preview_of(example).amount == charged == example.totals["amount"]


def rate_of(example: Example) -> Decimal:
    """The rate that the body tells, or else the company."""
    company = read_json(FOLDER / example.company)
    iss = body_of(example).get("iss")
    return Decimal(iss["rate"] if iss else company["settings"]["nfse"]["issRate"])


class TestNote:
    @of_every_note
    def test_that_is_read_and_written_again_is_the_same(self, example: Example) -> None:
        again = write(read_note(example.xml.read_bytes()))
        assert isinstance(again, WrittenPart)
        assert in_root(again) == preview_of(example).xml


# What the program says of itself, and codes that follow from others: no field of the body tells them.
NOT_TOLD = {
    "environment", "issuedAt", "applicationVersion", "series", "number", "issuer", "suspension.kind",
    "totalTaxes.untold", "ibsCbs.purpose", "ibsCbs.recipientKind",
}  # fmt: skip


def steps_to(leaf: etree._Element, top: etree._Element) -> list[tuple[str, int]]:
    """The way down to an element: tags, and the place among equals."""
    way = [leaf, *leaf.iterancestors()]
    inside = reversed(way[: way.index(top)])
    return [(local_name(one), len(list(one.itersiblings(one.tag, preceding=True)))) for one in inside]


class TestElementOfANote:
    def test_leads_to_the_field_that_it_was_made_of(self) -> None:
        tops = [root_of(one.file)[0] for one in NOTES]
        leaves = [(leaf, top) for top in tops for leaf in top.iterdescendants() if not len(leaf)]
        paths = {locate(ServiceNote, steps_to(leaf, top)) for leaf, top in leaves}
        of_the_body = {path for path in paths if not path.startswith("company.")}
        assert {path for path in of_the_body if not is_published(path, NFSE)} == NOT_TOLD


class TestCoverageOfNotes:
    """Together the examples show everything that a declaration of ours can have."""

    def test_every_group_is_shown_but_those_listed(self) -> None:
        seen = {place for one in NOTES for place in places_in(root_of(one.file)[0])}
        assert set(places_not_in(seen, ServiceNote, "infDPS")) == NOT_SHOWN

    @pytest.mark.parametrize(
        ("tag", "values"),
        [
            ("opSimpNac", "1 2 3"),
            ("regApTribSN", "1 2"),
            ("regEspTrib", "0 6"),
            ("tribISSQN", "1 2 3 4"),
            ("tpRetISSQN", "1 2"),
            ("tpSusp", "1 2"),
            ("tpRetPisCofins", "0 3 8"),
            ("indFinal", "0 1"),
            ("tpDedRed", "2 7 8 99"),
            ("cMotivo", "05 99"),
        ],
    )
    def test_every_usual_code_is_shown(self, tag: str, values: str) -> None:
        assert shown(tag) == set(values.split())

    def test_the_rate_is_shown_told_and_untold_of_every_regime_that_may_tell_it(self) -> None:
        path = f"{{{NAMESPACE}}}prest/{{{NAMESPACE}}}regTrib/{{{NAMESPACE}}}opSimpNac"
        told = {
            (root[0].findtext(path), root.find(f".//{{{NAMESPACE}}}pAliq") is not None)
            for root in (root_of(one.file) for one in NOTES)
        }
        assert told == {("1", False), ("1", True), ("2", False), ("3", False), ("3", True)}

    def test_every_nature_of_operation_is_shown(self) -> None:
        assert {body_of(one).get("natureOfOperation", "1") for one in NOTES} == set("123456")

    def test_both_forms_are_shown(self) -> None:
        assert {"iss" in body_of(one) for one in NOTES} == {True, False}

    def test_takers_of_every_kind_are_shown(self) -> None:
        tags = ("CNPJ", "CPF", "NIF", "cNaoNIF")
        takers = [root_of(one.file).find(f".//{{{NAMESPACE}}}toma") for one in NOTES]
        kinds = {
            None
            if taker is None
            else next(tag for tag in tags if taker.find(f"{{{NAMESPACE}}}{tag}") is not None)
            for taker in takers
        }
        assert kinds == {None, *tags}

    def test_letters_are_shown_in_the_cnpj_of_everybody(self) -> None:
        root = root_of("nfse/letters.json")[0]
        for party in ("prest", "toma", "interm"):
            assert not root.findtext(f"{{{NAMESPACE}}}{party}/{{{NAMESPACE}}}CNPJ", "").isdigit()

    def test_every_reason_of_a_cancellation_is_shown(self) -> None:
        reasons = {root_of(one.file).findtext(f".//{{{NAMESPACE}}}cMotivo") for one in EVENTS}
        assert reasons == set("129")
