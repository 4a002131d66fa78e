"""Companies that are made up for the simulator."""

from itertools import product

from pydantic import ValidationError

from carimbo.demo.sample_company import STATES, sample_company
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.geography import STATES as OFFICIAL_STATES
from carimbo.service.companies.company_bodies import NewCompany
from carimbo.service.companies.company_settings import CompanySettings
from carimbo.service.companies.state_registrations import NewStateRegistration
from carimbo.simulator.identifiers import is_cnpj


def test_there_is_a_company_for_every_state() -> None:
    assert set(STATES) == set(OFFICIAL_STATES)


def test_the_bodies_are_accepted_in_every_state() -> None:
    problems = {}
    for state, seed in product(STATES, (1, 2)):
        try:
            check_bodies(state, seed)
        except (ValidationError, AssertionError) as problem:
            problems[state] = str(problem)
    assert problems == {}


def check_bodies(state: str, seed: int) -> None:
    sample = sample_company(state, "Loja de Teste Ltda", seed)
    company = NewCompany.model_validate(sample.company)
    assert company.environment is Environment.HOMOLOGATION
    assert sample.company["address"]["cityCode"] is not None
    assert is_cnpj(company.tax_id)
    NewStateRegistration.model_validate(sample.state_registration)
    CompanySettings.model_validate(sample.settings)


def test_the_same_seed_gives_the_same_company_and_another_gives_another() -> None:
    first = sample_company("SP", "Loja", 1)
    assert sample_company("SP", "Loja", 1) == first
    second = sample_company("SP", "Loja", 2)
    assert second.company["taxId"] != first.company["taxId"]
    assert second.state_registration != first.state_registration
