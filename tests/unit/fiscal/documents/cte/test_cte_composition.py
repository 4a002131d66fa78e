"""Fields that a CT-e lacks or that contradict each other, and values that follow from other fields."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.cte.document import compose
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.settings import CteSettings
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.cte_v4.road import Road
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceIcms00, ServiceIcmsOfAnotherState, ServiceIcmsOfSimples
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import MISSING_FIELD
from unit.fiscal.documents.cte.bodies import (
    CARRIER,
    CURITIBA,
    FREIGHT,
    PREVIOUS,
    SHIPPER,
    SIMPLES_CARRIER,
)
from unit.fiscal.documents.cte.breaking import SETTINGS, Breaking, emission, judge
from unit.fiscal.goods import support
from unit.fiscal.rules.breaking import GONE, changed

CARGO_UNIT = {"type": "container", "id": "ABCD1234567"}
LOCAL = {"municipalityEndIbge": "3509502"}
BETWEEN_DATES = {"dateMode": "between", "startDate": "2026-11-25", "endDate": "2026-11-26"}
TO_NOBODY = {"taker": "recipient", "takerContribution": "none"}


def breaking(path: str, body: dict[str, Any], good: str = "freight", code: str = "215") -> Any:
    """A request that can't be composed, and the code and path that must report it."""
    return pytest.param(Breaking(code, path, good, body), id=path)


REFUSED = [
    breaking("municipalityStartIbge", {"municipalityStartIbge": GONE}, code=MISSING_FIELD),
    breaking("shipper.taxId", {"shipper.taxId": GONE}, code=MISSING_FIELD),
    breaking("shipper.address.city", {"shipper.address.city": GONE}, code=MISSING_FIELD),
    breaking("takerParty", {"taker": "other"}, code=MISSING_FIELD),
    breaking("cargo.predominantProduct", {"cargo.predominantProduct": GONE}, code=MISSING_FIELD),
    breaking("cargo.quantities", {"cargo.quantities": []}, code=MISSING_FIELD),
    breaking("icms.rate", LOCAL | {"cfop": GONE, "icms": {"cst": "00"}}),
    breaking("icms.baseReduction", {"icms": {"cst": "20", "rate": 12}}),
    breaking("icms.otherState", {"icms": {"cst": "00", "rate": 12, "otherState": True}}),
    breaking("icms.benefitCode", {"icms": {"cst": "40", "exemptedAmount": 10}}),
    breaking("icms.exemptedAmount", {"icms": {"cst": "40", "benefitCode": "SP800001"}}),
    breaking("icms.rate", {"icms": {"cst": "40", "rate": 12}}),
    breaking("ibsCbs.taxClassCode", {"ibsCbs": {"cst": "200"}}),
    breaking("documents", {"documents.others": [{"type": "declaration"}]}),
    breaking(
        "documents.nfes[0].cargoUnits",
        {
            "documents.nfes[0].cargoUnits": [CARGO_UNIT],
            "documents.nfes[0].transportUnits": [{"type": "tractor", "id": "ABC1D23"}],
        },
    ),
    breaking("previousDocuments[0]", {"previousDocuments[0].accessKeys": []}, "subcontracting"),
    breaking("icms.exemptedAmount", {"icms": {"cst": "00", "rate": 12, "exemptedAmount": 5}}),
    breaking("delivery.date", {"delivery": {"dateMode": "on"}}),
    breaking("delivery.date", {"delivery": {"date": "2026-11-25"}}),
    breaking("delivery.endTime", {"delivery": {"timeMode": "between", "startTime": "08:00"}}),
    breaking("delivery.endDate", {"delivery": BETWEEN_DATES | {"endDate": "2026-11-24"}}),
]


@pytest.mark.parametrize("wrong", REFUSED)
def test_mistake_is_reported_at_its_field(wrong: Breaking, signer: Signer) -> None:
    assert judge(wrong, signer).places == [(wrong.code, wrong.path)]


def test_all_mistakes_of_a_delivery_are_reported_at_once(signer: Signer) -> None:
    wrong = Breaking("", "", body={"delivery": {"dateMode": "on", "timeMode": "at"}})
    assert judge(wrong, signer).places == [("215", "delivery.date"), ("215", "delivery.time")]


