"""Rules about keys in questions, events and references, and about consults and the status."""

from collections.abc import Iterable
from dataclasses import dataclass

from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.identifiers import KEY_EMISSION, KEY_MODEL
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.call import ReceivedMessage, ServiceCall
from carimbo.simulator.sefaz.dialect import FamilyDialect
from carimbo.simulator.sefaz.queries import status_of_another_authorizer
from carimbo.simulator.sefaz.rules.queries import (
    AboutKey,
    ConsultQuestion,
    asked_too_often,
    impossible_issuer,
    impossible_month,
    impossible_year,
    issued_long_ago,
    other_key,
    other_model,
    state_of_another_authorizer,
    unknown_state,
    without_number,
    wrong_digit,
)

_KEY_FAULTS = (
    (unknown_state, "UF inválida"),
    (impossible_year, "ano inválido"),
    (impossible_month, "mês inválido"),
    (impossible_issuer, "CNPJ ou CPF inválido"),
    (without_number, "número igual a zero"),
    (wrong_digit, "dígito verificador inválido"),
)
_NO_EMISSION = "0"


@dataclass(frozen=True)
class ReferredKey:
    """A key that a document refers to."""

    access_key: str
    dialect: FamilyDialect
    service_path: ServicePath
    context: RequestContext


def impossible_key(question: AboutKey) -> Finding:
    """MOC CT-e, 236: any part of the key is impossible; the answer says which."""
    reason = next((reason for is_wrong, reason in _KEY_FAULTS if is_wrong(question)), "")
    if not reason and question.access_key[KEY_EMISSION] == _NO_EMISSION:
        reason = "tipo de emissão inválido"
    return f"[Motivo: {reason}]" if reason else None


def impossible_reference(judged: ReceivedMessage, access_key: str, model: str) -> Finding:
    """Returns why a document cannot refer to a key; None if it can."""
    if access_key[KEY_MODEL] != model:
        return f"[Motivo: modelo diferente de {model}]"
    return impossible_key(ReferredKey(access_key, judged.dialect, judged.service_path, judged.context))


def impossible_references(judged: ReceivedMessage, access_keys: Iterable[str], model: str) -> Finding:
    """Returns why a document cannot refer to the first wrong key; None if it can refer to all."""
    for key in access_keys:
        if fault := impossible_reference(judged, key, model):
            return fault
    return None


def repeated_key(tag: str, access_keys: Iterable[str]) -> Finding:
    """Returns the first key that occurs twice, in the element `tag`; None if there is none."""
    earlier: set[str] = set()
    for key in access_keys:
        if key in earlier:
            return f"[{tag}:{key}]"
        earlier.add(key)
    return None


CONSULT_RULES: tuple[RejectionRule[ConsultQuestion], ...] = (
    RejectionRule("678", asked_too_often),
    RejectionRule("410", state_of_another_authorizer),
    RejectionRule("236", impossible_key),
    RejectionRule("732", other_model),
    RejectionRule("731", issued_long_ago),
    RejectionRule("600", other_key),
)
STATUS_RULES: tuple[RejectionRule[ServiceCall], ...] = (RejectionRule("410", status_of_another_authorizer),)
