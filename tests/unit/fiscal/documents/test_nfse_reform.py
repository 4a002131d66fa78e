"""IBS and CBS of an NFS-e: in which notes the group is written, with which values, and why it is left out."""

from typing import Any

import pytest

from carimbo.fiscal.parties.company import Company
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
    text_at,
)
from unit.fiscal.goods.support import SAO_PAULO

GROUP = "IBSCBS"
WHOLE = {"nbs": NBS, "borrower": FIRM}
"""All that the group needs besides."""
HERE = {"operationIndicator": "030101"}
"""An operation that is not taxed where the taker is."""
LEFT_OUT = "A nota sai sem IBS e CBS"


def group(**changes: Any) -> dict[str, str | None]:
    """Returns the elements of the reform in a declaration of the normal regime."""
    note = declared(body(**WHOLE | changes), by=NORMAL)
    tags = ("finNFSe", "indFinal", "cIndOp", "tpOper", "gRefNFSe/refNFSe", "indDest")
    situation = "valores/trib/gIBSCBS"
    texts = {tag: text_at(note, f"{GROUP}/{tag}") for tag in tags}
    texts |= {tag: text_at(note, f"{GROUP}/{situation}/{tag}") for tag in ("CST", "cClassTrib")}
    return {tag: text for tag, text in texts.items() if text is not None}


def left_out(**changes: Any) -> str:
    """Returns the warning of a note of the normal regime without the group."""
    result = composed(body(**changes), by=NORMAL)
    assert result.problems == ()
    assert result.note
    assert result.note.ibs_cbs is None
    (warning,) = [warning for warning in result.warnings if warning.startswith(LEFT_OUT)]
    return warning


class TestGroup:
    def test_group_has_its_defaults_in_the_normal_regime(self) -> None:
        assert group() == {
            "finNFSe": "0",
            "indFinal": "0",
            "cIndOp": "100501",
            "indDest": "0",
            "CST": "000",
            "cClassTrib": "000001",
        }

    def test_group_has_the_values_of_the_body(self) -> None:
        ibs_cbs = {
            "cst": "200",
            "taxClassCode": "200028",
            "operationIndicator": "030101",
            "personalUse": True,
        }
        texts = group(ibsCbs=ibs_cbs)
        assert (texts["CST"], texts["cClassTrib"]) == ("200", "200028")
        assert (texts["cIndOp"], texts["indFinal"]) == ("030101", "1")

    @pytest.mark.parametrize("by", [SIMPLES, APART, EXCESS, MEI])
    def test_group_is_not_written_for_simples(self, by: Company) -> None:
        assert not has(declared(body(**WHOLE), by=by), GROUP)

    @pytest.mark.parametrize("by", [SIMPLES, MEI])
    def test_group_is_written_for_simples_on_request(self, by: Company) -> None:
        assert has(declared(body(**WHOLE, ibsCbs={}), by=by), GROUP)

    def test_personal_use_is_the_default_for_a_natural_person(self) -> None:
        assert group(borrower=PERSON | {"address": SAO_PAULO})["indFinal"] == "1"
        ibs_cbs = {"personalUse": False}
        assert group(borrower=PERSON | {"address": SAO_PAULO}, ibsCbs=ibs_cbs)["indFinal"] == "0"

    def test_group_is_not_written_before_2026(self) -> None:
        result = composed(body(**WHOLE, issueDate="2025-12-31"), by=NORMAL)
        assert result.note
        assert (result.problems, result.note.ibs_cbs) == ((), None)
        assert has(declared(body(**WHOLE, issueDate="2026-01-01"), by=NORMAL), GROUP)

    def test_group_names_the_operation_type_and_other_notes(self) -> None:
        ibs_cbs = {"operationType": "2", "referencedKeys": [KEY]}
        texts = group(federalServiceCode="17.12", ibsCbs=ibs_cbs)
        assert (texts["tpOper"], texts["gRefNFSe/refNFSe"]) == ("2", KEY)

    def test_group_of_an_export_has_the_class_of_the_body(self) -> None:
        export = {"ibsCbs": {"cst": "410", "taxClassCode": "410004"}, "resultCountryCode": "US"}
        assert group(borrower=FOREIGNER, foreignTrade=TRADE, **export)["cClassTrib"] == "410004"


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
    def test_group_left_out_is_warned_of_with_the_missing_field(
        self, changes: dict[str, Any], field: str
    ) -> None:
        assert f"falta ou não serve {field}:" in left_out(**changes)

    def test_warning_names_every_missing_field(self) -> None:
        assert "falta ou não serve nbs, borrower.address:" in left_out()

    def test_missing_group_is_not_warned_of_where_it_is_optional(self) -> None:
        assert composed(body(iss={"rate": 0}), by=SIMPLES).warnings == ()


class TestRequestedGroup:
    @pytest.mark.parametrize(
        ("changes", "ibs_cbs", "refusal"),
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
    def test_requested_group_with_a_wrong_value_is_refused(
        self, by: Company, changes: dict[str, Any], ibs_cbs: dict[str, Any], refusal: tuple[str, str]
    ) -> None:
        assert refusals(body(**WHOLE | changes, ibsCbs=ibs_cbs), by=by) == {refusal}

    def test_requested_group_needs_no_taker_where_another_place_counts(self) -> None:
        assert refusals(body(nbs=NBS, borrower={"name": "Consumidor"}, ibsCbs=HERE), by=NORMAL) == set()

    def test_all_problems_of_a_requested_group_are_reported_at_once(self) -> None:
        ibs_cbs = {"cst": "999", "taxClassCode": "000001", "operationIndicator": "999999"}
        assert refusals(body(ibsCbs=ibs_cbs), by=NORMAL) == {
            ("E0958", "ibsCbs.taxClassCode"),
            ("E0959", "ibsCbs.taxClassCode"),
            ("E0901", "ibsCbs.operationIndicator"),
            ("E0322", "nbs"),
        }
