"""IBS and CBS of an NFS-e: who tells them, with what, and what keeps them from being told."""

from typing import Any

import pytest

from carimbo.fiscal.company import Company
from unit.fiscal.documents.nfse_support import (
    APART,
    EXCESS,
    FIRM,
    FOREIGNER,
    KEY,
    MEI,
    NBS,
    NORMAL,
    PERSON,
    SIMPLES,
    TRADE,
    body,
    composed,
    declared,
    has,
    refusals,
    said,
)
from unit.fiscal.goods.support import SAO_PAULO

GROUP = "IBSCBS"
WHOLE = {"nbs": NBS, "borrower": FIRM}
"""All that the group needs besides."""
HERE = {"operationIndicator": "030101"}
"""An operation that is not taxed where the taker is."""
LEFT_OUT = "A nota sai sem IBS e CBS"


def group(**changes: Any) -> dict[str, str | None]:
    """What a declaration of the normal regime says of the reform."""
    note = declared(body(**WHOLE | changes), by=NORMAL)
    tags = ("finNFSe", "indFinal", "cIndOp", "tpOper", "gRefNFSe/refNFSe", "indDest")
    situation = "valores/trib/gIBSCBS"
    found = {tag: said(note, f"{GROUP}/{tag}") for tag in tags}
    found |= {tag: said(note, f"{GROUP}/{situation}/{tag}") for tag in ("CST", "cClassTrib")}
    return {tag: text for tag, text in found.items() if text is not None}


def left_out(**changes: Any) -> str:
    """What is warned of when a note of the normal regime goes without the group."""
    made = composed(body(**changes), by=NORMAL)
    assert made.problems == ()
    assert made.note
    assert made.note.ibs_cbs is None
    (warning,) = [one for one in made.warnings if one.startswith(LEFT_OUT)]
    return warning


class TestGroup:
    def test_has_its_defaults_in_the_normal_regime(self) -> None:
        assert group() == {
            "finNFSe": "0",
            "indFinal": "0",
            "cIndOp": "100501",
            "indDest": "0",
            "CST": "000",
            "cClassTrib": "000001",
        }

    def test_has_what_is_told(self) -> None:
        told = {"cst": "200", "taxClassCode": "200028", "operationIndicator": "030101", "personalUse": True}
        found = group(ibsCbs=told)
        assert (found["CST"], found["cClassTrib"]) == ("200", "200028")
        assert (found["cIndOp"], found["indFinal"]) == ("030101", "1")

    @pytest.mark.parametrize("by", [SIMPLES, APART, EXCESS, MEI])
    def test_is_not_told_of_simples(self, by: Company) -> None:
        assert not has(declared(body(**WHOLE), by=by), GROUP)

    @pytest.mark.parametrize("by", [SIMPLES, MEI])
    def test_is_told_of_simples_when_it_is_asked_for(self, by: Company) -> None:
        assert has(declared(body(**WHOLE, ibsCbs={}), by=by), GROUP)

    def test_is_of_personal_use_for_a_person(self) -> None:
        assert group(borrower=PERSON | {"address": SAO_PAULO})["indFinal"] == "1"
        told = {"personalUse": False}
        assert group(borrower=PERSON | {"address": SAO_PAULO}, ibsCbs=told)["indFinal"] == "0"

    def test_is_not_told_before_there_was_any(self) -> None:
        made = composed(body(**WHOLE, issueDate="2025-12-31"), by=NORMAL)
        assert made.note
        assert (made.problems, made.note.ibs_cbs) == ((), None)
        assert has(declared(body(**WHOLE, issueDate="2026-01-01"), by=NORMAL), GROUP)

    def test_names_the_type_of_the_operation_and_other_notes(self) -> None:
        told = {"operationType": "2", "referencedKeys": [KEY]}
        found = group(federalServiceCode="17.12", ibsCbs=told)
        assert (found["tpOper"], found["gRefNFSe/refNFSe"]) == ("2", KEY)

    def test_of_an_export_has_the_taker_abroad(self) -> None:
        told = {"ibsCbs": {"cst": "410", "taxClassCode": "410004"}, "resultCountryCode": "US"}
        assert group(borrower=FOREIGNER, foreignTrade=TRADE, **told)["cClassTrib"] == "410004"


class TestGroupLeftOut:
    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"borrower": FIRM}, "nbs"),
            ({"nbs": NBS}, "borrower.address"),
            ({"nbs": NBS, "borrower": {"name": "Consumidor"}}, "borrower.taxId"),
            ({"federalServiceCode": "17.12", **WHOLE}, "ibsCbs.operationType"),
        ],
    )
    def test_is_warned_of_with_what_is_missing(self, changes: dict[str, Any], field: str) -> None:
        assert f"falta ou não serve {field}:" in left_out(**changes)

    def test_names_everything_that_is_missing(self) -> None:
        assert "falta ou não serve nbs, borrower.address:" in left_out()

    def test_is_not_warned_of_where_nobody_has_to_tell_it(self) -> None:
        assert composed(body(iss={"rate": 0}), by=SIMPLES).warnings == ()


class TestGroupAskedFor:
    @pytest.mark.parametrize(
        ("changes", "asked", "refusal"),
        [
            ({"nbs": None}, {}, ("E0322", "nbs")),
            ({"borrower": {"name": "Consumidor"}}, {}, ("E0187", "borrower.taxId")),
            ({"borrower": PERSON}, {}, ("E0234", "borrower.address")),
            ({"issueDate": "2025-12-31"}, {}, ("E0850", "ibsCbs")),
            ({}, {"taxClassCode": "000003"}, ("E0958", "ibsCbs.taxClassCode")),
            ({}, {"cst": "200"}, ("E0959", "ibsCbs.taxClassCode")),
            ({}, {"operationIndicator": "999999"}, ("E0901", "ibsCbs.operationIndicator")),
            ({"federalServiceCode": "17.12"}, {}, ("E0903", "ibsCbs.operationType")),
            ({}, {"operationType": "1"}, ("E0904", "ibsCbs.operationType")),
            ({"federalServiceCode": "17.12"}, {"operationType": "3"}, ("E0905", "ibsCbs.referencedKeys")),
            (
                {"federalServiceCode": "17.12"},
                {"operationType": "1", "referencedKeys": [KEY]},
                ("E0906", "ibsCbs.referencedKeys"),
            ),
        ],
    )
    @pytest.mark.parametrize("by", [NORMAL, SIMPLES])
    def test_is_refused_where_something_is_wrong(
        self, by: Company, changes: dict[str, Any], asked: dict[str, Any], refusal: tuple[str, str]
    ) -> None:
        assert refusals(body(**WHOLE | changes, ibsCbs=asked), by=by) == {refusal}

    def test_needs_no_taker_where_another_place_counts(self) -> None:
        assert refusals(body(nbs=NBS, borrower={"name": "Consumidor"}, ibsCbs=HERE), by=NORMAL) == set()

    def test_tells_all_that_is_wrong_at_once(self) -> None:
        asked = {"cst": "999", "taxClassCode": "000001", "operationIndicator": "999999"}
        assert refusals(body(ibsCbs=asked), by=NORMAL) == {
            ("E0958", "ibsCbs.taxClassCode"),
            ("E0959", "ibsCbs.taxClassCode"),
            ("E0901", "ibsCbs.operationIndicator"),
            ("E0322", "nbs"),
        }
