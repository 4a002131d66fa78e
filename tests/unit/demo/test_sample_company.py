"""Companies that are made up for the simulator."""

from itertools import product

from pydantic import ValidationError

from carimbo.demo.sample_company import STATES, sample_company
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.states import STATES as OFFICIAL_STATES
from carimbo.service.companies import NewCompany
from carimbo.service.company_settings import CompanySettings
from carimbo.service.state_registrations import NewStateRegistration
from carimbo.simulator.tax_ids import is_cnpj


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
    made = sample_company(state, "Loja de Teste Ltda", seed)
    company = NewCompany.model_validate(made.company)
    assert company.environment is Environment.HOMOLOGATION
    assert made.company["address"]["cityCode"] is not None
    assert is_cnpj(company.tax_id)
    NewStateRegistration.model_validate(made.state_registration)
    CompanySettings.model_validate(made.settings)


def test_the_same_seed_gives_the_same_company_and_another_gives_another() -> None:
    first = sample_company("SP", "Loja", 1)
    assert sample_company("SP", "Loja", 1) == first
    second = sample_company("SP", "Loja", 2)
    assert second.company["taxId"] != first.company["taxId"]
    assert second.state_registration != first.state_registration
