"""The dashboard as the server sees it: finds the page of a request, checks who asks, and answers."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import UUID

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from carimbo.dashboard import security
from carimbo.dashboard.options import PREFIX, DashboardOptions
from carimbo.dashboard.pages import ROUTES
from carimbo.dashboard.rendering import error_page, static_file
from carimbo.dashboard.routes import GET, POST, Level, PageRoute, PageTable
from carimbo.dashboard.submissions import answer_once
from carimbo.dashboard.visit import (
    CompanyVisit,
    OperatorVisit,
    PersonVisit,
    SubscriptionVisit,
    Visit,
)
from carimbo.service.companies.registration import find_company, unknown_company, visible_companies
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.people.sessions import Session, find_session
from carimbo.service.services import Services
from carimbo.storage.database import DatabaseUnavailable

_log = structlog.get_logger("carimbo.dashboard")
_LONGEST_PATH = 500
_SHOWN_COMPANIES = 50
"""How many companies the menu has; a subscription with more has a page with all of them."""
_UNKNOWN_PAGE = "Esta página não existe, ou não é sua."


class SignInNeeded(Exception):
    """The page needs a session, or one that is fresh; `path` is of the page that makes it."""

    def __init__(self, path: str) -> None:
        self.path = path


class Dashboard:
    """Answers every request at `/painel`."""

    def __init__(self, options: DashboardOptions, routes: Iterable[PageRoute] = ROUTES) -> None:
        self._options = options
        self._table = PageTable(routes)

    async def respond(self, request: Request, services: Services) -> Response:
        """Returns the page, or a page that says why not."""
        try:
            response = static_file(request.url.path) or await self._page(request, services)
        except SignInNeeded as needed:
            response = self._to_sign_in(request, needed.path)
        except Refusal as refusal:
            response = error_page(request, self._options, refusal)
        except DatabaseUnavailable as error:
            _log.warning("database_unavailable", reason=str(error))
            response = error_page(request, self._options, Refusal(ErrorCode.SERVICE_UNAVAILABLE))
        except ClientDisconnect:
            raise
        except Exception as error:
            _log.error("page_failed", exc_info=error)
            response = error_page(request, self._options, Refusal(ErrorCode.INTERNAL_ERROR))
        return security.protect(response)

    async def _page(self, request: Request, services: Services) -> Response:
        security.require_safe_host(request, self._options)
        selected = self._table.select(request.method, request.url.path.removesuffix("/"))
        if selected is None:
            raise not_found(_UNKNOWN_PAGE)
        route, values = selected
        request.scope["route"] = route
        request.scope["dashboard_path"] = route.path
        if route.method == POST:
            security.require_own_form(request, self._options)
        request.scope["path_params"] = dict(values)
        if route.level is Level.ANYBODY:
            return await self._open_page(request, services, route)
        return await self._closed_page(request, services, route)

    async def _open_page(self, request: Request, services: Services, route: PageRoute) -> Response:
        token = security.open_form_token(request, self._options)
        if route.method == POST:
            request = await security.read_form(request)
            await security.require_form_token(request, token)
        response = await route.answer(Visit(request, services, self._options, token))
        security.keep_form_token(response, self._options, token)
        return response

    async def _closed_page(self, request: Request, services: Services, route: PageRoute) -> Response:
        token = security.session_token(request, self._options)
        if token is None:
            raise SignInNeeded("entrar")
        if route.method == POST:
            if route.limits != security.SHORT_FORM:
                # Only for people with a session: a large form takes long to read.
                await self._session(services, token)
            # A form may take long to arrive: the session and what its person may do are read after it.
            request = await security.read_form(request, route.limits)
        try:
            return await self._answer(request, services, route, token)
        finally:
            # Closes the files of a form.
            await request.close()

    async def _answer(self, request: Request, services: Services, route: PageRoute, token: str) -> Response:
        """Answers a request that has a session, if its person may open the page."""
        session = await self._session(services, token)
        visit = await self._visit(request, services, session, route)
        if route.capability is not None and not visit.may(route.capability):
            raise Refusal(ErrorCode.PERMISSION_DENIED, "Seu papel não permite abrir esta página.")
        if route.needs_fresh_sign_in and not session.is_fresh(services.sign_in.clock()):
            raise SignInNeeded("confirmar")
        if route.method == POST:
            await security.require_form_token(request, session.form_token)
        return await (answer_once(visit, route.answer) if route.acts else route.answer(visit))

    async def _session(self, services: Services, token: str) -> Session:
        session = await find_session(services.database, token)
        if session is None:
            raise SignInNeeded("entrar")
        structlog.contextvars.bind_contextvars(person_id=str(session.person.id))
        return session

    async def _visit(
        self, request: Request, services: Services, session: Session, route: PageRoute
    ) -> PersonVisit:
        """Returns the visit that the level of a page needs. Raises Refusal if the person may not open it."""
        common: dict[str, Any] = {
            "request": request,
            "services": services.acting_as(session.actor),
            "options": self._options,
            "form_token": session.form_token,
            "session": session,
            "find_route": self._table.find,
        }
        if route.level is Level.PERSON:
            return PersonVisit(**common)
        if route.level is Level.OPERATOR:
            if not session.person.is_operator:
                raise not_found(_UNKNOWN_PAGE)
            return OperatorVisit(**common)
        subscription_id = UUID(request.path_params["subscription_id"])
        membership = session.membership_in(subscription_id)
        if membership is None:
            raise not_found(_UNKNOWN_PAGE)
        common["membership"] = membership
        common["companies"] = await visible_companies(
            services.database, subscription_id, membership.company_ids, _SHOWN_COMPANIES
        )
        if route.level is Level.SUBSCRIPTION:
            return SubscriptionVisit(**common)
        company_id = UUID(request.path_params["company_id"])
        if not membership.may_see(company_id):
            raise unknown_company()
        # Documents of a deleted company stay readable.
        only_reads = not route.changes_something
        company = await find_company(services.database, subscription_id, company_id, deleted_too=only_reads)
        return CompanyVisit(**common, company=company)

    def _to_sign_in(self, request: Request, page: str) -> Response:
        """Redirects to a page of sign-in, which leads back to where the person was."""
        back = self._back(request)
        address = f"{self._options.root}/{page}" + (f"?para={quote(back)}" if back else "")
        if "hx-request" in request.headers:
            # A redirect would put the page of sign-in into a part of this page.
            return Response(status_code=204, headers={"HX-Redirect": address})
        return RedirectResponse(address, status_code=303)

    def _back(self, request: Request) -> str:
        """Returns the page of a request, without our root; of a form, the page that it is on."""
        url = str(request.url)
        if request.method == POST or "hx-request" in request.headers:
            url = request.headers.get("referer", "")
        try:
            parts = urlsplit(url)
        except ValueError:
            # A referrer that no browser sends.
            return ""
        path = self._options.path_in_dashboard(parts.path)
        if len(path) > _LONGEST_PATH:
            return ""
        # A refused form is shown at its own address, which only takes forms: its page is above it.
        while path and self._table.select(GET, f"{PREFIX}{path}") is None:
            path = path.rpartition("/")[0]
        return f"{path}?{parts.query}" if parts.query else path