@pytest.mark.parametrize(
    ("code", "path", "body"),
    [
        ("542", "municipalityEndIbge", {"municipalityEndIbge": "3300000", "icms": {}, "cfop": GONE}),
        ("IBS_CBS_CLASS", "ibsCbs.taxClassCode", {"ibsCbs": {"taxClassCode": "999999", "cbs": {"rate": 5}}}),
        (MISSING_FIELD, "takerParty", {"taker": "other", "cfop": GONE}),
    ],
)
def test_consequences_of_a_mistake_are_not_reported(
    code: str, path: str, body: dict[str, Any], signer: Signer
) -> None:
    judged = judge(Breaking(code, path, body=body), signer)
    assert judged.places == [(code, path)]
    assert not any(warning.startswith("stateShare") for warning in judged.warnings)


def test_unknown_rate_of_cbs_is_not_a_wrong_class(signer: Signer) -> None:
    january = emission(issued_at=datetime.fromisoformat("2027-01-04T08:30:00-03:00"))
    wrong = Breaking("", "", body={"ibsCbs": {"taxClassCode": "000001"}}, under=january)
    assert judge(wrong, signer).places == [("RATE_UNKNOWN", "ibsCbs.cbs.rate")]


def composed(
    signer: Signer, changes: dict[str, Any], company: dict[str, Any] = CARRIER
) -> tuple[Waybill, tuple[str, ...]]:
    """Returns the CT-e of a changed freight, and the warnings."""
    carrier = Company.model_validate(company)
    issuance = support.issuance(signer, SETTINGS, by=carrier, under=emission())
    composition = compose(CteRequest.model_validate(changed(FREIGHT, changes)), issuance)
    assert composition.problems == ()
    assert composition.document is not None
    return composition.document, composition.warnings


@pytest.mark.parametrize(
    ("changes", "cfop"),
    [
        ({}, "6353"),
        (LOCAL, "5353"),
        (TO_NOBODY, "6357"),
        ({"serviceType": "subcontracting", "previousDocuments": PREVIOUS}, "6351"),
        ({"icms": {"cst": "60", "rate": 12}}, "6360"),
        ({"municipalityStartIbge": "4106902"}, "6932"),
        ({"municipalityStartIbge": "4106902", "municipalityEndIbge": "3550308"}, "6932"),
        ({"municipalityStartIbge": "4106902", "municipalityEndIbge": "4113700"}, "5932"),
        ({"municipalityEndIbge": "9999999", "ibsCbs": {"taxClassCode": "410004"}}, "7358"),
    ],
)
def test_usual_cfop_follows_from_places_service_and_taker(
    changes: dict[str, Any], cfop: str, signer: Signer
) -> None:
    waybill, warnings = composed(signer, {"cfop": GONE, **changes})
    assert waybill.identification.cfop == cfop
    # Only a taker that trades could be of industry, energy or another kind as well.
    is_guess = cfop.endswith("353")
    assert (
        any(warning.startswith(f"cfop: CFOP não informado: usado {cfop}") for warning in warnings) is is_guess
    )


class TestIcms:
    @pytest.mark.parametrize(("city", "rate"), [("3304557", 12), ("2927408", 7)])
    def test_rate_between_states_is_known(self, city: str, rate: int, signer: Signer) -> None:
        changes = {"municipalityEndIbge": city, "icms": {}}
        waybill, warnings = composed(signer, changes)
        icms = waybill.taxes.icms
        assert isinstance(icms, ServiceIcms00)
        assert [icms.base, icms.rate, icms.amount] == [1000, rate, rate * 10]
        assert [warning.partition(":")[0] for warning in warnings] == ["icms.cst", "icms.rate"]

    def test_given_values_have_priority(self, signer: Signer) -> None:
        waybill, _ = composed(signer, {"icms": {"cst": "00", "base": 900, "rate": 10, "amount": 90.01}})
        icms = waybill.taxes.icms
        assert isinstance(icms, ServiceIcms00)
        assert [icms.base, icms.rate, icms.amount] == [900, 10, Decimal("90.01")]

    def test_carrier_of_simples_informs_no_amounts(self, signer: Signer) -> None:
        waybill, _ = composed(signer, {"icms": {}, **TO_NOBODY}, SIMPLES_CARRIER)
        assert waybill.taxes.icms == ServiceIcmsOfSimples()
        assert (waybill.taxes.state_share, waybill.taxes.ibs_cbs) == (None, None)

    def test_service_that_starts_in_another_state_owes_its_icms_there(self, signer: Signer) -> None:
        changes = {"municipalityStartIbge": "4106902", "cfop": "6932", "icms": {"rate": 12}}
        waybill, _ = composed(signer, changes)
        assert isinstance(waybill.taxes.icms, ServiceIcmsOfAnotherState)


