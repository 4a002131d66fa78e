"""Signing in and out: password, passkey, and the links of invitations, resets and the demonstration."""

from collections.abc import Awaitable, Callable, Mapping

from starlette.responses import Response

from carimbo.dashboard import security
from carimbo.dashboard.forms import password_of, text_of, visitor_of
from carimbo.dashboard.rendering import page, redirect, refused_page
from carimbo.dashboard.routes import POST, open_page, own_page
from carimbo.dashboard.visit import PersonVisit, Visit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import LinkPurpose
from carimbo.service.people.identity import CodeNeeded
from carimbo.service.people.new_links import ask_for_reset
from carimbo.service.people.sessions import SignedIn, confirm_identity, find_session, sign_out
from carimbo.service.people.sign_in import (
    invited_to,
    join_by_link,
    open_link,
    person_of_link,
    sign_in_with_password,
    use_link,
)

CONFIRM = "sign_in/confirm.html"
_CODE_NEEDED = "Informe também o código do seu aplicativo autenticador."
_RESET_DONE, SESSION_ENDED = "senha-trocada", "sessao-terminada"
_REASONS: Mapping[str | None, str] = {
    _RESET_DONE: "Senha trocada. Entre com ela e com o código do seu aplicativo autenticador.",
    SESSION_ENDED: "Sua sessão terminou: entre de novo.",
}
"""Why a person is on the page of sign-in, by the reason in its address."""
_RESET_ANSWER = (
    "Se houver uma conta com este e-mail, o link para criar uma nova senha chega em instantes. Não chegou?"
    " Quem opera o serviço cria um com `carimbo person reset`."
)


async def sign_in_page(visit: Visit) -> Response:
    """Shows the form of sign-in. A person with a session is redirected to the page they wanted."""
    token = security.session_token(visit.request, visit.options)
    if token and await find_session(visit.services.database, token):
        return redirect(visit.back)
    return sign_in_form(visit, None, notice=_REASONS.get(visit.filter("motivo")))


def sign_in_form(
    visit: Visit, problem: Refusal | None, email: str = "", notice: str | None = None
) -> Response:
    """Shows the form of sign-in, with the reason if it was refused."""
    template = "sign_in/sign_in.html"
    if problem is not None:
        return refused_page(visit, template, problem, email=email, notice=notice)
    return page(visit, template, problem=None, email=email, notice=notice)


async def sign_in(visit: Visit) -> Response:
    """Signs in by password, and by code if the person has a second factor."""
    form = await visit.form()
    email, code = text_of(form, "email"), text_of(form, "code") or None
    try:
        result = await sign_in_with_password(
            visit.services.sign_in, email, password_of(form), code, visitor_of(visit)
        )
    except Refusal as refusal:
        return sign_in_form(visit, refusal, email)
    if isinstance(result, CodeNeeded):
        return sign_in_form(visit, _code_needed(), email)
    return await enter(visit, result, visit.back)


async def leave(visit: PersonVisit) -> Response:
    """Ends the session."""
    await sign_out(visit.services.database, visit.session)
    response = redirect(f"{visit.root}/entrar")
    security.end_session(response, visit.options)
    return response


async def reset_page(visit: Visit) -> Response:
    """Shows the form that asks for a link to a new password."""
    return page(visit, "sign_in/reset.html", answer=None)


async def reset(visit: Visit) -> Response:
    """Sends the link, if there is such an account. The answer does not say whether there is."""
    form = await visit.form()
    await ask_for_reset(visit.services.sign_in, text_of(form, "email"), visitor_of(visit))
    return page(visit, "sign_in/reset.html", answer=_RESET_ANSWER)


async def demo_link_page(visit: Visit) -> Response:
    """Shows the button that signs in by a link. Opening a link changes nothing yet."""
    person = await open_link(visit.services.sign_in, _token(visit), LinkPurpose.SIGN_IN, visitor_of(visit))
    return page(visit, "sign_in/link.html", person=person)


async def demo_link(visit: Visit) -> Response:
    """Signs in by a link."""
    result = await use_link(visit.services.sign_in, _token(visit), LinkPurpose.SIGN_IN, visitor_of(visit))
    return await _after_link(visit, result)


