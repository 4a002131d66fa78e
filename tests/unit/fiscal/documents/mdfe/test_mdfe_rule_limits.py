"""Limits and exceptions of the rules of MDF-e, and mistakes that must not be reported twice."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.problems import MISSING_FIELD
from support import CNPJ
from unit.fiscal.documents.cte.bodies import CARRIER, ISSUED_AT, cte_key, nfe_key
from unit.fiscal.documents.cte.breaking import Breaking, emission
from unit.fiscal.documents.mdfe.bodies import GOOD, SAO_PAULO, own_nfe_key
from unit.fiscal.documents.mdfe.breaking import new_warnings, places, review
from unit.fiscal.documents.mdfe.breakings_cargo import (
    BARCODE,
    IN_PARANA,
    OFFLINE,
    PARTIAL,
    RESPONSIBLE,
    details,
    partial_service,
)
from unit.fiscal.documents.mdfe.breakings_road import BEFORE_THE_CIOT, payment
from unit.fiscal.rules.breaking import GONE

ABROAD = {"ufEnd": GONE, "documents": [{"cityCode": "9999999", "nfeAccessKeys": [own_nfe_key(1)]}]}
TO_CAMPINAS = {"cityCode": "3509502", "nfeAccessKeys": [own_nfe_key(1)]}
ON_SAFE_PAPER = nfe_key(412, CNPJ, model="57", emission_type="5")
OLD_PAPER = own_nfe_key(1, emission_type="2")
WITHOUT_CIOT: dict[str, Any] = {
    "modal.ciots": [],
    "tripStartsAt": GONE,
    "documents": [
        {
            "cityCode": "3106200",
            "nfeAccessKeys": [own_nfe_key(1, month="2608"), own_nfe_key(2, month="2608")],
        }
    ],
}
ACCEPTED = {
    "clocks differ by five minutes": Breaking("", "", "own cargo", now=ISSUED_AT - timedelta(minutes=5)),
    "issued a day ago": Breaking("", "", "own cargo", now=ISSUED_AT + timedelta(hours=24)),
    "issued offline a week ago": Breaking(
        "", "", "own cargo", under=OFFLINE, now=ISSUED_AT + timedelta(hours=168)
    ),
    "last series before those of persons": Breaking("", "", "own cargo", under=emission(series=919)),
    "first series after those of persons": Breaking("", "", "own cargo", under=emission(series=970)),
    "trip that starts with the issue": Breaking(
        "", "", "own cargo", {"tripStartsAt": "2026-11-24T08:30:00-03:00"}
    ),
    "responsible in a state that requires one": Breaking(
        "", "", "own cargo", {"techResponsible": RESPONSIBLE}, IN_PARANA
    ),
    "states that touch": Breaking("", "", "own cargo", {"route": []}),
    "detour": Breaking("", "", "own cargo", {"route": ["RJ", "ES"]}),
    "end abroad": Breaking("", "", "own cargo", ABROAD),
    "foreign plate in a trip abroad": Breaking(
        "", "", "own cargo", ABROAD | {"modal.vehicle.plate": "ABC123"}
    ),
    "plate of the older form": Breaking("", "", "own cargo", {"modal.vehicle.plate": "abc-1234"}),
    "tractor with two trailers": Breaking(
        "",
        "",
        "carrier",
        {"modal.trailers[1]": {"plate": "QRS1A23", "tareKg": 1, "capacityKg": 1, "bodyType": "open"}},
    ),
    "waybill of six months ago": Breaking(
        "", "", "carrier", {"documents[1].cteAccessKeys[0]": cte_key(414, month="2605")}
    ),
    "invoice of six months ago": Breaking(
        "", "", "own cargo", {"documents[0].nfeAccessKeys[0]": own_nfe_key(1, month="2605")}
    ),
    "invoice of a rural producer": Breaking(
        "", "", "own cargo", {"documents[0].nfeAccessKeys[0]": nfe_key(1, "00052998224725")}
    ),
    "invoice of a company whose CNPJ has letters": Breaking(
        "", "", "own cargo", {"documents[0].nfeAccessKeys[0]": nfe_key(1, "12ABC34501DE35")}
    ),
    "invoice in two municipalities of a state": Breaking(
        "",
        "",
        "own cargo",
        {"ufEnd": GONE, "documents": [TO_CAMPINAS, TO_CAMPINAS | {"cityCode": SAO_PAULO}]},
    ),
    "own cargo with a single document": Breaking(
        "", "", "own cargo", {"ufEnd": GONE, "documents": [TO_CAMPINAS]}
    ),
    "partial delivery by air": Breaking(
        "", "", "by air", details({"accessKey": cte_key(412), "partialDelivery": PARTIAL})
    ),
    "partial service": Breaking("", "", "carrier", partial_service(nfe_key(1), nfe_key(2, month="2605"))),
    "second bar code of a waybill": Breaking(
        "",
        "",
        "carrier",
        {"documents[0].cteAccessKeys[0]": ON_SAFE_PAPER}
        | details({"accessKey": ON_SAFE_PAPER, "secondBarcode": BARCODE}),
    ),
    "second bar code of an invoice": Breaking(
        "",
        "",
        "own cargo",
        {"documents[0].nfeAccessKeys[0]": OLD_PAPER}
        | details({"accessKey": OLD_PAPER, "secondBarcode": BARCODE}),
    ),
    "insurance of own cargo without a policy": Breaking(
        "", "", "own cargo", {"insurance": [{"responsible": "issuer"}]}
    ),
    "carrier by air without insurance": Breaking("", "", "by air", {"predominantProduct": GONE}),
    "later loading without weight": Breaking("", "", "later loading", {"cargoQuantity": 0}),
    "later loading in the same municipality": Breaking(
        "", "", "later loading", {"documents": [{"cityCode": SAO_PAULO}], "ufEnd": "SP"}
    ),
    "operation code instead of a contractor": Breaking("", "", "carrier", {"modal.contractors": []}),
    "payer of the toll instead of a contractor": Breaking(
        "", "", "carrier", {"modal.contractors": [], "modal.ciots": []}, under=BEFORE_THE_CIOT
    ),
    "the company itself as contractor": Breaking(
        "", "", "full load", {"modal.contractors": [{"taxId": CNPJ}]}
    ),
    "carrier type of the owner": Breaking("", "", "full load", {"carrierType": "tac"}),
    "components within a cent": payment("", "", {"components[1].amount": 250.01}),
    "installments within a cent": payment("", "", {"installments[1].amount": 999.99}),
    "installment on the day of issue": payment("", "", {"installments[0].dueDate": "2026-11-24"}),
    "contract amount that is not given": payment("", "", {"contractAmount": GONE}),
    "term that is not given": payment("", "", {"term": GONE}),
    "advance that may be paid early": payment("", "", {"allowsEarlyAdvance": True}),
    "payment to an institution": payment("", "", {"pixKey": GONE, "ipefTaxId": "88999000000198"}),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_request_at_the_limit_is_accepted(case: str, signer: Signer) -> None:
    assert places(ACCEPTED[case], signer) == []
    assert new_warnings(ACCEPTED[case], signer) == []


class TestTheOperationCode:
    """The days from which hired transport by road needs a CIOT."""

    @pytest.mark.parametrize(
        ("environment", "issued_at"),
        [
            (Environment.HOMOLOGATION, "2026-09-20T23:59:59-03:00"),
            (Environment.PRODUCTION, "2026-09-21T00:00:00-03:00"),
            (Environment.PRODUCTION, "2026-11-22T23:59:59-03:00"),
        ],
    )
    def test_before_its_day_it_may_be_missing(
        self, environment: Environment, issued_at: str, signer: Signer
    ) -> None:
        assert self.places(environment, issued_at, signer) == []

    @pytest.mark.parametrize(
        ("environment", "issued_at"),
        [
            (Environment.HOMOLOGATION, "2026-09-21T00:00:00-03:00"),
            (Environment.PRODUCTION, "2026-11-23T00:00:00-03:00"),
        ],
    )
    def test_from_its_day_on_it_is_required(
        self, environment: Environment, issued_at: str, signer: Signer
    ) -> None:
        assert self.places(environment, issued_at, signer) == [("684", "modal.ciots")]

    def places(self, environment: Environment, issued_at: str, signer: Signer) -> list[tuple[str, str]]:
        under = emission(environment=environment, issued_at=datetime.fromisoformat(issued_at))
        return places(Breaking("", "", "own cargo on a hired vehicle", WITHOUT_CIOT, under=under), signer)


@pytest.mark.parametrize(
    ("good", "changes", "paths"),
    [
        ("own cargo", {"municipalityStartIbge": GONE, "ufStart": GONE}, ["municipalityStartIbge"]),
        ("carrier", {"municipalityStartIbge": GONE, "ufStart": GONE}, ["municipalityStartIbge"]),
        ("later loading", {"municipalityStartIbge": GONE, "ufStart": GONE}, ["municipalityStartIbge"]),
        ("later loading", {"documents": [{}]}, ["documents[0].cityCode"]),
        ("own cargo", {"documents[0].cityCode": GONE, "ufEnd": GONE}, ["documents[0].cityCode"]),
        ("own cargo", {"documents[1].cityCode": GONE}, ["documents[1].cityCode"]),
    ],
)
def test_missing_municipality_breaks_no_rule_as_well(
    good: str, changes: dict[str, Any], paths: list[str], signer: Signer
) -> None:
    assert places(Breaking("", "", good, changes), signer) == [(MISSING_FIELD, path) for path in paths]


@pytest.mark.parametrize(
    ("good", "changes", "expected"),
    [
        (
            "own cargo",
            {
                "drivers": GONE,
                "modal.vehicle.bodyType": GONE,
                "documents": GONE,
                "cargoTotalAmount": GONE,
                "cargoQuantity": GONE,
            },
            [
                (MISSING_FIELD, "drivers"),
                (MISSING_FIELD, "modal.vehicle.bodyType"),
                (MISSING_FIELD, "documents"),
                (MISSING_FIELD, "cargoTotalAmount"),
                (MISSING_FIELD, "cargoQuantity"),
            ],
        ),
        (
            "full load",
            {
                "modal.vehicle.owner.type": GONE,
                "modal.ciots": [],
                "predominantProduct.fullLoad": {"loading": {}, "unloading": {}},
                "insurance": [],
            },
            [
                (MISSING_FIELD, "modal.vehicle.owner.type"),
                ("215", "predominantProduct.fullLoad.loading"),
                ("215", "predominantProduct.fullLoad.unloading"),
                ("684", "modal.ciots"),
                ("698", "insurance"),
            ],
        ),
        (
            "carrier",
            {
                "documents[0].cteAccessKeys": ["1", "2"],
                "loadingCityCodes": ["3500000"],
                "modal.vehicle.plate": "ABC123",
                "modal.trailers[0].owner": {"taxId": "52998224725", "name": "João", "rntrc": "87654321"},
            },
            [
                (MISSING_FIELD, "modal.trailers[0].owner.type"),
                ("405", "loadingCityCodes[0]"),
                ("601", "documents[0].cteAccessKeys[0]"),
                ("601", "documents[0].cteAccessKeys[1]"),
                ("646", "modal.vehicle.plate"),
            ],
        ),
    ],
)
def test_all_mistakes_are_reported_at_once(
    good: str, changes: dict[str, Any], expected: list[tuple[str, str]], signer: Signer
) -> None:
    assert places(Breaking("", "", good, changes), signer) == expected


class TestMessages:
    def message(self, breaking: Breaking, signer: Signer) -> str:
        (problem,) = review(breaking, signer).problems
        return problem.message

    def test_reason_of_an_invalid_key_is_named(self, signer: Signer) -> None:
        wrong = {"documents[0].nfeAccessKeys[0]": nfe_key(1, model="65")}
        assert self.message(Breaking("", "", "own cargo", wrong), signer) == (
            "A chave da NF-e é inválida. A chave é de um documento de modelo 65, e aqui cabe o modelo 55."
        )

    def test_term_of_the_date_of_issue_is_named(self, signer: Signer) -> None:
        late = ISSUED_AT + timedelta(days=8)
        normal, offline = (
            Breaking("", "", "own cargo", now=late),
            Breaking("", "", "own cargo", under=OFFLINE, now=late),
        )
        assert self.message(normal, signer) == "A data de emissão tem mais de 24 horas."
        assert self.message(offline, signer) == "A data de emissão tem mais de 168 horas."

    def test_sums_of_a_payment_are_named(self, signer: Signer) -> None:
        components = payment("", "", {"components[1].amount": 251})
        assert self.message(components, signer) == "Os componentes somam 3251.00, e o contrato tem 3250.00."
        advance = payment("", "", {"advanceAmount": 1250.5})
        assert self.message(advance, signer) == (
            "As parcelas e o adiantamento somam 3250.50, e o contrato tem 3250.00."
        )


class TestTheLayout:
    @pytest.mark.parametrize(
        ("code", "good", "path", "value"),
        [
            ("215", "own cargo", "seals[0]", "Ω"),
            ("215", "own cargo", "additional.notes", "Ω"),
            ("215", "carrier", "insurance[1].endorsements[0]", "Ω"),
            ("580", "carrier", "modal.vehicle.code", "Ω"),
            ("580", "carrier", "modal.contractors[1].name", "Ωμ"),
            ("580", "carrier", "drivers[1].name", "Ωμ"),
            ("580", "full load", "payments[0].pixKey", "Ωμ"),
            ("580", "payment in cash", "payments[0].bank.branch", "Ω"),
            ("580", "by air", "modal.nationality", "Ω"),
            ("580", "by water", "modal.convoy[0].name", "Ω"),
        ],
    )
    def test_value_that_cannot_be_written_has_the_code_of_its_part(
        self, code: str, good: str, path: str, value: Any, signer: Signer
    ) -> None:
        assert places(Breaking("", "", good, {path: value}), signer) == [(code, path)]

    def test_detail_that_cannot_be_written_is_reported_where_the_caller_has_it(self, signer: Signer) -> None:
        goods = {"unNumber": "1203", "quantity": "1000 L", "riskClass": "Ω"}
        key = GOOD["own cargo"]["documents"][0]["nfeAccessKeys"][0]
        details = [{"accessKey": key, "dangerousGoods": [goods]}]
        place = "documents[0].details[0].dangerousGoods[0].riskClass"
        assert places(Breaking("", "", "own cargo", {"documents[0].details": details}), signer) == [
            ("215", place)
        ]

    def test_driver_that_cannot_be_written_is_reported_in_the_mode_if_he_is_there(
        self, signer: Signer
    ) -> None:
        changes = {"drivers": [], "modal.drivers": [{"name": "Ωμ", "taxId": "52998224725"}]}
        assert places(Breaking("", "", "own cargo", changes), signer) == [("580", "modal.drivers[0].name")]

    @pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
    @pytest.mark.parametrize(
        ("code", "good", "path"),
        [("215", "own cargo", "tripStartsAt"), ("580", "by rail", "modal.train.departedAt")],
    )
    def test_moment_at_the_edge_of_the_calendar_is_refused(
        self, code: str, good: str, path: str, moment: str, signer: Signer
    ) -> None:
        assert places(Breaking("", "", good, {path: moment}), signer) == [(code, path)]


class TestHiredVehicle:
    @pytest.mark.parametrize("good", ["own cargo", "carrier"])
    def test_issuer_as_owner_is_a_single_mistake(self, good: str, signer: Signer) -> None:
        owner = {"taxId": CARRIER["taxId"], "name": "Alvorada", "rntrc": "12345678"}
        assert places(Breaking("", "", good, {"modal.vehicle.owner": owner}), signer) == [
            ("740", "modal.vehicle.owner")
        ]

    def test_later_loading_needs_no_product(self, signer: Signer) -> None:
        changes = {"modal": GOOD["own cargo on a hired vehicle"]["modal"]}
        assert places(Breaking("", "", "later loading", changes), signer) == []
