"""The key that a consult, an event or a distribution is about (MOC 7.0, J02 and P12)."""

from typing import Protocol

from carimbo.fiscal.tables.authorizers import states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.keys import has_right_digit
from carimbo.simulator.sefaz.call import Received
from carimbo.simulator.sefaz.key_parts import ISSUER, MODEL, MONTH, NUMBER, SERIES, STATE, YEAR
from carimbo.simulator.tax_ids import is_cnpj, is_cpf

_FIRST_YEAR = 6
_LAST_SERIES_OF_COMPANIES = 909
_MONTHS = 12


class AboutKey(Received, Protocol):
    """A question or an event about a document."""

    @property
    def access_key(self) -> str:
        """The document's key, of 44 characters."""


def wrong_digit(asked: AboutKey) -> bool:
    """MOC 7.0, J02a and P12-10."""
    return not has_right_digit(asked.access_key)


def unknown_state(asked: AboutKey) -> bool:
    """MOC 7.0, J02b and P12-14."""
    return state_of_ibge(asked.access_key[STATE]) is None


def impossible_year(asked: AboutKey) -> bool:
    """MOC 7.0, J02c and P12-18."""
    return not _FIRST_YEAR <= int(asked.access_key[YEAR]) <= asked.world.now.year % 100


def impossible_month(asked: AboutKey) -> bool:
    """MOC 7.0, J02d and P12-22."""
    return not 1 <= int(asked.access_key[MONTH]) <= _MONTHS


def impossible_issuer(asked: AboutKey) -> bool:
    """MOC 7.0, J02e and P12-26: series up to 909 are of companies, the rest of people."""
    issuer = asked.access_key[ISSUER]
    if int(asked.access_key[SERIES]) <= _LAST_SERIES_OF_COMPANIES:
        return not is_cnpj(issuer)
    return not is_cpf(issuer[3:])


def other_model(asked: AboutKey) -> bool:
    """MOC 7.0, J02f and P12-30."""
    return asked.access_key[MODEL] not in asked.dialect.models.values()


def without_number(asked: AboutKey) -> bool:
    """MOC 7.0, J02g and P12-34."""
    return int(asked.access_key[NUMBER]) == 0


def state_of_another_authorizer(asked: AboutKey) -> bool:
    """MOC 7.0, J02 and P12-40."""
    state = state_of_ibge(asked.access_key[STATE])
    model = asked.dialect.model_at(asked.place)
    return state is None or state.code not in states_of(model, asked.place.authorizer)
