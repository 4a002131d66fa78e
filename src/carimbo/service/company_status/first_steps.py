"""The first steps of a company: what it provides until it can issue, in the order of the forms."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from uuid import UUID

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.service.companies.settings_forms import setting_title
from carimbo.service.company_status.readiness import CompanyReadiness, TypeReadiness
from carimbo.service.document_types import document_type_named
from carimbo.service.missing_data import CompanyForm, missing_datum
from carimbo.service.words import enumeration
from carimbo.storage.database import Database
from carimbo.storage.document_figures import DocumentFigures

_TITLES = {
    CompanyForm.REGISTRATION: "Cadastro e endereço",
    CompanyForm.CERTIFICATE: "Certificado digital A1",
    CompanyForm.STATE_REGISTRATION: "Inscrição estadual",
}


class StepState(StrEnum):
    """How far a step has come."""

    DONE = "done"
    MISSING = "missing"
    """No document, or none of a type that the company uses, can be issued without it."""
    OPTIONAL = "optional"


@dataclass(frozen=True, kw_only=True)
class FirstStep:
    """A step, with the form that takes it."""

    title: str
    form: CompanyForm
    module: str = ""
    """The module of a form of settings."""
    state: StepState
    lacking: tuple[str, ...] = ()
    """What is missing, in words."""
    types: tuple[str, ...] = ()
    """The titles of the document types that need it; empty if all do."""
    shortcuts: tuple[str, ...] = ()
    """The labels of settings that would make requests shorter."""


def first_steps(readiness: CompanyReadiness) -> list[FirstStep]:
    """Returns the steps of a company: the data of all types first, then the settings of each type."""
    common = [_common_step(readiness, form) for form in _TITLES]
    modules = [each.type for each in readiness.types if not document_type_named(each.type).switched_by]
    return [*common, *filter(None, (_settings_step(readiness, module) for module in modules))]


async def has_issued(
    database: Database, subscription_id: UUID, company_id: UUID, environment: Environment
) -> bool:
    """Returns whether a company ever got a document authorized in an environment."""
    async with database.autocommit(subscription_id) as tenant:
        figures = DocumentFigures(tenant.connection, subscription_id, [company_id])
        days = await figures.days_since(date.min)
    return any(day.environment == environment and day.status == Status.AUTHORIZED for day in days)


def _common_step(readiness: CompanyReadiness, form: CompanyForm) -> FirstStep:
    lacking = _Lacking.of(readiness.types, form)
    is_of_all = len(lacking.types) == len(readiness.types)
    return FirstStep(
        title=_TITLES[form],
        form=form,
        state=lacking.state(is_needed=is_of_all),
        lacking=lacking.words,
        types=() if is_of_all else lacking.titles,
    )


def _settings_step(readiness: CompanyReadiness, module: str) -> FirstStep | None:
    """Returns the step of the types that follow the switch of a module; None if they need no settings."""
    types = [each for each in readiness.types if document_type_named(each.type).switch_module == module]
    lacking, requirements = _Lacking.of(types, CompanyForm.SETTINGS), document_type_named(module).requirements
    if not lacking.types and not requirements.settings and not requirements.shortcut:
        return None
    titles = tuple(document_type_named(each.type).title for each in types)
    shortcuts = tuple(f"“{setting_title(path)}”" for each in types for path in each.shortcut_missing)
    state = lacking.state(is_needed=False)
    return FirstStep(
        title=enumeration(titles),
        form=CompanyForm.SETTINGS,
        module=module,
        state=StepState.OPTIONAL if shortcuts and state is StepState.DONE else state,
        lacking=lacking.words,
        types=lacking.titles,
        shortcuts=shortcuts,
    )


@dataclass(frozen=True)
class _Lacking:
    """What document types lack that a form provides."""

    types: tuple[TypeReadiness, ...]
    """The types that lack something."""
    words: tuple[str, ...]

    @classmethod
    def of(cls, types: Sequence[TypeReadiness], form: CompanyForm) -> "_Lacking":
        data = {
            each.type: [datum for datum in map(missing_datum, each.missing) if datum.form is form]
            for each in types
        }
        words = dict.fromkeys(datum.words for of_type in data.values() for datum in of_type)
        return cls(tuple(each for each in types if data[each.type]), tuple(words))

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(document_type_named(each.type).title for each in self.types)

    def state(self, *, is_needed: bool) -> StepState:
        """Returns the state of a step; `is_needed` says that no document at all can be issued without it."""
        if not self.types:
            return StepState.DONE
        is_used = any(each.is_used for each in self.types)
        return StepState.MISSING if is_needed or is_used else StepState.OPTIONAL
