"""What an operator fills in about plans and subscriptions: the bodies and their forms."""

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Body, Integer, Text
from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormSection
from carimbo.storage.subscriptions import SubscriptionPlan

PLAN_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
WRONG_NAME = "O nome do plano usa letras minúsculas, dígitos e hífens, e começa por letra."
TWO_COUNTS = "Um plano conta documentos por mês ou no total, não os dois."
MAX_LIMIT = 2**31 - 1


def _checked_name(text: str) -> str:
    if not PLAN_NAME.fullmatch(text):
        raise PydanticCustomError("plan_name", WRONG_NAME)
    return text


Limit = Annotated[Integer, Field(ge=0, le=MAX_LIMIT)]


class PlanLimits(Body):
    """The limits of a plan; without a value there is no limit."""

    monthly_documents: Limit | None = None
    total_documents: Limit | None = None
    requests_per_minute: Annotated[Integer, Field(ge=1, le=MAX_LIMIT)] | None = None

    @field_validator("total_documents")
    @classmethod
    def refuse_two_counts(cls, total: int | None, info: ValidationInfo) -> int | None:
        """Refuses a plan that counts documents in two ways."""
        if total is not None and info.data.get("monthly_documents") is not None:
            raise PydanticCustomError("two_counts", TWO_COUNTS)
        return total

    @classmethod
    def of(cls, plan: SubscriptionPlan) -> "PlanLimits":
        """Returns the limits of a plan."""
        return cls(
            monthlyDocuments=plan.monthly_documents,
            totalDocuments=plan.total_documents,
            requestsPerMinute=plan.requests_per_minute,
        )

    def plan_named(self, name: str) -> SubscriptionPlan:
        """Returns the plan with these limits."""
        return SubscriptionPlan(name, self.monthly_documents, self.total_documents, self.requests_per_minute)


class NewPlan(PlanLimits):
    """A plan that does not exist yet."""

    name: Annotated[Text, AfterValidator(_checked_name)]


class NewSubscription(Body):
    """A subscription to create."""

    name: Annotated[Text, StringConstraints(max_length=100)]
    plan: Text


class PlanChoice(Body):
    """The plan that a subscription gets."""

    plan: Text


_LIMITS = (
    FormField(path="monthlyDocuments", label="Documentos por mês", hint="Em branco, sem limite."),
    FormField(
        path="totalDocuments",
        label="Documentos ao todo",
        hint="Na vida inteira da assinatura, em vez de por mês. Em branco, sem limite.",
    ),
    FormField(path="requestsPerMinute", label="Requisições por minuto", hint="Em branco, sem limite."),
)
LIMITS_FORM = FormLayout(body=PlanLimits, sections=(FormSection(title="Limites", parts=_LIMITS),))
NEW_PLAN_FORM = FormLayout(
    body=NewPlan,
    sections=(
        FormSection(
            title="Plano",
            parts=(
                FormField(path="name", label="Nome", hint="Letras minúsculas, dígitos e hífens."),
                *_LIMITS,
            ),
        ),
    ),
)


def new_subscription_form(plans: Iterable[str]) -> FormLayout:
    """Returns the form of a new subscription, which may have one of these plans."""
    name = FormField(path="name", label="Nome", hint="De quem usa o serviço, por exemplo a empresa.")
    return FormLayout(
        body=NewSubscription, sections=(FormSection(title="Assinatura", parts=(name, _plan_field(plans))),)
    )


def plan_choice_form(plans: Iterable[str]) -> FormLayout:
    """Returns the form that changes the plan of a subscription."""
    return FormLayout(body=PlanChoice, sections=(FormSection(title="Plano", parts=(_plan_field(plans),)),))


def _plan_field(plans: Iterable[str]) -> FormField:
    return FormField(path="plan", label="Plano", options=tuple((plan, plan) for plan in plans))
