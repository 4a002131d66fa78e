"""Cancellations and correction letters of CT-e: what they are refused for before they are sent."""

from typing import Any

import pytest

from carimbo.fiscal.documents.cte.correction_rules import correction_problems
from carimbo.fiscal.documents.cte.events import CTE_CANCELLATION
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.layouts.cte_v4.events import CorrectedField
from unit.fiscal.documents.cte.bodies import FREIGHT, cte_key

SUBSTITUTION: dict[str, Any] = {"purpose": "substitution", "substitution": {"accessKey": cte_key(411)}}
FORBIDDEN = [
    "infCte/Id",
    "ide/serie",
    "ide/nCT",
    "ide/dhEmi",
    "ide/tpAmb",
    "ide/modal",
    "ide/CFOP",
    "ide/cMunIni",
    "toma3/toma",
    "toma4/CNPJ",
    "emit/CNPJ",
    "rem/CNPJ",
    "rem/IE",
    "dest/CPF",
    "dest/IE",
    "enderReme/UF",
    "enderDest/UF",
    "vPrest/vTPrest",
    "Comp/vComp",
    "ICMS00/vICMS",
    "ICMS60/pICMSSTRet",
    "ICMSOutraUF/vBCOutraUF",
    "ICMSUFFim/vICMSUFFim",
    "infNFe/chave",
]


def places(name: str, item_number: int | None = None) -> list[tuple[str, str]]:
    """Returns code and path of the problems of correcting `group/field`."""
    group, _, field = name.partition("/")
    correction = CorrectedField(group=group, field=field, value="1", item_number=item_number)
    return [(problem.code, problem.path) for problem in correction_problems([correction])]


class TestCorrection:
    @pytest.mark.parametrize("name", FORBIDDEN)
    def test_field_that_no_letter_may_correct_is_refused(self, name: str) -> None:
        assert places(name) == [("681", "corrections[0].field")]

    @pytest.mark.parametrize("name", ["compl/xObs", "ide/cMunFim", "enderDest/xLgr", "rodo/RNTRC"])
    def test_other_fields_may_be_corrected(self, name: str) -> None:
        assert places(name) == []

    def test_unknown_names_are_refused(self) -> None:
        assert places("infAdic/xObs") == [("525", "corrections[0].group")]
        assert places("compl/obs") == [("525", "corrections[0].field")]

    def test_only_a_repeated_group_has_positions(self) -> None:
        assert places("infQ/qCarga", 2) == []
        assert places("compl/xObs", 2) == [("522", "corrections[0].itemNumber")]


class TestCancellation:
    @pytest.mark.parametrize(("change", "is_refused"), [({}, False), (SUBSTITUTION, True)])
    def test_only_a_substitution_can_never_be_canceled(
        self, change: dict[str, Any], is_refused: bool
    ) -> None:
        assert CTE_CANCELLATION.forbidden_for
        reason = CTE_CANCELLATION.forbidden_for(CteRequest.model_validate(FREIGHT | change))
        assert (reason is not None) == is_refused
