"""Minha conta: password, passkeys, second factor and sessions of the person who opens it."""

from typing import Any
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard import security
from carimbo.dashboard.forms import password_of, text_of
from carimbo.dashboard.pages.sign_in import SESSION_ENDED
from carimbo.dashboard.qr_code import qr_code
from carimbo.dashboard.rendering import page, redirect, refused_page
from carimbo.dashboard.routes import POST, own_page
from carimbo.dashboard.user_agents import browser_name
from carimbo.dashboard.visit import PersonVisit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.passkeys import list_passkeys
from carimbo.service.people.second_factor import (
    begin_second_factor,
    begun_second_factor,
    disable_second_factor,
    enable_second_factor,
)
from carimbo.service.people.sessions import SessionEnded, end_other_sessions, end_session, list_sessions
from carimbo.service.people.sign_in import change_name, change_password
from carimbo.service.words import SIGN_IN_METHODS

_FACTOR = "account/second_factor.html"


async def account(visit: PersonVisit) -> Response:
    """Shows how the person signs in, and where they are signed in."""
    return await account_with_problem(visit, None)


async def account_with_problem(visit: PersonVisit, problem: Refusal | None) -> Response:
    """Shows the account, with the reason why a form was refused. An ended session sees nothing more."""
    if isinstance(problem, SessionEnded):
        return redirect(f"{visit.root}/entrar?motivo={SESSION_ENDED}")
    person_id = visit.session.person.id
    template = "account/account.html"
    values: dict[str, Any] = {
        "passkeys": await list_passkeys(visit.services.database, person_id),
        "sessions": await list_sessions(visit.services.database, person_id),
        "methods": SIGN_IN_METHODS,
        "browser_name": browser_name,
    }
    if problem is not None:
        return refused_page(visit, template, problem, **values)
    return page(visit, template, problem=None, **values)


async def rename(visit: PersonVisit) -> Response:
    """Changes the name of the person."""
    try:
        await change_name(visit.services.sign_in, visit.session, text_of(await visit.form(), "name"))
    except Refusal as refusal:
        return await account_with_problem(visit, refusal)
    return redirect(f"{visit.root}/conta")


async def new_password(visit: PersonVisit) -> Response:
    """Replaces the password, and ends all other sessions."""
    try:
        token = await change_password(visit.services.sign_in, visit.session, password_of(await visit.form()))
    except Refusal as refusal:
        return await account_with_problem(visit, refusal)
    return back_to_account(visit, token)


async def begin_factor(visit: PersonVisit) -> Response:
    """Shows a new secret for an authenticator app. It counts once a code proves that the app has it."""
    try:
        start = await begin_second_factor(visit.services.sign_in, visit.session)
    except Refusal as refusal:
        return await account_with_problem(visit, refusal)
    return page(visit, _FACTOR, problem=None, start=start, code=qr_code(start.uri))


async def enable_factor(visit: PersonVisit) -> Response:
    """Turns the second factor on."""
    try:
        code = text_of(await visit.form(), "code")
        token = await enable_second_factor(visit.services.sign_in, visit.session, code)
    except Refusal as refusal:
        if refusal.code is not ErrorCode.VALIDATION_ERROR:
            return await account_with_problem(visit, refusal)
        # The app has this secret already: only the code was wrong.
        start = await begun_second_factor(visit.services.sign_in, visit.session)
        return refused_page(visit, _FACTOR, refusal, start=start, code=qr_code(start.uri))
    return back_to_account(visit, token)


async def disable_factor(visit: PersonVisit) -> Response:
    """Turns the second factor off."""
    try:
        await disable_second_factor(visit.services.sign_in, visit.session)
    except Refusal as refusal:
        return await account_with_problem(visit, refusal)
    return redirect(f"{visit.root}/conta")


async def finish_session(visit: PersonVisit) -> Response:
    """Ends a session of the person, also this one. One that has ended already is no problem."""
    session_id = UUID(visit.request.path_params["session_id"])
    try:
        await end_session(visit.services.database, visit.session.person.id, session_id)
    except Refusal as refusal:
        if refusal.code is not ErrorCode.NOT_FOUND:
            raise
    response = redirect(f"{visit.root}/conta")
    if session_id == visit.session.id:
        security.end_session(response, visit.options)
    return response


async def finish_other_sessions(visit: PersonVisit) -> Response:
    """Ends all sessions of the person but this one."""
    try:
        token = await end_other_sessions(visit.services.database, visit.session)
    except Refusal as refusal:
        return await account_with_problem(visit, refusal)
    return back_to_account(visit, token)


def back_to_account(visit: PersonVisit, token: str) -> Response:
    """Returns to the account, and gives the browser the new token of its session."""
    response = redirect(f"{visit.root}/conta")
    security.set_session(response, visit.options, token)
    return response


ROUTES = (
    own_page("/conta", account),
    own_page("/conta/nome", rename, POST),
    own_page("/conta/senha", new_password, POST, is_sensitive=True),
    own_page("/conta/segundo-fator", begin_factor, POST, is_sensitive=True),
    own_page("/conta/segundo-fator/ligar", enable_factor, POST, is_sensitive=True),
    own_page("/conta/segundo-fator/desligar", disable_factor, POST, is_sensitive=True),
    own_page("/conta/sessoes/{session_id:uuid}/encerrar", finish_session, POST),
    own_page("/conta/sessoes/encerrar-outras", finish_other_sessions, POST),
)
