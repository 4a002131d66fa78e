"""The declaration of pages and forms: address, who may open it, and the function that answers."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from starlette.responses import Response
from starlette.routing import compile_path

from carimbo.dashboard.options import PREFIX
from carimbo.dashboard.security import LONG_FORM, SHORT_FORM, FormLimits
from carimbo.dashboard.visit import CompanyVisit, OperatorVisit, PersonVisit, SubscriptionVisit, Visit
from carimbo.service.people.roles import NEEDS_FRESH_SIGN_IN, Capability

_OF_SUBSCRIPTION = "/{subscription_id:uuid}"
_OF_COMPANY = f"{_OF_SUBSCRIPTION}/empresas/{{company_id:uuid}}"
GET, POST = "GET", "POST"


class Level(Enum):
    """The people who may open a page at all; a capability limits it further."""

    ANYBODY = "anybody"
    PERSON = "person"
    SUBSCRIPTION = "subscription"
    COMPANY = "company"
    OPERATOR = "operator"


@dataclass(frozen=True)
class PageRoute:
    """A page (GET) or the target of a form (POST)."""

    method: str
    path: str
    level: Level
    capability: Capability | None
    answer: Callable[[Any], Awaitable[Response]]
    is_sensitive: bool = False
    """Whether a form changes how somebody signs in, or gives data to people without an account."""
    acts: bool = False
    """Whether it is a form that acts only once, however often it arrives (see `submissions.py`)."""
    is_form: bool = False
    """Whether it is the page of a form: where the form needs a recent sign-in, so does the page, before
    anything is typed."""
    limits: FormLimits = SHORT_FORM
    """How large the form may be."""

    @property
    def name(self) -> str:
        """The name of the route in metrics."""
        return f"painel {self.method} {self.path.removeprefix(PREFIX) or '/'}"

    @property
    def changes_something(self) -> bool:
        """Whether it is a form that changes something, or the page of such a form."""
        return self.acts or self.is_form

    @property
    def needs_fresh_sign_in(self) -> bool:
        """Whether the person must have signed in, or confirmed it, within the last minutes."""
        is_form = self.method == POST or self.is_form
        return is_form and (self.is_sensitive or self.capability in NEEDS_FRESH_SIGN_IN)


def open_page(path: str, answer: Callable[[Visit], Awaitable[Response]], method: str = GET) -> PageRoute:
    """Declares a page that needs no session."""
    return PageRoute(method, f"{PREFIX}{path}", Level.ANYBODY, None, answer)


def own_page(
    path: str,
    answer: Callable[[PersonVisit], Awaitable[Response]],
    method: str = GET,
    *,
    is_sensitive: bool = False,
) -> PageRoute:
    """Declares a page about the person who opens it."""
    return PageRoute(method, f"{PREFIX}{path}", Level.PERSON, None, answer, is_sensitive)


def operator_page(
    path: str,
    answer: Callable[[OperatorVisit], Awaitable[Response]],
    method: str = GET,
    *,
    is_sensitive: bool = False,
) -> PageRoute:
    """Declares a page about the installation."""
    path = f"{PREFIX}/operacao{path}"
    return PageRoute(method, path, Level.OPERATOR, Capability.OPERATE, answer, is_sensitive)


def subscription_page(
    path: str,
    capability: Capability,
    answer: Callable[[SubscriptionVisit], Awaitable[Response]],
    method: str = GET,
) -> PageRoute:
    """Declares a page about a subscription."""
    return PageRoute(method, f"{PREFIX}{_OF_SUBSCRIPTION}{path}", Level.SUBSCRIPTION, capability, answer)


def company_page(
    path: str,
    capability: Capability,
    answer: Callable[[CompanyVisit], Awaitable[Response]],
    method: str = GET,
    *,
    is_sensitive: bool = False,
) -> PageRoute:
    """Declares a page about a company."""
    return PageRoute(method, f"{PREFIX}{_OF_COMPANY}{path}", Level.COMPANY, capability, answer, is_sensitive)


def form_of(route: PageRoute) -> PageRoute:
    """Declares that a page is a form."""
    return replace(route, is_form=True)


def sensitive(route: PageRoute) -> PageRoute:
    """Declares that a form gives data to people without an account, and needs a recent sign-in."""
    return replace(route, is_sensitive=True)


def acting(route: PageRoute, limits: FormLimits = SHORT_FORM) -> PageRoute:
    """Declares the target of a form that acts only once."""
    return replace(route, method=POST, acts=True, limits=limits)


def filling(route: PageRoute) -> PageRoute:
    """Declares the target of a form that is only shown again, filled or checked: it changes nothing."""
    return replace(route, method=POST, limits=LONG_FORM)


class PageTable:
    """Finds the route of a path. The first one that matches counts."""

    def __init__(self, routes: Iterable[PageRoute]) -> None:
        self._routes = [(_pattern(route.path), route) for route in routes]

    def select(self, method: str, path: str) -> tuple[PageRoute, Mapping[str, str]] | None:
        """Returns the route and the values in its path, or None."""
        for pattern, route in self._routes:
            if route.method == method and (match := pattern.fullmatch(path)):
                return route, match.groupdict()
        return None

    def find(self, method: str, path: str) -> PageRoute:
        """Returns the route of a path. Raises LookupError for an unknown path."""
        selected = self.select(method, path)
        if selected is None:
            raise LookupError(f"{method} {path}")
        return selected[0]


def _pattern(path: str) -> re.Pattern[str]:
    return compile_path(path)[0]
