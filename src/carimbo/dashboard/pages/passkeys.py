"""Signing in, confirming and registering with passkeys. The browser talks to the authenticator by script."""

import json
from contextlib import suppress
from typing import Any
from uuid import UUID

from starlette.datastructures import FormData
from starlette.responses import JSONResponse, Response

from carimbo.dashboard.forms import text_of, visitor_of
from carimbo.dashboard.options import host_name, is_domain
from carimbo.dashboard.pages.account import account_with_problem, back_to_account
from carimbo.dashboard.pages.sign_in import CONFIRM, enter, sign_in_form
from carimbo.dashboard.rendering import redirect, refused_page
from carimbo.dashboard.routes import POST, open_page, own_page
from carimbo.dashboard.visit import PersonVisit, Visit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people import passkeys
from carimbo.service.people.passkeys import PasskeyRequest, RelyingParty

_NEEDS_DOMAIN = (
    "Chaves de acesso precisam de um nome de domínio, e não de um endereço IP: abra o painel por ele. Nesta"
    " máquina, por http://localhost."
)


async def sign_in_options(visit: Visit) -> Response:
    """Returns what the browser needs to sign in with a passkey."""
    request = await passkeys.sign_in_options(visit.services.sign_in, _party(visit), visitor_of(visit))
    return _options(request)


async def sign_in(visit: Visit) -> Response:
    """Signs in with a passkey."""
    form = await visit.form()
    try:
        request_id, answer = _answer(form)
        signed_in = await passkeys.sign_in_with_passkey(
            visit.services.sign_in, _party(visit), request_id, answer, visitor_of(visit)
        )
    except Refusal as refusal:
        return sign_in_form(visit, refusal)
    return await enter(visit, signed_in, visit.back)


async def confirmation_options(visit: PersonVisit) -> Response:
    """Returns what the browser needs to confirm who the person is."""
    return _options(await passkeys.confirmation_options(visit.services.sign_in, visit.session, _party(visit)))


async def confirm(visit: PersonVisit) -> Response:
    """Confirms with a passkey who uses the session, which gets a new token."""
    form = await visit.form()
    try:
        request_id, answer = _answer(form)
        signed_in = await passkeys.confirm_with_passkey(
            visit.services.sign_in, visit.session, _party(visit), request_id, answer
        )
    except Refusal as refusal:
        return refused_page(visit, CONFIRM, refusal)
    return await enter(visit, signed_in, visit.back)


async def registration_options(visit: PersonVisit) -> Response:
    """Returns what the browser needs to make a passkey."""
    return _options(await passkeys.registration_options(visit.services.sign_in, visit.session, _party(visit)))


async def register(visit: PersonVisit) -> Response:
    """Adds a passkey to the account."""
    form = await visit.form()
    try:
        request_id, answer = _answer(form)
        await passkeys.register_passkey(
            visit.services.sign_in, visit.session, _party(visit), request_id, answer, text_of(form, "name")
        )
    except Refusal as refusal:
        return await account_with_problem(visit, refusal)
    return redirect(f"{visit.root}/conta")


async def remove(visit: PersonVisit) -> Response:
    """Removes a passkey from the account."""
    passkey_id = UUID(visit.request.path_params["passkey_id"])
    try:
        token = await passkeys.remove_passkey(visit.services.sign_in, visit.session, passkey_id)
    except Refusal as refusal:
        return await account_with_problem(visit, refusal)
    return back_to_account(visit, token)


def _party(visit: Visit) -> RelyingParty:
    """Returns this installation as the browser sees it. Raises Refusal at an IP address."""
    origin = visit.options.origin_at(visit.request.headers.get("host", ""))
    name = host_name(origin)
    if not is_domain(name):
        raise Refusal(ErrorCode.PERMISSION_DENIED, _NEEDS_DOMAIN)
    return RelyingParty(name, origin)


def _options(request: PasskeyRequest) -> Response:
    return JSONResponse({"challenge": str(request.id), "options": request.options})


def _answer(form: FormData) -> tuple[UUID, dict[str, Any]]:
    """Returns the id of the request and the answer of the authenticator, or refuses."""
    with suppress(ValueError, RecursionError):
        answer = json.loads(text_of(form, "credential"))
        if isinstance(answer, dict):
            return UUID(text_of(form, "challenge")), answer
    raise Refusal(ErrorCode.INVALID_SIGN_IN, "A chave de acesso não respondeu: tente de novo.")


ROUTES = (
    open_page("/entrar/passkey/opcoes", sign_in_options, POST),
    open_page("/entrar/passkey", sign_in, POST),
    own_page("/confirmar/passkey/opcoes", confirmation_options, POST),
    own_page("/confirmar/passkey", confirm, POST),
    own_page("/conta/passkeys/opcoes", registration_options, POST, is_sensitive=True),
    own_page("/conta/passkeys", register, POST, is_sensitive=True),
    own_page("/conta/passkeys/{passkey_id:uuid}/remover", remove, POST, is_sensitive=True),
)
