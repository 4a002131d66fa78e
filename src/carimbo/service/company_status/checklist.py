"""The checklist of a company: what it needs to issue documents, and what to do if that is missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.company_status.readiness import TypeReadiness
from carimbo.service.missing_data import MissingKind, missing_datum
from carimbo.service.words import enumeration

_UNREGISTERED = [
    document_type.plural_with_article
    for document_type in DOCUMENT_TYPES
    if not document_type.requirements.state_registration
]
_REGISTRATION = f"Inscrição estadual na UF da empresa ({enumeration(_UNREGISTERED)} não precisam dela)"
# What all types need, by the names in `missing`.
_COMMON: Mapping[str, str] = {
    "address": "Endereço",
    "taxRegime": "Regime tributário",
    "stateRegistration": _REGISTRATION,
    "certificate": "Certificado A1 em vigor",
}


@dataclass(frozen=True)
class Check:
    """A line of the checklist: something that a company needs, and what to do if it is missing."""

    text: str
    is_missing: bool = False
    remedy: str = ""
    """A sentence that says what to do."""
    call: str = ""
    """The call of the API that does it."""


@dataclass(frozen=True)
class TypeChecklist:
    """A document type with its checks."""

    readiness: TypeReadiness
    checks: tuple[Check, ...]
    hint: str
    """The settings that would make requests shorter; empty if there are none."""


def common_checks(types: Sequence[TypeReadiness]) -> list[Check]:
    """Returns the checks of what all types need."""
    missing = {name for each in types for name in each.missing}
    return [
        Check(text, True, "Envie pela API:", missing_datum(name).route or "")
        if name in missing
        else Check(text)
        for name, text in _COMMON.items()
    ]


def type_checklist(readiness: TypeReadiness) -> TypeChecklist:
    """Returns the checks of what a type needs besides that, as far as it is missing."""
    return TypeChecklist(readiness, tuple(_own_checks(readiness)), _hint(readiness))


def _own_checks(readiness: TypeReadiness) -> Iterator[Check]:
    own = [missing_datum(name) for name in readiness.missing if name not in _COMMON]
    if not own:
        text = "O que está em “Todos os documentos”" if readiness.missing else "Nada falta"
        yield Check(text, bool(readiness.missing))
    settings = [datum.name for datum in own if datum.kind is MissingKind.INSTALLATION_SETTING]
    if settings:
        remedy = f"Quem opera o serviço configura {', '.join(settings)}."
        yield Check("Responsável técnico do sistema, que a UF exige", True, remedy)
    for datum in own:
        if datum.kind is MissingKind.TABLE_RATE:
            remedy = f"Quem opera o serviço preenche {datum.name}."
            yield Check("Alíquota que falta nas tabelas do serviço", True, remedy)
        elif datum.kind is MissingKind.COMPANY_DATA:
            words = f"{datum.words[:1].upper()}{datum.words[1:]}"
            yield Check(words, True, f"Informe {datum.name} pela API:", datum.route or "")


def _hint(readiness: TypeReadiness) -> str:
    names = ", ".join(readiness.shortcut_missing)
    if not names:
        return ""
    return f"Com {names} nas configurações, o pedido não precisa trazer esses dados."
