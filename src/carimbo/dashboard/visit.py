"""A visit: the request of a page, who makes it, and the subscription and company that its address names."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote, urlencode, urlsplit
from uuid import UUID, uuid4

from starlette.datastructures import FormData
from starlette.requests import Request

from carimbo.dashboard.options import PREFIX, DashboardOptions, host_name, is_domain
from carimbo.service.listing import PageRequest
from carimbo.service.people.people import Membership
from carimbo.service.people.roles import Capability
from carimbo.service.people.sessions import Session
from carimbo.service.services import Services
from carimbo.storage.companies import CompanyRow

PAGE_SIZE = 25
_LAST_PAGE = 10_000_000
_MAX_DIGITS = 15
Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True)
class Visit:
    """A visit without a session, for the pages of sign-in."""

    request: Request
    services: Services
    options: DashboardOptions
    form_token: str
    """The token that every form sends back, so that no other site can send it."""

    @property
    def root(self) -> str:
        return self.options.root

    @property
    def now(self) -> datetime:
        return self.services.clock()

    @property
    def machine_time(self) -> datetime:
        """The time of this machine, by which sessions and links expire; documents may have another clock."""
        return self.services.sign_in.clock()

    @property
    def link_base(self) -> str:
        """The beginning of links that the person copies: the address at which they reach us."""
        origin = self.options.origin_at(self.request.headers.get("host", ""))
        return f"{origin}{self.options.api_root}"

    @property
    def has_domain(self) -> bool:
        """Whether this address has a name, and no IP address; passkeys need one."""
        return is_domain(host_name(self.link_base))

    @property
    def is_fragment(self) -> bool:
        """Whether htmx asks for a part of a page."""
        return "hx-request" in self.request.headers

    @property
    def page_request(self) -> PageRequest:
        """The page of a list that the address names; the first one if it names none."""
        return PageRequest(self.number_filter("pagina", _LAST_PAGE) or 1, PAGE_SIZE)

    def filter(self, name: str) -> str | None:
        """Returns a filter of the address; None if it is absent or empty."""
        # PostgreSQL stores no text with a null character, so nothing matches one.
        return self.request.query_params.get(name, "").replace("\0", "").strip() or None

    def day_filter(self, name: str) -> date | None:
        """Returns a filter that is a day; None if it is absent or malformed."""
        text = self.filter(name)
        with suppress(ValueError):
            return date.fromisoformat(text) if text else None
        return None

    def number_filter(self, name: str, largest: int) -> int | None:
        """Returns a filter that is a number; None if it is absent, malformed or larger than `largest`."""
        text = self.filter(name) or ""
        is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
        return int(text) if is_number and int(text) <= largest else None

    def id_filter(self, name: str) -> UUID | None:
        """Returns a filter that is an id; None if it is absent or malformed."""
        text = self.filter(name)
        with suppress(ValueError):
            return UUID(text) if text else None
        return None

    def choice(self, name: str, values: type[Choice]) -> Choice | None:
        """Returns a filter that is one of some values; None if it is absent or none of them."""
        text = self.filter(name)
        with suppress(ValueError):
            return values(text) if text else None
        return None

    def here(self, **changed: Any) -> str:
        """Returns the address of this page with changed filters; None removes one."""
        query = {**self.request.query_params, **changed}
        text = urlencode({name: value for name, value in query.items() if value is not None})
        path = self.root + self.options.path_in_dashboard(self.request.url.path)
        return f"{path}?{text}" if text else path

    @property
    def back(self) -> str:
        """The page to go on with after sign-in. It is below our own root, whatever the address says."""
        back = self.request.query_params.get("para", "")
        climbs = any(segment in (".", "..") for segment in unquote(back).replace("\\", "/").split("/"))
        return self.root + back if back.startswith("/") and not climbs else self.root

    @staticmethod
    def new_form_id() -> UUID:
        """Returns the id of a form in this page: the form acts only once."""
        return uuid4()

    async def form(self) -> FormData:
        """Returns the fields that a form sent; the security check has read it already."""
        return await self.request.form()


class KnownRoute(Protocol):
    """A route, as far as a page must know whether to offer it."""

    @property
    def capability(self) -> Capability | None:
        """The capability that it needs."""

    @property
    def changes_something(self) -> bool:
        """Whether it is a form that changes something, or the page of such a form."""


FindRoute = Callable[[str, str], KnownRoute]
"""Returns the route of a method and a path. Raises LookupError for an unknown path."""


@dataclass(frozen=True)
class PersonVisit(Visit):
    """A visit of a person who signed in."""

    session: Session
    find_route: FindRoute

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The capabilities of the person at this address."""
        return frozenset()

    def may(self, capability: Capability) -> bool:
        """Whether the person may do something at this address."""
        return capability in self.capabilities

    def may_open(self, address: str) -> bool:
        """Whether the person may open a page of this subscription, as the table of routes says."""
        return self._may("GET", address)

    def may_send(self, address: str) -> bool:
        """Whether the person may send a form of this subscription, as the table of routes says."""
        return self._may("POST", address)

    def _may(self, method: str, address: str) -> bool:
        path = PREFIX + self.options.path_in_dashboard(urlsplit(address).path)
        return self._offers(self.find_route(method, path))

    def _offers(self, route: KnownRoute) -> bool:
        return route.capability is None or self.may(route.capability)

    @property
    def may_download(self) -> bool:
        """Whether the person may download the lists that they see."""
        return self.may(Capability.EXPORT)


@dataclass(frozen=True)
class OperatorVisit(PersonVisit):
    """A visit of the operator to the pages of the installation."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset({Capability.OPERATE})

    @property
    def may_download(self) -> bool:
        return self.may(Capability.OPERATE)


@dataclass(frozen=True)
class SubscriptionVisit(PersonVisit):
    """A visit to a subscription of which the person is a member."""

    membership: Membership
    companies: Sequence[CompanyRow]
    """The first companies that the person may see, by name."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        return self.membership.capabilities

    @property
    def subscription_id(self) -> UUID:
        return self.membership.subscription.id

    @property
    def base(self) -> str:
        """The address of the subscription."""
        return f"{self.root}/{self.subscription_id}"

    def of_company(self, company_id: UUID) -> str:
        """Returns the address of a company."""
        return f"{self.base}/empresas/{company_id}"

    @property
    def may_see_webhooks(self) -> bool:
        """Whether the person may see webhooks and their deliveries."""
        return self.may(Capability.READ_WEBHOOKS)


@dataclass(frozen=True)
class CompanyVisit(SubscriptionVisit):
    """A visit to a company that the person may see."""

    company: CompanyRow

    def _offers(self, route: KnownRoute) -> bool:
        # A deleted company can be read, and nothing more.
        return super()._offers(route) and not (self.company.deleted_at and route.changes_something)

    @property
    def company_base(self) -> str:
        """The address of the company."""
        return self.of_company(self.company.id)

    @property
    def state(self) -> str | None:
        """The state of the company, whose time zone its pages show."""
        return self.company.state
