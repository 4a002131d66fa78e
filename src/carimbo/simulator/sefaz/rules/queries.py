"""Rules about the key in a question or an event (MOC 7.0, J02 and P12), and about consults (table 5-16)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from carimbo.fiscal.tables.authorities import states_of
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.identifiers import (
    KEY_ISSUER,
    KEY_MODEL,
    KEY_MONTH,
    KEY_NUMBER,
    KEY_NUMERIC_CODE,
    KEY_SERIES,
    KEY_STATE,
    KEY_YEAR,
    has_valid_check_digit,
    is_cnpj,
    is_cpf,
    tax_id_base,
)
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.limits import CONSULT, CONSULTS_OF_A_KEY, limit_reached
from carimbo.simulator.rules import Finding
from carimbo.simulator.sefaz.call import ReceivedMessage, ServiceQuestion, holds_document

_FIRST_YEAR = 6
_LAST_SERIES_OF_COMPANIES = 909
_MONTHS = 12
_MONTHS_KEPT = 6


class AboutKey(ReceivedMessage, Protocol):
    """A question or an event about a document."""

    @property
    def access_key(self) -> str:
        """The document's key, of 44 characters."""


def wrong_digit(question: AboutKey) -> bool:
    """MOC 7.0, J02a and P12-10."""
    return not has_valid_check_digit(question.access_key)


def unknown_state(question: AboutKey) -> bool:
    """MOC 7.0, J02b and P12-14."""
    return state_of_ibge(question.access_key[KEY_STATE]) is None


def impossible_year(question: AboutKey) -> bool:
    """MOC 7.0, J02c and P12-18."""
    return not _FIRST_YEAR <= int(question.access_key[KEY_YEAR]) <= question.context.now.year % 100


def impossible_month(question: AboutKey) -> bool:
    """MOC 7.0, J02d and P12-22."""
    return not 1 <= int(question.access_key[KEY_MONTH]) <= _MONTHS


def impossible_issuer(question: AboutKey) -> bool:
    """MOC 7.0, J02e and P12-26: series up to 909 are for companies, the others for persons."""
    issuer = question.access_key[KEY_ISSUER]
    if int(question.access_key[KEY_SERIES]) <= _LAST_SERIES_OF_COMPANIES:
        return not is_cnpj(issuer)
    return not is_cpf(issuer[3:])


def other_model(question: AboutKey) -> bool:
    """MOC 7.0, J02f and P12-30."""
    return question.access_key[KEY_MODEL] not in question.dialect.models.values()


def without_number(question: AboutKey) -> bool:
    """MOC 7.0, J02g and P12-34."""
    return int(question.access_key[KEY_NUMBER]) == 0


def state_of_another_authorizer(question: AboutKey) -> bool:
    """MOC 7.0, J02 and P12-40."""
    state = state_of_ibge(question.access_key[KEY_STATE])
    model = question.dialect.model_at(question.service_path)
    return state is None or state.code not in states_of(model, question.service_path.authorizer)


@dataclass(frozen=True)
class ConsultQuestion(ServiceQuestion):
    """A question about a key."""

    access_key: str

    @cached_property
    def holder(self) -> StoredDocument | None:
        """The stored document with the number of the key, if this authority has it."""
        number_id = self.dialect.number_id(self.access_key)
        stored = Ledger(self.context.store).holder_of_number(self.service_path.environment, number_id)
        return stored if stored and holds_document(self, stored) else None


def asked_too_often(consult: ConsultQuestion) -> bool:
    """NT 2018.002: 10 consults of one key in an hour."""
    return limit_reached(
        consult.context, consult.call.taxpayer, CONSULT, consult.access_key, CONSULTS_OF_A_KEY
    )


def issued_long_ago(question: AboutKey) -> bool:
    """MOC 7.0, J02k: more than six months ago."""
    now, key = question.context.now, question.access_key
    months_now = now.year % 100 * 12 + now.month
    months_of_issue = int(key[KEY_YEAR]) * 12 + int(key[KEY_MONTH])
    return months_now - months_of_issue > _MONTHS_KEPT


def other_numeric_code(consult: ConsultQuestion) -> Finding:
    """MOC 7.0, J04: only the issuer gets the right key in the answer."""
    holder = consult.holder
    if holder is None or holder.access_key[KEY_NUMERIC_CODE] == consult.access_key[KEY_NUMERIC_CODE]:
        return None
    is_issuers = tax_id_base(consult.call.taxpayer) == tax_id_base(holder.issuer)
    return f"[{consult.dialect.key_tag}:{holder.access_key}]" if is_issuers else True


def other_month(consult: ConsultQuestion) -> bool:
    """MOC 7.0, J05."""
    return (
        consult.holder is not None and consult.holder.access_key[KEY_MONTH] != consult.access_key[KEY_MONTH]
    )


def other_key(consult: ConsultQuestion) -> bool:
    """MOC 7.0, J06: another year, emission type or check digit."""
    return consult.holder is not None and consult.holder.access_key != consult.access_key
