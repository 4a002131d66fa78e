"""Reads what forms send."""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.datastructures import FormData

from carimbo.dashboard.visit import Visit
from carimbo.fiscal.body.fields import Body
from carimbo.service.errors import invalid_body
from carimbo.service.network_address import plain_address
from carimbo.service.people.context import Visitor

B = TypeVar("B", bound=Body)


def text_of(form: FormData, name: str) -> str:
    """Returns a text field without blanks around it; empty if it is absent."""
    value = form.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def checked_body(body: type[B], fields: Mapping[str, Any]) -> B:
    """Returns the body of a use case from the fields of a form. Raises Refusal, with the invalid fields."""
    try:
        return body.model_validate(fields)
    except ValidationError as invalid:
        raise invalid_body(invalid, body) from None


def password_of(form: FormData) -> str:
    """Returns the password as it was typed: blanks belong to it."""
    value = form.get("password", "")
    return value if isinstance(value, str) else ""


def visitor_of(visit: Visit) -> Visitor:
    """Returns where the request comes from."""
    client = visit.request.client
    forwarded = ",".join(visit.request.headers.getlist("x-forwarded-for"))
    address = client_address(client.host if client else None, forwarded, visit.options.proxies)
    return Visitor(address, visit.request.headers.get("user-agent"))


def client_address(peer: str | None, forwarded: str, proxies: Collection[str]) -> str | None:
    """Returns the address of the client: that of the peer, or of what a proxy of ours reports as its peer.

    `forwarded` is the header X-Forwarded-For, to which every proxy adds an address at the end. Only addresses
    that our proxies added count, as a client may send the header itself. None if the address is unknown.
    """
    address = plain_address(peer or "")
    for reported in reversed(forwarded.split(",")):
        if address not in proxies or not reported.strip():
            break
        address = plain_address(reported)
    return address
