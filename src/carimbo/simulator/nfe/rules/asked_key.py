"""The key that a consult, an event or a distribution is about (MOC 7.0, J02 and P12)."""

from typing import Protocol

from carimbo.fiscal.tables.authorizers import states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.family import World
from carimbo.simulator.keys import has_right_digit
from carimbo.simulator.nfe.case import NFCE, NFE
from carimbo.simulator.nfe.contingency import model_of
from carimbo.simulator.nfe.key_parts import ISSUER, MODEL, MONTH, NUMBER, SERIES, STATE, YEAR
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Rule
from carimbo.simulator.tax_ids import is_cnpj, is_cpf

_FIRST_YEAR = 6
_LAST_SERIES_OF_COMPANIES = 909
_MONTHS = 12


class AboutKey(Protocol):
    """A question or a statement about a document."""

    @property
    def access_key(self) -> str:
        """The document's key, of 44 characters."""

    @property
    def place(self) -> Place:
        """Where it is said."""

    @property
    def world(self) -> World:
        """What the authority sees."""


def wrong_digit(case: AboutKey) -> bool:
    """MOC 7.0, J02a and P12-10."""
    return not has_right_digit(case.access_key)


def unknown_state(case: AboutKey) -> bool:
    """MOC 7.0, J02b and P12-14."""
    return state_of_ibge(case.access_key[STATE]) is None


def impossible_year(case: AboutKey) -> bool:
    """MOC 7.0, J02c and P12-18."""
    return not _FIRST_YEAR <= int(case.access_key[YEAR]) <= case.world.now.year % 100


def impossible_month(case: AboutKey) -> bool:
    """MOC 7.0, J02d and P12-22."""
    return not 1 <= int(case.access_key[MONTH]) <= _MONTHS


def impossible_issuer(case: AboutKey) -> bool:
    """MOC 7.0, J02e and P12-26: series up to 909 are of companies, the rest of people."""
    issuer = case.access_key[ISSUER]
    if int(case.access_key[SERIES]) <= _LAST_SERIES_OF_COMPANIES:
        return not is_cnpj(issuer)
    return not is_cpf(issuer[3:])


def other_model(case: AboutKey) -> bool:
    """MOC 7.0, J02f and P12-30."""
    return case.access_key[MODEL] not in (NFE, NFCE)


def without_number(case: AboutKey) -> bool:
    """MOC 7.0, J02g and P12-34."""
    return int(case.access_key[NUMBER]) == 0


def state_of_another_authorizer(case: AboutKey) -> bool:
    """MOC 7.0, J02 and P12-40."""
    state = state_of_ibge(case.access_key[STATE])
    return state is None or state.code not in states_of(model_of(case.place), case.place.authorizer)


def receipt_among_invoices(case: AboutKey) -> bool:
    """The address is that of the services of NF-e."""
    return model_of(case.place) == NFE and case.access_key[MODEL] == NFCE


def invoice_among_receipts(case: AboutKey) -> bool:
    """The address is that of the services of NFC-e."""
    return model_of(case.place) == NFCE and case.access_key[MODEL] == NFE


ASKED_KEY_RULES: tuple[Rule[AboutKey], ...] = (
    Rule("236", wrong_digit),
    Rule("614", unknown_state),
    Rule("615", impossible_year),
    Rule("616", impossible_month),
    Rule("617", impossible_issuer),
    Rule("618", other_model),
    Rule("619", without_number),
    Rule("450", receipt_among_invoices),
    Rule("775", invoice_among_receipts),
)
