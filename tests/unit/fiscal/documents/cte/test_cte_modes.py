"""The modes of transport of a CT-e: which body each has, what it lacks, and what follows from it."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.body.messages import in_portuguese, json_path
from carimbo.fiscal.documents.cte.document import compose
from carimbo.fiscal.documents.cte.modes.road import RoadBody
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.cte_v4.air import Air, CargoNature
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceIcms00
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import MISSING_FIELD
from unit.fiscal.documents.cte.bodies import (
    AIR,
    CARRIER,
    CONTAINER,
    FREIGHT,
    MULTIMODAL,
    PIPELINE,
    RAIL,
    WATER,
    cte_key,
)
from unit.fiscal.documents.cte.breaking import SETTINGS, Breaking, emission, judge, new_warnings
from unit.fiscal.documents.cte.breakings_cargo import PAPER
from unit.fiscal.goods import support
from unit.fiscal.rules.breaking import GONE, changed

CONTAINERS_BY_WATER = "part of a multimodal transport by water"
CODES = {"air": "02", "water": "03", "rail": "04", "pipeline": "05", "multimodal": "06"}
RAILWAY = "modal.mutualTraffic.railways[0]"


def composed(signer: Signer, changes: dict[str, Any]) -> tuple[Waybill, tuple[str, ...]]:
    """Returns the document of the usual freight with changes, and the warnings."""
    request = CteRequest.model_validate(changed(FREIGHT, changes))
    carrier = Company.model_validate(CARRIER)
    composition = compose(request, support.issuance(signer, SETTINGS, by=carrier, under=emission()))
    assert composition.problems == ()
    assert composition.document is not None
    return composition.document, composition.warnings


class TestKind:
    @pytest.mark.parametrize("modal", [{}, {"kind": None}, {"kind": ""}, {"kind": "road", "tariff": None}])
    def test_body_without_a_kind_is_that_of_road(self, modal: dict[str, Any]) -> None:
        assert CteRequest.model_validate(FREIGHT | {"modal": modal}).modal == RoadBody()

    @pytest.mark.parametrize("modal", [AIR, WATER, RAIL, PIPELINE, MULTIMODAL], ids=lambda body: body["kind"])
    def test_kind_decides_about_the_body_and_the_code(self, modal: dict[str, Any], signer: Signer) -> None:
        request = CteRequest.model_validate(FREIGHT | {"modal": modal})
        assert request.modal.kind == modal["kind"]
        assert CteRequest.model_validate(FREIGHT | {"modal": request.modal}).modal == request.modal
        waybill, _ = composed(signer, {"modal": modal})
        assert waybill.identification.mode == CODES[modal["kind"]]

    @pytest.mark.parametrize(
        ("modal", "path", "message"),
        [
            (
                {"kind": "space"},
                "modal.kind",
                "Valor inválido: use 'road' ou 'air' ou 'water' ou 'rail' ou 'pipeline' ou 'multimodal'.",
            ),
            ({"kind": ["air"]}, "modal.kind", None),
            ("air", "modal", "Deve ser um objeto JSON."),
            ({"kind": "air", "traffic": "own"}, "modal.traffic", None),
            (AIR | {"dimensions": "120x80"}, "modal.dimensions", None),
            (AIR | {"handlingCodes": ["16"]}, "modal.handlingCodes[0]", None),
            (AIR | {"tariff": {"class": "M", "amount": 1}}, "modal.tariff.class", None),
            (WATER | {"ferries": list("1234")}, "modal.ferries", "Deve ter no máximo 3 itens."),
            (WATER | {"tripNumber": "012"}, "modal.tripNumber", None),
            (PIPELINE | {"tariff": 0}, "modal.tariff", "Deve ser maior que 0."),
            (PIPELINE | {"tariff": 0.0000001}, "modal.tariff", "Deve ter no máximo 6 casas decimais."),
            (PIPELINE | {"ductClass": "4"}, "modal.ductClass", None),
            (RAIL | {"traffic": "visiting"}, "modal.traffic", None),
            (MULTIMODAL | {"negotiable": "no"}, "modal.negotiable", "Deve ser true ou false."),
        ],
    )
    def test_wrong_value_is_refused_at_its_field(self, modal: Any, path: str, message: str | None) -> None:
        with pytest.raises(ValidationError) as refused:
            CteRequest.model_validate(FREIGHT | {"modal": modal})
        (error,) = refused.value.errors()
        assert json_path(error["loc"]) == path
        assert message in (None, in_portuguese(error))


class TestRequiredFields:
    @pytest.mark.parametrize(
        ("kind", "names"),
        [
            ("air", ["expectedDeliveryDate", "tariff"]),
            ("water", ["afrmmBase", "afrmmAmount", "vesselName", "direction", "irin"]),
            ("rail", ["traffic", "flow"]),
            ("pipeline", ["startDate", "endDate"]),
            ("multimodal", ["cotm", "negotiable"]),
        ],
    )
    def test_all_missing_fields_of_a_mode_are_reported(
        self, kind: str, names: list[str], signer: Signer
    ) -> None:
        judged = judge(Breaking("", "", body={"modal": {"kind": kind}}), signer)
        assert judged.places == [(MISSING_FIELD, f"modal.{name}") for name in names]

    def test_railway_needs_its_municipality(self, signer: Signer) -> None:
        wrong = Breaking("", "", "by rail", {f"{RAILWAY}.address.city": GONE})
        assert judge(wrong, signer).places == [(MISSING_FIELD, f"{RAILWAY}.address.city")]


class TestContent:
    def test_nature_of_the_cargo_is_written_even_without_content(self, signer: Signer) -> None:
        bare = {"modal.dimensions": GONE, "modal.handlingCodes": GONE}
        judged = judge(Breaking("", "", "by air", bare), signer)
        assert judged.problems == ()
        waybill, _ = composed(signer, {"modal": changed(AIR, {"dimensions": GONE, "handlingCodes": GONE})})
        assert waybill.service
        assert isinstance(waybill.service.mode.content, Air)
        assert waybill.service.mode.content.nature == CargoNature()

    @pytest.mark.parametrize(
        ("good", "path", "value"),
        [
            ("by air", "modal.tariff.code", "Ω"),
            ("by water", "modal.vesselName", "Ω"),
            (CONTAINERS_BY_WATER, "modal.containers[0].seals[1]", "Ω"),
            ("by rail", f"{RAILWAY}.name", "Ωμ"),
            ("by pipeline", "modal.entryPoint", "Ωμ"),
            ("by several modes", "modal.insurance.insurerName", "Ω"),
        ],
    )
    def test_value_that_the_xsd_of_the_mode_refuses_is_reported(
        self, good: str, path: str, value: str, signer: Signer
    ) -> None:
        assert judge(Breaking("", "", good, {path: value}), signer).places == [("580", path)]


class TestLimits:
    def test_pipeline_may_have_invoices_on_paper(self, signer: Signer) -> None:
        papers = {"documents": {"papers": [PAPER]}}
        assert new_warnings(Breaking("", "", "by pipeline", papers), signer) == []
        assert new_warnings(Breaking("", "", "by rail", papers), signer) == [("540", "documents.papers")]

    @pytest.mark.parametrize("kind", ["water", "rail", "multimodal"])
    def test_some_modes_may_be_complemented_for_two_years(self, kind: str, signer: Signer) -> None:
        body = {"modal": {"kind": kind}, "complementedAccessKeys": [cte_key(412, month="2411")]}
        assert judge(Breaking("", "", "complement", body), signer).problems == ()

    @pytest.mark.parametrize(("kind", "months"), [("air", "12"), ("pipeline", "12"), ("rail", "24")])
    def test_term_of_a_complement_is_in_the_message(self, kind: str, months: str, signer: Signer) -> None:
        body = {"modal": {"kind": kind}, "complementedAccessKeys": [cte_key(412, month="2410")]}
        (problem,) = judge(Breaking("", "", "complement", body), signer).problems
        assert problem.message == f"O CT-e complementado tem mais de {months} meses."

    def test_cubic_metres_replace_the_dimensions(self, signer: Signer) -> None:
        volume = [{"unit": "M3", "quantity": 0.576}]
        body = {"modal.dimensions": GONE, "cargo.quantities": volume}
        assert new_warnings(Breaking("", "", "by air", body), signer) == []

    def test_notes_explain_handling_codes(self, signer: Signer) -> None:
        body = {"modal.handlingCodes": ["06"], "notes": "Gelo seco: 5 kg"}
        assert new_warnings(Breaking("", "", "by air", body), signer) == []

    def test_origin_may_bill_and_issue_without_another_waybill(self, signer: Signer) -> None:
        mutual = {"billedBy": "origin", "issuedBy": "origin", "freightAmount": 10}
        body = {"modal.mutualTraffic": mutual}
        assert judge(Breaking("", "", "by rail", body), signer).problems == ()

    def test_containers_may_have_no_invoices(self, signer: Signer) -> None:
        body = {"modal.containers": [{"id": "MSCU1234567"}, CONTAINER | {"id": "MSCU7654321"}]}
        assert judge(Breaking("", "", CONTAINERS_BY_WATER, body), signer).problems == ()


class TestIcmsByAir:
    def test_interstate_rate_to_a_contributor_is_4_percent_with_a_warning(self, signer: Signer) -> None:
        waybill, warnings = composed(signer, {"modal": AIR, "icms": {"cst": "00"}})
        icms = waybill.taxes.icms
        assert isinstance(icms, ServiceIcms00)
        assert icms.rate == 4
        assert icms.amount == 40
        assert [warning for warning in warnings if "Resolução do Senado 95/1996" in warning]

    def test_given_rate_wins(self, signer: Signer) -> None:
        waybill, warnings = composed(signer, {"modal": AIR})
        assert isinstance(waybill.taxes.icms, ServiceIcms00)
        assert waybill.taxes.icms.rate == 12
        assert warnings == ()

    def test_rate_to_others_must_be_given(self, signer: Signer) -> None:
        body = {"modal": AIR, "takerContribution": "none", "cfop": "6357", "icms": {"cst": "00"}}
        assert judge(Breaking("", "", body=body), signer).places == [("215", "icms.rate")]

    def test_share_of_the_other_state_uses_the_rate_of_the_icms(self, signer: Signer) -> None:
        to_consumer = {"taker": "recipient", "takerContribution": "none", "cfop": "6357"}
        waybill, _ = composed(signer, {"modal": AIR, "icms": {"cst": "00", "rate": 4}} | to_consumer)
        share = waybill.taxes.state_share
        assert share is not None
        assert share.interstate_rate == 4
        assert share.destination_amount == (share.internal_rate - 4) * Decimal(10)
