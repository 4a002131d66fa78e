"""The checklist of a company: what it needs to issue documents, and what to do if that is missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.settings_forms import setting_title
from carimbo.service.company_status.readiness import TypeReadiness
from carimbo.service.missing_data import MissingDatum, MissingKind, missing_datum
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
    """A sentence that says who provides it, if it is not the company."""
    datum: MissingDatum | None = None
    """The missing datum, if the company provides it in a form."""


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
        Check(text, True, datum=missing_datum(name)) if name in missing else Check(text)
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
            yield Check(words, True, datum=datum)


def _hint(readiness: TypeReadiness) -> str:
    labels = [f"“{setting_title(path)}”" for path in readiness.shortcut_missing]
    if not labels:
        return ""
    return f"Com {enumeration(labels)} nas configurações, o pedido não precisa trazer esses dados."
