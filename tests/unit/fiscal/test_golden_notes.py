"""The examples of NFS-e together: all that a declaration has, and the field of each element."""

from lxml import etree

from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, ServiceNote
from carimbo.fiscal.layouts.json_form import path_of_tags
from unit.fiscal.layout_places import local_name, places_in, places_not_in
from unit.fiscal.published_fields import NFSE, is_published
from unit.golden_documents import EVENTS_OF_NOTES, NOTES, golden_document

# Groups that no example has, each by its place in the document; groups inside them are not listed.
REFORM = "infDPS/IBSCBS"
NOT_SHOWN = {
    # Our issuers write no address of their own (E0128), and the total of their taxes in percent.
    "infDPS/prest/end",
    "infDPS/valores/trib/totTrib/vTotTrib",
    # No field of the body leads there.
    "infDPS/serv/infoCompl/gItemPed",
    f"{REFORM}/dest",
    f"{REFORM}/valores/gReeRepRes",
    f"{REFORM}/valores/trib/gIBSCBS/gTribRegular",
    f"{REFORM}/valores/trib/gIBSCBS/gDif",
    # Services of a building, an event or a property abroad, and intermediaries abroad.
    "infDPS/interm/end/endExt",
    "infDPS/serv/obra/end/endExt",
    "infDPS/serv/atvEvento/end/endExt",
    f"{REFORM}/imovel/end/endExt",
}


USUAL_CODES = {
    "opSimpNac": "1 2 3",
    "regApTribSN": "1 2",
    "regEspTrib": "0 6",
    "tribISSQN": "1 2 3 4",
    "tpRetISSQN": "1 2",
    "tpSusp": "1 2",
    "tpRetPisCofins": "0 3 8",
    "indFinal": "0 1",
    "tpDedRed": "2 7 8 99",
    "cMotivo": "05 99",
}


def root_of(file: str) -> etree._Element:
    return golden_document(file).root


def shown(tag: str) -> set[str | None]:
    """Returns every text that the examples have in an element."""
    return {element.text for file in NOTES for element in root_of(file).iter(f"{{{NAMESPACE}}}{tag}")}


# Facts about the program itself, and codes that follow from others: no field of the body has them.
NOT_IN_BODY = {
    "environment", "issuedAt", "applicationVersion", "series", "number", "issuer", "suspension.kind",
    "totalTaxes.untold", "ibsCbs.purpose", "ibsCbs.recipientKind",
}  # fmt: skip


def steps_to(leaf: etree._Element, top: etree._Element) -> list[tuple[str, int]]:
    """Returns the steps down to an element: tags, and the position among equal ones."""
    way = [leaf, *leaf.iterancestors()]
    inside = reversed(way[: way.index(top)])
    return [
        (local_name(element), len(list(element.itersiblings(element.tag, preceding=True))))
        for element in inside
    ]


class TestElementOfANote:
    def test_element_of_a_note_leads_to_its_field(self) -> None:
        tops = [root_of(file)[0] for file in NOTES]
        leaves = [(leaf, top) for top in tops for leaf in top.iterdescendants() if not len(leaf)]
        paths = {path_of_tags(ServiceNote, steps_to(leaf, top)) for leaf, top in leaves}
        of_the_body = {path for path in paths if not path.startswith("company.")}
        assert {path for path in of_the_body if not is_published(path, NFSE)} == NOT_IN_BODY


class TestCoverageOfNotes:
    """Together the examples show everything that a declaration of ours can have."""

    def test_examples_show_every_group_except_the_listed_ones(self) -> None:
        seen = {place for file in NOTES for place in places_in(root_of(file)[0])}
        assert set(places_not_in(seen, ServiceNote, "infDPS")) == NOT_SHOWN

    def test_every_usual_code_is_shown(self) -> None:
        assert {tag: shown(tag) for tag in USUAL_CODES} == {
            tag: set(codes.split()) for tag, codes in USUAL_CODES.items()
        }

    def test_notes_with_and_without_a_rate_are_shown_for_every_regime_that_allows_it(self) -> None:
        path = f"{{{NAMESPACE}}}prest/{{{NAMESPACE}}}regTrib/{{{NAMESPACE}}}opSimpNac"
        rates = {
            (root[0].findtext(path), root.find(f".//{{{NAMESPACE}}}pAliq") is not None)
            for root in (root_of(file) for file in NOTES)
        }
        assert rates == {("1", False), ("1", True), ("2", False), ("3", False), ("3", True)}

    def test_every_nature_of_operation_is_shown(self) -> None:
        assert {golden_document(file).body.get("natureOfOperation", "1") for file in NOTES} == set("123456")

    def test_both_forms_are_shown(self) -> None:
        assert {"iss" in golden_document(file).body for file in NOTES} == {True, False}

    def test_takers_of_every_kind_are_shown(self) -> None:
        tags = ("CNPJ", "CPF", "NIF", "cNaoNIF")
        takers = [root_of(file).find(f".//{{{NAMESPACE}}}toma") for file in NOTES]
        kinds = {
            None
            if taker is None
            else next(tag for tag in tags if taker.find(f"{{{NAMESPACE}}}{tag}") is not None)
            for taker in takers
        }
        assert kinds == {None, *tags}

    def test_letters_in_the_cnpj_are_shown_for_every_party(self) -> None:
        root = root_of("nfse/letters.json")[0]
        for party in ("prest", "toma", "interm"):
            assert not root.findtext(f"{{{NAMESPACE}}}{party}/{{{NAMESPACE}}}CNPJ", "").isdigit()

    def test_every_reason_of_a_cancellation_is_shown(self) -> None:
        reasons = {root_of(file).findtext(f".//{{{NAMESPACE}}}cMotivo") for file in EVENTS_OF_NOTES}
        assert reasons == set("129")
