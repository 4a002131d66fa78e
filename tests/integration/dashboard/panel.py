"""A person's browser without a browser: an HTTP client with their session, that reads pages as HTML."""

from dataclasses import dataclass
from random import randrange
from typing import Any
from uuid import UUID, uuid4

import httpx2
from fastapi import FastAPI
from lxml import html

from carimbo.service.people.context import Visitor
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.sessions import SignInMethod, start_session
from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.people import People, PersonRow

ORIGIN = "http://localhost"
COOKIE = "carimbo-local"


@dataclass(frozen=True)
class Panel:
    """A signed-in person, with the subscription whose pages they open."""

    http: httpx2.AsyncClient
    person: PersonRow
    subscription_id: UUID | None
    token: str

    @property
    def base(self) -> str:
        return f"/painel/{self.subscription_id}"

    def company(self, company_id: object) -> str:
        """Returns the address of a company."""
        return f"{self.base}/empresas/{company_id}"

    async def page(self, address: str) -> html.HtmlElement:
        """Opens a page, which must exist, and returns its HTML."""
        answer = await self.http.get(address)
        assert answer.status_code == 200, (address, answer.status_code, text_of(html.fromstring(answer.text)))
        return html.fromstring(answer.text)

    async def send(self, page: str, action: str, **fields: Any) -> httpx2.Response:
        """Sends a form of a page to an address, with the token that the page has."""
        tokens = (await self.page(page)).xpath("//input[@name='form_token']/@value")
        hidden = {"form_token": tokens[0], "form_id": str(uuid4())}
        return await self.http.post(action, data={**hidden, **fields}, headers={"Origin": ORIGIN})

    async def submit(self, page: str, action: str, **fields: Any) -> httpx2.Response:
        """Sends a form that acts once from a page, with the hidden fields of the page's form."""
        form = (await self.page(page)).xpath(
            "//form[@action=$action][.//input[@name='form_id']]", action=action
        )
        assert form, f"{page} has no form that goes to {action}"
        hidden = {each.get("name"): each.get("value") for each in form[0].xpath(".//input[@type='hidden']")}
        return await self.http.post(action, data={**hidden, **fields}, headers={"Origin": ORIGIN})

    async def press(self, page: html.HtmlElement, button: str, **typed: str) -> httpx2.Response:
        """Presses the button with a text, after typing into inputs of its form, as a browser would."""
        pressed = [each for each in page.xpath("//button") if text_of(each) == button]
        assert pressed, (button, [text_of(each) for each in page.xpath("//button")])
        form = next(each for each in pressed[0].iterancestors("form"))
        fields = fields_of(form)
        unknown = typed.keys() - fields.keys()
        assert not unknown, f"the form has no input {unknown}"
        if pressed[0].get("name"):
            fields[pressed[0].get("name")] = pressed[0].get("value") or ""
        action = (pressed[0].get("formaction") or form.get("action")).partition("#")[0]
        return await self.http.post(action, data={**fields, **typed}, headers={"Origin": ORIGIN})


def fields_of(form: html.HtmlElement) -> dict[str, str]:
    """Returns what a browser sends of a form, without files."""
    fields = {}
    for element in form.xpath(".//input[@name] | .//select[@name] | .//textarea[@name]"):
        if element.tag == "select":
            chosen = element.xpath("./option[@selected]") or element.xpath("./option")[:1]
            fields[element.get("name")] = chosen[0].get("value") if chosen else ""
        elif element.tag == "textarea":
            fields[element.get("name")] = (element.text or "").removeprefix("\n")
        elif element.get("type") not in ("checkbox", "radio") or element.get("checked") is not None:
            fields[element.get("name")] = element.get("value") or ""
    return fields


def strings_of(page: str | html.HtmlElement, path: str) -> list[str]:
    """Returns the texts or attributes that an XPath finds on a page."""
    element = html.fromstring(page) if isinstance(page, str) else page
    existing: Any = element.xpath(path)
    return [str(each) for each in existing]


def text_of(element: Any) -> str:
    """Returns the text that a reader sees, with single blanks."""
    return " ".join(element.text_content().split())


def words_of(element: Any) -> str:
    """Returns the text of an element with a blank between its parts, as lines and cells separate them."""
    return " ".join(" ".join(element.itertext()).split())


def new_browser(app: FastAPI) -> httpx2.AsyncClient:
    """Returns a client without a session, with an address of its own: attempts of an address are limited."""
    address = f"10.{randrange(256)}.{randrange(256)}.{randrange(256)}"
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app, client=(address, 1)), base_url=ORIGIN)


async def new_panel(
    app: FastAPI,
    database: Database,
    subscription_id: UUID | None,
    role: MemberRole | None = MemberRole.OWNER,
    company_ids: frozenset[UUID] | None = None,
    *,
    is_operator: bool = False,
) -> Panel:
    """Creates a person with a role in a subscription, and signs them in."""
    async with database.tenant(subscription_id or NIL) as tenant:
        people = People(tenant.connection)
        person = await people.get_or_add(new_id(), f"{uuid4().hex}@example.com", "Ana Souza")
        if is_operator:
            await people.make_operator(person.id)
        if subscription_id and role:
            await tenant.memberships.put_invited(person.id, role, company_ids)
            await tenant.memberships.accept(person.id)
    async with database.tenant(NIL) as installation:
        token = await start_session(
            installation, person, SignInMethod.PASSWORD, Visitor("127.0.0.1", "Navegador de teste")
        )
    assert token is not None
    http = new_browser(app)
    http.cookies.set(COOKIE, token)
    return Panel(http, person, subscription_id, token)