def _password_page(purpose: LinkPurpose, template: str) -> Callable[[Visit], Awaitable[Response]]:
    async def show(visit: Visit) -> Response:
        person = await open_link(visit.services.sign_in, _token(visit), purpose, visitor_of(visit))
        return page(visit, template, person=person, problem=None, name=person.name or "")

    return show


def _password_form(purpose: LinkPurpose, template: str) -> Callable[[Visit], Awaitable[Response]]:
    async def use(visit: Visit) -> Response:
        form, context = await visit.form(), visit.services.sign_in
        name = text_of(form, "name") or None
        try:
            result = await use_link(
                context,
                _token(visit),
                purpose,
                visitor_of(visit),
                password=password_of(form),
                name=name,
            )
        except Refusal as refusal:
            person = await person_of_link(context, _token(visit), purpose)
            return refused_page(visit, template, refusal, person=person, name=name or "")
        return await _after_link(visit, result)

    return use


async def invitation_page(visit: PersonVisit) -> Response:
    """Asks whether the account that is signed in accepts an invitation."""
    name = await invited_to(visit.services.sign_in, visit.session, _token(visit))
    return page(visit, "sign_in/accept.html", subscription_name=name)


async def accept_invitation(visit: PersonVisit) -> Response:
    """Accepts an invitation with the account that is signed in."""
    subscription_id = await join_by_link(visit.services.sign_in, visit.session, _token(visit))
    return redirect(f"{visit.root}/{subscription_id}" if subscription_id else visit.root)


async def confirm_page(visit: PersonVisit) -> Response:
    """Asks the person to confirm who they are, before something that needs it."""
    return page(visit, CONFIRM, problem=None)


async def confirm(visit: PersonVisit) -> Response:
    """Confirms by password who uses the session, which gets a new token."""
    form = await visit.form()
    code = text_of(form, "code") or None
    try:
        result = await confirm_identity(
            visit.services.sign_in, visit.session, password_of(form), code, visitor_of(visit)
        )
    except Refusal as refusal:
        return refused_page(visit, CONFIRM, refusal)
    if isinstance(result, CodeNeeded):
        return refused_page(visit, CONFIRM, _code_needed())
    return await enter(visit, result, visit.back)


def _code_needed() -> Refusal:
    return Refusal(ErrorCode.INVALID_SIGN_IN, _CODE_NEEDED)


def _token(visit: Visit) -> str:
    return str(visit.request.path_params["token"])


async def enter(visit: Visit, signed_in: SignedIn, address: str) -> Response:
    """Gives the browser its new session, and ends the one that it had before."""
    former = security.session_token(visit.request, visit.options)
    session = await find_session(visit.services.database, former) if former else None
    if session is not None and session.id != signed_in.session.id:
        await sign_out(visit.services.database, session)
    response = redirect(address)
    security.set_session(response, visit.options, signed_in.token)
    return response


async def _after_link(visit: Visit, result: SignedIn | CodeNeeded) -> Response:
    """Enters, or asks for the code of the second factor together with the new password."""
    if isinstance(result, CodeNeeded):
        return redirect(f"{visit.root}/entrar?motivo={_RESET_DONE}")
    subscription = next((membership.subscription for membership in result.session.memberships), None)
    return await enter(visit, result, f"{visit.root}/{subscription.id}" if subscription else visit.root)


_INVITATION = (LinkPurpose.INVITATION, "sign_in/invitation.html")
_RESET = (LinkPurpose.RESET, "sign_in/new_password.html")
ROUTES = (
    open_page("/entrar", sign_in_page),
    open_page("/entrar", sign_in, POST),
    own_page("/sair", leave, POST),
    open_page("/recuperar", reset_page),
    open_page("/recuperar", reset, POST),
    open_page("/entrar/link/{token}", demo_link_page),
    open_page("/entrar/link/{token}", demo_link, POST),
    open_page("/convite/{token}", _password_page(*_INVITATION)),
    open_page("/convite/{token}", _password_form(*_INVITATION), POST),
    own_page("/convite/{token}/aceitar", invitation_page),
    own_page("/convite/{token}/aceitar", accept_invitation, POST),
    open_page("/redefinir/{token}", _password_page(*_RESET)),
    open_page("/redefinir/{token}", _password_form(*_RESET), POST),
    own_page("/confirmar", confirm_page),
    own_page("/confirmar", confirm, POST),
)
