"""Which fields a correction letter may change."""

import pytest

from carimbo.fiscal.documents.cte.events import CORRECTABLE_FIELDS
from carimbo.fiscal.documents.cteos.events import CORRECTABLE_FIELDS as CORRECTABLE_OS_FIELDS
from carimbo.fiscal.layouts.cte_v4.events import CorrectedField

FORBIDDEN = [
    ("infCte", "Id"),
    ("ide", "serie"),
    ("ide", "modal"),
    ("ide", "CFOP"),
    ("ide", "dhEmi"),
    ("ide", "cMunIni"),
    ("toma3", "toma"),
    ("toma4", "CNPJ"),
    ("rem", "CNPJ"),
    ("dest", "IE"),
    ("enderDest", "UF"),
    ("vPrest", "vTPrest"),
    ("vPrest", "vRec"),
    ("Comp", "vComp"),
    ("ICMS00", "vBC"),
    ("ICMSUFFim", "vBCUFFim"),
    ("IBSCBS", "cClassTrib"),
    ("gCBS", "pCBS"),
    ("imp", "vTotDFe"),
    ("infNFe", "chave"),
    ("toma4", "toma"),
    ("enderToma", "UF"),
    ("infCteSub", "chCte"),
]
# Notes, quantities, cargo, the road mode, and parties that decide on no tax.
ALLOWED = [
    ("compl", "xObs"),
    ("infQ", "tpMed"),
    ("infCarga", "proPred"),
    ("rodo", "RNTRC"),
    ("receb", "CNPJ"),
    # Containers have a group with the same tag.
    ("infNFe", "dPrev"),
    ("infNFe", "unidRat"),
]


def problems(group: str, field: str, item_number: int | None = None) -> list[tuple[str, str]]:
    """Returns code and path of the problems of one correction."""
    correction = CorrectedField(group=group, field=field, value="1", item_number=item_number)
    return [(problem.code, problem.path) for problem in CORRECTABLE_FIELDS.problems([correction])]


@pytest.mark.parametrize(("group", "field"), FORBIDDEN)
def test_field_that_decides_on_tax_or_parties_is_refused(group: str, field: str) -> None:
    assert problems(group, field) == [("681", "corrections[0].field")]


@pytest.mark.parametrize(("group", "field"), ALLOWED)
def test_other_field_is_accepted(group: str, field: str) -> None:
    assert problems(group, field) == []


@pytest.mark.parametrize(
    ("group", "field", "codes"),
    [
        ("infServico", "xDescServ", []),
        ("Comp", "xNome", []),
        ("Comp", "xComp", []),
        ("toma", "CNPJ", ["681"]),
        ("infTribFed", "vINSS", ["681"]),
        ("infDocRef", "chBPe", ["681"]),
        ("infCarga", "proPred", ["525"]),
    ],
)
def test_letter_of_a_cte_os_has_fields_of_its_own(group: str, field: str, codes: list[str]) -> None:
    letter = [CorrectedField(group=group, field=field, value="1")]
    assert [problem.code for problem in CORRECTABLE_OS_FIELDS.problems(letter)] == codes


@pytest.mark.parametrize(
    ("group", "field", "path"),
    [
        ("compl", "xNome", "field"),
        ("observacoes", "xObs", "group"),
        ("infCTeNorm", "infCarga", "field"),
    ],
)
def test_name_that_the_layout_does_not_have_is_refused(group: str, field: str, path: str) -> None:
    assert problems(group, field) == [("525", f"corrections[0].{path}")]


def test_number_of_a_group_that_does_not_repeat_is_refused() -> None:
    assert problems("infQ", "tpMed", 1) == []
    assert problems("compl", "xObs", 1) == [("522", "corrections[0].itemNumber")]


def test_all_problems_are_reported_at_once() -> None:
    names = [("ide", "CFOP"), ("compl", "xObs"), ("compl", "xNome")]
    letter = [CorrectedField(group=group, field=field, value="1") for group, field in names]
    refused = [(problem.code, problem.path) for problem in CORRECTABLE_FIELDS.problems(letter)]
    assert refused == [("681", "corrections[0].field"), ("525", "corrections[2].field")]