class TestShareOfTheEndState:
    def test_share_of_a_taker_that_does_not_contribute_is_computed(self, signer: Signer) -> None:
        reduced = {"cst": "20", "rate": 12, "baseReduction": 20}
        waybill, warnings = composed(signer, {**TO_NOBODY, "cfop": "6357", "icms": reduced})
        share = waybill.taxes.state_share
        assert share is not None
        # The reduction of the state where the service starts does not reduce this base.
        assert [share.base, share.interstate_rate, share.origin_amount] == [1000, 12, 0]
        assert share.destination_amount == (share.internal_rate - 12) * 10
        assert share.fcp_amount == share.fcp_rate * 10
        assert warnings[0].startswith("stateShare: O tomador não é contribuinte, e o ICMS de RJ")
        # IBS and CBS are due on the price without all ICMS.
        assert waybill.taxes.ibs_cbs is not None
        assert waybill.taxes.ibs_cbs.by_rate is not None
        assert waybill.taxes.ibs_cbs.by_rate.base == 1000 - 96 - share.destination_amount - share.fcp_amount

    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"takerContribution": "none", "cfop": "6357"},
            {"taker": "other", "takerParty": SHIPPER | {"stateRegistration": None}, "cfop": "6357"},
            {**TO_NOBODY, **LOCAL, "cfop": "5357"},
            {**TO_NOBODY, "cfop": "6357", "icms": {"cst": "40"}},
        ],
        ids=[
            "contributor",
            "paid by the sender",
            "by the sender in another role",
            "within a state",
            "exempt",
        ],
    )
    def test_no_other_service_has_a_share(self, changes: dict[str, Any], signer: Signer) -> None:
        waybill, _ = composed(signer, changes)
        assert waybill.taxes.state_share is None


class TestTheRntrc:
    def test_request_has_priority_over_the_settings(self, signer: Signer) -> None:
        waybill, _ = composed(signer, {"rntrc": "ISENTO"})
        assert waybill.service is not None
        assert waybill.service.mode.content == Road(rntrc="ISENTO")

    def test_it_is_required_if_the_settings_have_none(self, signer: Signer) -> None:
        carrier = Company.model_validate(CARRIER)
        issuance = support.issuance(signer, CteSettings(), by=carrier, under=emission())
        problems = compose(CteRequest.model_validate(FREIGHT), issuance).problems
        assert [(problem.code, problem.path) for problem in problems] == [(MISSING_FIELD, "rntrc")]

    def test_it_comes_from_the_settings(self, signer: Signer) -> None:
        waybill, _ = composed(signer, {})
        assert waybill.service is not None
        assert waybill.service.mode.content == Road(rntrc=SETTINGS.rntrc or "")


@pytest.mark.parametrize(
    ("taker", "contribution", "warned"),
    [
        (SHIPPER, "1", False),
        (SHIPPER | {"stateRegistration": None}, "9", False),
        (SHIPPER | {"stateRegistration": "ISENTO"}, "9", True),
        (SHIPPER | {"stateRegistration": "isento", "address": CURITIBA}, "2", False),
    ],
    ids=["with a number", "without registration", "exempt in São Paulo", "exempt in Paraná"],
)
def test_tax_status_of_the_taker_follows_from_its_registration(
    taker: dict[str, Any], contribution: str, *, warned: bool, signer: Signer
) -> None:
    waybill, warnings = composed(signer, {"shipper": taker, "cfop": "6357"})
    assert waybill.identification.taker_contribution == contribution
    assert any(warning.startswith("takerContribution: ") for warning in warnings) is warned


def test_long_name_of_a_component_is_cut_with_a_warning(signer: Signer) -> None:
    component = {"name": "TAXA DE COLETA E ENTREGA", "amount": 1000}
    waybill, warnings = composed(signer, {"components": [component]})
    assert waybill.price.components[0].name == "TAXA DE COLETA"
    assert [warning.partition(":")[0] for warning in warnings] == ["components[0].name"]


def test_price_without_components_is_one_component(signer: Signer) -> None:
    waybill, _ = composed(signer, {"components": GONE})
    price = waybill.price
    assert [(part.name, part.amount) for part in price.components] == [("FRETE VALOR", Decimal(1000))]
    assert price.receivable_amount == 1000
