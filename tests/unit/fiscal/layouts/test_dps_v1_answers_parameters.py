"""Answers of the national environment about municipalities."""

from decimal import Decimal

import pytest

import nfse_answers as nfse
from carimbo.fiscal.layouts.dps_v1.answers import read_agreement, read_rate
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import Cause, Throttled
from unit.fiscal.layouts.outcomes import cause

CITY = "3509502"
SERVICE = "01.07.01.000"
PROBLEM = (
    b'{"type":"https://tools.ietf.org/html/rfc9110","title":"One or more validation errors occurred.",'
    b'"status":400,"errors":{"competencia":["The value is not valid."]}}'
)


class TestAnAgreement:
    @pytest.mark.parametrize(
        ("emitter", "uses"), [(1, True), ("1", True), (0, False), (-1, False), (None, False), (True, False)]
    )
    def test_agreement_in_force_says_whether_the_national_emitter_is_used(
        self, emitter: object, uses: bool
    ) -> None:
        assert read_agreement(200, nfse.agreed(emitter), CITY) == Agreement(CITY, True, uses)

    def test_agreement_is_missing_if_the_service_says_so(self) -> None:
        assert read_agreement(404, nfse.NO_AGREEMENT, CITY) == Agreement(CITY, False, False)

    @pytest.mark.parametrize(
        ("status", "answer", "reason"),
        [
            (404, nfse.PAGE, Cause.HTML),
            (404, b"", Cause.EMPTY),
            (200, nfse.NO_AGREEMENT, Cause.UNEXPECTED_ANSWER),
            (200, b"{}", Cause.UNEXPECTED_ANSWER),
            (200, b"", Cause.EMPTY),
            (400, nfse.NO_AGREEMENT, Cause.UNEXPECTED_ANSWER),
            (496, nfse.PAGE, Cause.CERTIFICATE_NOT_ACCEPTED),
            (503, nfse.PAGE, Cause.HTTP_STATUS),
        ],
    )
    def test_agreement_is_not_judged_by_a_failure(self, status: int, answer: bytes, reason: Cause) -> None:
        assert cause(read_agreement(status, answer, CITY)) is reason

    def test_query_for_an_agreement_may_be_throttled(self) -> None:
        assert isinstance(read_agreement(429, nfse.PAGE, CITY), Throttled)


class TestARate:
    @pytest.mark.parametrize(
        ("written", "rate"), [("5.00", "5.00"), ("2", "2"), ("2.5", "2.5"), ('"3.10"', "3.10")]
    )
    def test_rate_is_exact(self, written: str, rate: str) -> None:
        assert read_rate(200, nfse.rates(written), CITY, SERVICE) == MunicipalRate(
            CITY, SERVICE, Decimal(rate)
        )

    def test_rate_is_missing_if_the_municipality_has_none(self) -> None:
        answer = '{"aliquotas":null,"mensagem":"Alíquotas não encontradas."}'.encode()
        assert read_rate(404, answer, CITY, SERVICE) == MunicipalRate(CITY, SERVICE, None)

    @pytest.mark.parametrize("written", ["null", "-1", "1e9", '"cinco"', "true", "NaN"])
    def test_rate_is_missing_if_its_value_is_impossible(self, written: str) -> None:
        assert read_rate(200, nfse.rates(written), CITY, SERVICE) == MunicipalRate(CITY, SERVICE, None)

    @pytest.mark.parametrize(
        ("status", "answer", "reason"),
        [
            (200, nfse.rates("5", service="01.08.01.000"), Cause.UNEXPECTED_ANSWER),
            (200, nfse.rates("5", "2"), Cause.UNEXPECTED_ANSWER),
            (200, nfse.rates(), Cause.UNEXPECTED_ANSWER),
            (200, b"[]", Cause.UNEXPECTED_ANSWER),
            (404, nfse.PAGE, Cause.HTML),
            (400, PROBLEM, Cause.UNEXPECTED_ANSWER),
            (500, nfse.PAGE, Cause.HTTP_STATUS),
        ],
    )
    def test_rate_is_not_judged_by_a_failure(self, status: int, answer: bytes, reason: Cause) -> None:
        assert cause(read_rate(status, answer, CITY, SERVICE)) is reason
