"""The issuer: who it is, and where."""

from carimbo.fiscal.tables.municipalities import MUNICIPALITIES
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.models import NFCE
from carimbo.simulator.rule import Rule
from carimbo.simulator.tax_ids import is_cnpj, is_cpf

_EXEMPT = "ISENTO"
_SERIES_OF_AUTHORITIES = range(890, 920)


def taxable_event_nowhere(case: Case) -> bool:
    """MOC 7.0, B12-10."""
    return case.text("ide/cMunFG") not in MUNICIPALITIES


def taxable_event_in_another_state(case: Case) -> bool:
    """MOC 7.0, B12-20."""
    return case.text("ide/cMunFG")[:2] != case.text("ide/cUF")


def wrong_company(case: Case) -> bool:
    """MOC 7.0, C02-10."""
    tax_id = case.text("emit/CNPJ")
    return bool(tax_id) and not is_cnpj(tax_id)


def wrong_person(case: Case) -> bool:
    """MOC 7.0, C02a-20."""
    tax_id = case.text("emit/CPF")
    return bool(tax_id) and not is_cpf(tax_id)


def issuer_nowhere(case: Case) -> bool:
    """MOC 7.0, C10-10."""
    return case.text("emit/enderEmit/cMun") not in MUNICIPALITIES


def issuer_in_a_city_of_another_state(case: Case) -> bool:
    """MOC 7.0, C10-20."""
    return case.text("emit/enderEmit/cMun")[:2] != case.text("ide/cUF")


def issuer_in_another_state(case: Case) -> bool:
    """MOC 7.0, C12-10."""
    state = state_of_ibge(case.text("ide/cUF"))
    return state is not None and case.text("emit/enderEmit/UF") != state.code


def without_registration(case: Case) -> bool:
    """MOC 7.0, C17-10."""
    return not case.text("emit/IE").strip("0")


def exempt_from_registration(case: Case) -> bool:
    """MOC 7.0, C17-30: only what is issued on the site of an authority may say so."""
    on_site = case.model != NFCE and int(case.text("ide/serie")) in _SERIES_OF_AUTHORITIES
    return case.text("emit/IE") == _EXEMPT and not on_site


ISSUER_RULES: tuple[Rule[Case], ...] = (
    Rule("270", taxable_event_nowhere),
    Rule("271", taxable_event_in_another_state),
    Rule("207", wrong_company),
    Rule("401", wrong_person),
    Rule("272", issuer_nowhere),
    Rule("273", issuer_in_a_city_of_another_state),
    Rule("247", issuer_in_another_state),
    Rule("229", without_registration),
    Rule("554", exempt_from_registration),
)
