"""Whether a certificate may sign for a company at a moment."""

from datetime import UTC, datetime, timedelta

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.certificate_rules import certificate_problems
from carimbo.fiscal.sample_certificate import SampleAuthority
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.goods.support import CPF

BRANCH = "11222333000262"
FIRST = datetime(2026, 1, 10, 12, tzinfo=UTC)
LAST = datetime(2027, 1, 10, 12, tzinfo=UTC)
BETWEEN = datetime(2026, 11, 14, 13, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture(scope="module")
def certificate(authority: SampleAuthority) -> A1Certificate:
    issued = authority.issue_company(CNPJ, "LOJA MODELO LTDA", FIRST, LAST)
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture(scope="module")
def of_a_person(authority: SampleAuthority) -> A1Certificate:
    issued = authority.issue_person(CPF, "MARIA DA SILVA", FIRST, LAST)
    return A1Certificate.from_bundle(issued.to_pem())


def found(certificate: A1Certificate, tax_id: str = CNPJ, moment: datetime = BETWEEN) -> list[str]:
    problems = certificate_problems(certificate, tax_id, moment)
    assert {problem.path for problem in problems} <= {"company.certificate"}
    return [problem.code for problem in problems]


class TestOwner:
    @pytest.mark.parametrize("tax_id", [CNPJ, BRANCH, "11.222.333/0001-81"])
    def test_may_be_any_establishment_of_the_company(self, certificate: A1Certificate, tax_id: str) -> None:
        assert found(certificate, tax_id) == []

    def test_may_be_no_other_company(self, certificate: A1Certificate) -> None:
        (problem,) = certificate_problems(certificate, OTHER_CNPJ, BETWEEN)
        assert problem.code == "213"
        assert problem.message == "O certificado não é da empresa: o CNPJ base é outro."
        assert problem.hint == "Use o certificado da matriz ou de uma filial da empresa."

    def test_may_be_no_person(self, of_a_person: A1Certificate) -> None:
        assert found(of_a_person) == ["213"]


class TestValidity:
    @pytest.mark.parametrize("moment", [FIRST, BETWEEN, LAST])
    def test_holds_from_the_first_to_the_last_moment(
        self, certificate: A1Certificate, moment: datetime
    ) -> None:
        assert found(certificate, moment=moment) == []

    @pytest.mark.parametrize("moment", [FIRST - SECOND, LAST + SECOND])
    def test_does_not_hold_before_or_after(self, certificate: A1Certificate, moment: datetime) -> None:
        (problem,) = certificate_problems(certificate, CNPJ, moment)
        assert problem.code == "291"
        assert problem.message == "O certificado não vale na data da emissão; vence em 10/01/2027."

    def test_compares_moments_and_not_clocks(self, certificate: A1Certificate) -> None:
        assert found(certificate, moment=datetime.fromisoformat("2027-01-10T09:00:00-03:00")) == []
        assert found(certificate, moment=datetime.fromisoformat("2027-01-10T09:00:01-03:00")) == ["291"]

    def test_is_told_together_with_the_wrong_owner(self, certificate: A1Certificate) -> None:
        assert found(certificate, OTHER_CNPJ, LAST + SECOND) == ["213", "291"]
