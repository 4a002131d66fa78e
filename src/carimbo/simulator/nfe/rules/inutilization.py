"""Numbers to be voided (MOC 7.0, table 5-12)."""

from carimbo.fiscal.tables.authorizers import states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.nfe.range_case import RangeCase
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.limits import is_spent
from carimbo.simulator.sefaz.rules.signature import SIGNATURE_RULES
from carimbo.simulator.tax_ids import is_cnpj

SERVICE = "NFeInutilizacao4"
REFUSALS_OF_A_RANGE = 20
"""Within an hour."""
_MOST_NUMBERS = 10_000
_FIRST_YEAR = 6
_SERIES_OF_PEOPLE = range(910, 970)


def refused_too_often(case: RangeCase) -> bool:
    """NT 2018.002: the same range refused 20 times in an hour."""
    return is_spent(case.world, case.author, SERVICE, case.id, REFUSALS_OF_A_RANGE)


def state_of_another_authorizer(case: RangeCase) -> bool:
    """MOC 7.0, I02."""
    state = state_of_ibge(case.asked.text("cUF"))
    return state is None or state.code not in states_of(
        case.dialect.model_at(case.place), case.place.authorizer
    )


def receipts_among_invoices(case: RangeCase) -> bool:
    """The address is that of the services of NF-e."""
    return case.dialect.model_at(case.place) == NFE != case.asked.text("mod")


def invoices_among_receipts(case: RangeCase) -> bool:
    """The address is that of the services of NFC-e."""
    return case.dialect.model_at(case.place) == NFCE != case.asked.text("mod")


def series_of_people(case: RangeCase) -> bool:
    """MOC 7.0, I02a: series of issuers with a CPF."""
    return int(case.asked.text("serie")) in _SERIES_OF_PEOPLE


def year_to_come(case: RangeCase) -> bool:
    """MOC 7.0, I02b."""
    return int(case.asked.text("ano")) > case.world.now.year % 100


def year_before_all(case: RangeCase) -> bool:
    """MOC 7.0, I02c."""
    return int(case.asked.text("ano")) < _FIRST_YEAR


def issuer_with_wrong_digits(case: RangeCase) -> bool:
    """MOC 7.0, C02-10, as for documents."""
    return not is_cnpj(case.author)


def ends_before_it_begins(case: RangeCase) -> bool:
    """MOC 7.0, I03."""
    return case.voided().first_number > case.voided().last_number


def too_many_numbers(case: RangeCase) -> bool:
    """MOC 7.0, I04: 10,000 numbers."""
    return case.voided().last_number - case.voided().first_number >= _MOST_NUMBERS


def id_differs_from_its_fields(case: RangeCase) -> bool:
    """MOC 7.0, I04.a."""
    asked = case.voided()
    issuer = f"{asked.state_code}{asked.year}{asked.issuer}{asked.model}"
    return case.id != f"ID{issuer}{asked.series:03d}{asked.first_number:09d}{asked.last_number:09d}"


def voided_already(case: RangeCase) -> bool:
    """MOC 7.0, I07."""
    return case.is_repeated


def number_voided_already(case: RangeCase) -> bool:
    """MOC 7.0, I07a."""
    return case.overlapping is not None and not case.is_repeated


def number_in_use(case: RangeCase) -> bool:
    """MOC 7.0, I08."""
    return case.ledger.number_in_use(case.voided())


INUTILIZATION_RULES: tuple[Rule[RangeCase], ...] = (
    Rule("656", refused_too_often),
    *SIGNATURE_RULES,
    Rule("250", state_of_another_authorizer),
    Rule("450", receipts_among_invoices),
    Rule("775", invoices_among_receipts),
    Rule("266", series_of_people),
    Rule("453", year_to_come),
    Rule("454", year_before_all),
    Rule("207", issuer_with_wrong_digits),
    Rule("224", ends_before_it_begins),
    Rule("201", too_many_numbers),
    Rule("502", id_differs_from_its_fields),
    Rule("563", voided_already),
    Rule("256", number_voided_already),
    Rule("241", number_in_use),
)
