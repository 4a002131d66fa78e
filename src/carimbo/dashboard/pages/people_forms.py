"""The forms that invite a person, and that change what a person may do."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.datastructures import FormData
from starlette.responses import Response

from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.choices import Checkbox, CheckboxGroup
from carimbo.dashboard.form_view import problems_of, view_form
from carimbo.dashboard.forms import checked_body, text_of
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.people import (
    ONE_PERSON,
    ROLES,
    is_visitor,
    list_address,
    read_person,
    show_link,
)
from carimbo.dashboard.rendering import page, redirect
from carimbo.dashboard.routes import acting, form_of, subscription_page
from carimbo.dashboard.security import LONG_FORM
from carimbo.dashboard.shown import tax_id
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.fiscal.body.fields import Body, Text
from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormSection
from carimbo.service.companies.registration import visible_companies
from carimbo.service.errors import Refusal, invalid_field
from carimbo.service.people.people import PersonInSubscription, change_membership, invite
from carimbo.service.people.roles import Capability, MemberRole, capabilities_of
from carimbo.service.words import PERSON_ROLES
from carimbo.storage.companies import CompanyRow

_MOST_COMPANIES = 1000
"""How many companies a form lists to choose from."""
_SCOPE, _COMPANY, _ALL, _SOME = "alcance", "empresa", "todas", "algumas"
_CONTRADICTION = "Você marcou empresas e também “Todas”: escolha “Só estas”, ou desmarque as empresas."
_OWN_MEMBERSHIP = "Esta pessoa é você: ao mudar o seu próprio papel, você pode perder o acesso a esta página."


class MembershipBody(Body):
    """What a person may do in a subscription, besides the companies."""

    role: MemberRole


class InvitationBody(MembershipBody):
    """The person that an invitation is for, and what they may do."""

    email: Text
    name: Text | None = None


# The role that may do the least comes first: it is the one that a hurried person leaves.
_ROLE = FormField(
    path="role",
    label="Papel",
    options=tuple((role.value, PERSON_ROLES[role]) for role in reversed(MemberRole)),
)
_MEMBERSHIP_FORM = FormLayout(
    body=MembershipBody, sections=(FormSection(title="O que a pessoa pode fazer", parts=(_ROLE,)),)
)
_INVITATION_FORM = FormLayout(
    body=InvitationBody,
    sections=(
        FormSection(
            title="Quem",
            parts=(
                FormField(path="email", label="E-mail", kind=FieldKind.EMAIL),
                FormField(path="name", label="Nome"),
                _ROLE,
            ),
        ),
    ),
)


@dataclass(frozen=True)
class CompanyChoice:
    """The companies that a person may see: all, or those that are chosen."""

    companies: Sequence[CompanyRow]
    """Those that may be chosen."""
    sees_all: bool
    chosen: frozenset[UUID]

    @classmethod
    def posted(cls, companies: Sequence[CompanyRow], form: FormData) -> "CompanyChoice":
        """Returns the choice that a browser sent."""
        sent = form.getlist(_COMPANY)
        chosen = frozenset(company.id for company in companies if str(company.id) in sent)
        return cls(companies, text_of(form, _SCOPE) == _ALL, chosen)

    @classmethod
    def of_person(
        cls, companies: Sequence[CompanyRow], person: PersonInSubscription | None
    ) -> "CompanyChoice":
        """Returns the companies of a person; all companies for a new invitation."""
        ids = person.company_ids if person else None
        return cls(companies, ids is None, ids or frozenset())

    @property
    def company_ids(self) -> frozenset[UUID] | None:
        """The ids for a membership. Raises Refusal if the choice contradicts itself."""
        if self.sees_all and self.chosen:
            raise invalid_field("companyIds", _CONTRADICTION)
        return None if self.sees_all else self.chosen

    @property
    def checkboxes(self) -> CheckboxGroup:
        """The companies as a form shows them."""
        checkboxes = [
            Checkbox(str(company.id), company.shown_name, tax_id(company.tax_id), company.id in self.chosen)
            for company in self.companies
        ]
        return CheckboxGroup("Só estas empresas", _COMPANY, checkboxes)


async def invitation(visit: SubscriptionVisit) -> Response:
    """Shows an empty form."""
    choice = CompanyChoice.of_person(await _companies(visit, None), None)
    return _form_page(visit, TypedForm(_INVITATION_FORM, {}), choice)


async def send_new_invitation(visit: SubscriptionVisit) -> Response:
    """Invites a person; the page of people shows the link once."""
    form = await visit.form()
    typed = TypedForm.posted(_INVITATION_FORM, form)
    choice = CompanyChoice.posted(await _companies(visit, None), form)
    try:
        body = checked_body(InvitationBody, typed.body)
        invited = await invite(
            visit.services.database,
            body.email,
            body.name,
            subscription_id=visit.subscription_id,
            role=body.role,
            company_ids=choice.company_ids,
            now=visit.machine_time,
        )
    except Refusal as refusal:
        return _form_page(visit, typed, choice, refusal=refusal)
    return await show_link(visit, invited)


async def membership(visit: SubscriptionVisit) -> Response:
    """Shows what a person may do."""
    person = await read_person(visit)
    typed = TypedForm.of_body(_MEMBERSHIP_FORM, {"role": person.role.value})
    return _form_page(visit, typed, CompanyChoice.of_person(await _companies(visit, person), person), person)


async def change(visit: SubscriptionVisit) -> Response:
    """Changes what a person may do. Effective at once."""
    form, person = await visit.form(), await read_person(visit)
    typed = TypedForm.posted(_MEMBERSHIP_FORM, form)
    choice = CompanyChoice.posted(await _companies(visit, person), form)
    try:
        role = checked_body(MembershipBody, typed.body).role
        company_ids = choice.company_ids
        await change_membership(
            visit.services.database, visit.subscription_id, person.id, role=role, company_ids=company_ids
        )
    except Refusal as refusal:
        return _form_page(visit, typed, choice, person, refusal)
    capabilities = capabilities_of(role, of_all_companies=company_ids is None)
    sees_people = Capability.READ_PEOPLE in capabilities or not is_visitor(visit, person)
    return redirect(with_notice(list_address(visit) if sees_people else visit.base, Notice.SAVED))


async def _companies(visit: SubscriptionVisit, person: PersonInSubscription | None) -> list[CompanyRow]:
    """Returns the first companies by name, and those of a person also if they come later."""
    database, subscription_id = visit.services.database, visit.subscription_id
    first = await visible_companies(database, subscription_id, None, _MOST_COMPANIES)
    own = person.company_ids if person and person.company_ids else frozenset()
    later = own - {company.id for company in first}
    return first + await visible_companies(database, subscription_id, later, len(later))


def _form_page(
    visit: SubscriptionVisit,
    typed: TypedForm,
    choice: CompanyChoice,
    person: PersonInSubscription | None = None,
    refusal: Refusal | None = None,
) -> Response:
    """Shows the form of a person, or of an invitation without one, with the problems of a refused form."""
    return page(
        visit,
        "people/form.html",
        422 if refusal else 200,
        view=view_form(typed, problems_of(refusal)),
        choice=choice,
        scopes=((_ALL, "Todas, também as futuras", True), (_SOME, "Só as que eu marcar", False)),
        scope_field=_SCOPE,
        most_companies=_MOST_COMPANIES,
        person=person,
        roles=ROLES,
        warnings=(_OWN_MEMBERSHIP,) if person and is_visitor(visit, person) else (),
        address=f"{list_address(visit)}/{person.id}/alterar" if person else f"{list_address(visit)}/convidar",
    )


_CHANGE = Capability.CHANGE_PEOPLE
ROUTES = (
    form_of(subscription_page("/pessoas/convidar", _CHANGE, invitation)),
    acting(subscription_page("/pessoas/convidar", _CHANGE, send_new_invitation), LONG_FORM),
    form_of(subscription_page(f"{ONE_PERSON}/alterar", _CHANGE, membership)),
    acting(subscription_page(f"{ONE_PERSON}/alterar", _CHANGE, change), LONG_FORM),
)
