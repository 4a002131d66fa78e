"""What can happen to a note: who may say so, and what keeps it from being said (Anexo II, events)."""

from collections.abc import Mapping
from dataclasses import dataclass

CANCELLATION, SUBSTITUTION, ANALYSIS = "101101", "105102", "101103"
_BY_PROVIDER, _BY_TAKER, _BY_INTERMEDIARY = "202201", "203202", "204203"
_REFUSED_BY_PROVIDER, _REFUSED_BY_TAKER, _REFUSED_BY_INTERMEDIARY = "202205", "203206", "204207"

CONFIRMATIONS = frozenset({_BY_PROVIDER, _BY_TAKER, _BY_INTERMEDIARY})
MANIFESTATIONS = CONFIRMATIONS | {_REFUSED_BY_PROVIDER, _REFUSED_BY_TAKER, _REFUSED_BY_INTERMEDIARY}
CANCELED_BY = frozenset({CANCELLATION, SUBSTITUTION})
"""After these nothing else happens to a note."""

PROVIDER, TAKER, INTERMEDIARY = "prest", "toma", "interm"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """A kind of event that taxpayers may tell."""

    name: str
    author: str
    """The group of the declaration that names who may tell it."""
    code: str
    """Of the rejection where something else has happened already."""
    excluded_by: frozenset[str]
    """What must not have happened."""


_SETTLED = frozenset({ANALYSIS}) | CANCELED_BY | CONFIRMATIONS


def _manifestation(name: str, author: str, code: str, *others: str) -> EventType:
    return EventType(
        name=f"Manifestação de NFS-e - {name}", author=author, code=code, excluded_by=CANCELED_BY | {*others}
    )


EVENT_TYPES: Mapping[str, EventType] = {
    CANCELLATION: EventType(
        name="Cancelamento de NFS-e", author=PROVIDER, code="E0840", excluded_by=_SETTLED
    ),
    ANALYSIS: EventType(
        name="Solicitação de Análise Fiscal para Cancelamento de NFS-e",
        author=PROVIDER,
        code="E0848",
        excluded_by=_SETTLED,
    ),
    # E1833 keeps everybody else from telling the same twice.
    _BY_PROVIDER: _manifestation("Confirmação do Prestador", PROVIDER, "E0860", _BY_PROVIDER),
    _BY_TAKER: _manifestation("Confirmação do Tomador", TAKER, "E0861"),
    _BY_INTERMEDIARY: _manifestation("Confirmação do Intermediário", INTERMEDIARY, "E0862"),
    _REFUSED_BY_PROVIDER: _manifestation("Rejeição do Prestador", PROVIDER, "E0864", _REFUSED_BY_PROVIDER),
    _REFUSED_BY_TAKER: _manifestation("Rejeição do Tomador", TAKER, "E0866"),
    _REFUSED_BY_INTERMEDIARY: _manifestation("Rejeição do Intermediário", INTERMEDIARY, "E0868"),
}
NAMES = {type_: found.name for type_, found in EVENT_TYPES.items()} | {
    SUBSTITUTION: "Cancelamento de NFS-e por Substituição",
}
"""Of every event that a note may have here."""
