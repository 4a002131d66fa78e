"""Rules about whole keys: in questions and events, and of the documents that a message refers to."""

from collections.abc import Iterable
from dataclasses import dataclass

from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.identifiers import KEY_EMISSION, KEY_MODEL
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.rules import Finding
from carimbo.simulator.sefaz.call import ReceivedMessage
from carimbo.simulator.sefaz.dialect import FamilyDialect
from carimbo.simulator.sefaz.rules.queries import (
    AboutKey,
    impossible_issuer,
    impossible_month,
    impossible_year,
    issued_long_ago,
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
    return impossible_key(_referred(judged, access_key))


def impossible_references(judged: ReceivedMessage, access_keys: Iterable[str], model: str) -> Finding:
    """Returns why a document cannot refer to the first wrong key; None if it can refer to all."""
    for key in access_keys:
        if fault := impossible_reference(judged, key, model):
            return fault
    return None


def holder_with_another_key(judged: ReceivedMessage, tag: str, access_key: str) -> Finding:
    """Returns the stored key of a number, in the element `tag`, if it is another one."""
    number_id = judged.dialect.number_id(access_key)
    holder = Ledger(judged.context.store).holder_of_number(judged.service_path.environment, number_id)
    return f"[{tag}:{holder.access_key}]" if holder and holder.access_key != access_key else None


def canceled_reference(judged: ReceivedMessage, tag: str, access_keys: Iterable[str]) -> Finding:
    """Returns the first key of a canceled document, in the element `tag`; None if there is none."""
    ledger, environment = Ledger(judged.context.store), judged.service_path.environment
    stored = (ledger.document(environment, key) for key in access_keys)
    canceled = (document for document in stored if document and document.is_canceled)
    return next((f"[{tag}:{document.access_key}]" for document in canceled), None)


def old_reference(judged: ReceivedMessage, tag: str, access_keys: Iterable[str]) -> Finding:
    """Returns the first key of more than six months ago, in the element `tag`; None if there is none."""
    old = (key for key in access_keys if issued_long_ago(_referred(judged, key)))
    return next((f"[{tag}:{key}]" for key in old), None)


def repeated_key(tag: str, access_keys: Iterable[str]) -> Finding:
    """Returns the first key that occurs twice, in the element `tag`; None if there is none."""
    earlier: set[str] = set()
    for key in access_keys:
        if key in earlier:
            return f"[{tag}:{key}]"
        earlier.add(key)
    return None


def _referred(judged: ReceivedMessage, access_key: str) -> ReferredKey:
    return ReferredKey(access_key, judged.dialect, judged.service_path, judged.context)
