"""Rules about the certificate that signs for a company at a moment."""

from datetime import UTC, datetime, timedelta

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate, certificate_problems
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
def persons_certificate(authority: SampleAuthority) -> A1Certificate:
    issued = authority.issue_person(CPF, "MARIA DA SILVA", FIRST, LAST)
    return A1Certificate.from_bundle(issued.to_pem())


def codes_of(certificate: A1Certificate, tax_id: str = CNPJ, moment: datetime = BETWEEN) -> list[str]:
    problems = certificate_problems(certificate, tax_id, moment)
    assert {problem.path for problem in problems} <= {"company.certificate"}
    return [problem.code for problem in problems]


class TestOwner:
    @pytest.mark.parametrize("tax_id", [CNPJ, BRANCH, "11.222.333/0001-81"])
    def test_owner_may_be_any_establishment_of_the_company(
        self, certificate: A1Certificate, tax_id: str
    ) -> None:
        assert codes_of(certificate, tax_id) == []

    def test_certificate_of_another_company_is_refused(self, certificate: A1Certificate) -> None:
        (problem,) = certificate_problems(certificate, OTHER_CNPJ, BETWEEN)
        assert problem.code == "213"
        assert problem.message == "O certificado não é da empresa: o CNPJ base é outro."
        assert problem.hint == "Use o certificado da matriz ou de uma filial da empresa."

    def test_certificate_of_a_natural_person_is_refused(self, persons_certificate: A1Certificate) -> None:
        assert codes_of(persons_certificate) == ["213"]


class TestValidity:
    @pytest.mark.parametrize("moment", [FIRST, BETWEEN, LAST])
    def test_certificate_is_valid_from_the_first_to_the_last_moment(
        self, certificate: A1Certificate, moment: datetime
    ) -> None:
        assert codes_of(certificate, moment=moment) == []

    @pytest.mark.parametrize("moment", [FIRST - SECOND, LAST + SECOND])
    def test_certificate_is_invalid_outside_its_validity(
        self, certificate: A1Certificate, moment: datetime
    ) -> None:
        (problem,) = certificate_problems(certificate, CNPJ, moment)
        assert problem.code == "291"
        assert problem.message == "O certificado não vale na data da emissão; vence em 10/01/2027."

    def test_validity_compares_moments_across_time_zones(self, certificate: A1Certificate) -> None:
        assert codes_of(certificate, moment=datetime.fromisoformat("2027-01-10T09:00:00-03:00")) == []
        assert codes_of(certificate, moment=datetime.fromisoformat("2027-01-10T09:00:01-03:00")) == ["291"]

    def test_invalid_date_is_reported_together_with_the_wrong_owner(self, certificate: A1Certificate) -> None:
        assert codes_of(certificate, OTHER_CNPJ, LAST + SECOND) == ["213", "291"]
