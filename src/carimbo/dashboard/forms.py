"""Reads what forms send."""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.datastructures import FormData

from carimbo.dashboard.body_form import TypedForm, cleared_body
from carimbo.dashboard.visit import Visit
from carimbo.fiscal.body.form_layout import field_facts
from carimbo.service.errors import ErrorCode, Refusal, invalid_body
from carimbo.service.network_address import plain_address
from carimbo.service.people.context import Visitor

B = TypeVar("B", bound=BaseModel)
_REQUIRED = "Campo obrigatório."


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


def require_filled(typed: TypedForm) -> None:
    """Refuses blank inputs and empty lists of a change that can't clear their fields."""
    layout = typed.layout
    blank = [field.path for field in layout.fields if field.is_required and not typed.texts.get(field.path)]
    needed = (each for each in layout.lists if field_facts(layout.body, each.path).is_required)
    blank += [form_list.path for form_list in needed if not typed.rows(form_list)]
    if blank:
        fields = [{"field": path, "error": _REQUIRED} for path in blank]
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)


def checked_changes(body: type[B], typed: TypedForm) -> B:
    """Returns the body of a change: a blank input clears its field.

    Raises Refusal, with the invalid fields and with those that must not be blank.
    """
    blank = [
        {"field": field.path, "error": _REQUIRED}
        for field in typed.layout.fields
        if field.is_required and not typed.texts.get(field.path)
    ]
    try:
        changes = checked_body(body, cleared_body(typed))
    except Refusal as refusal:
        invalid = (refusal.details or {}).get("fields", [])
        raise Refusal(refusal.code, refusal.message, fields=[*invalid, *blank]) from None
    if blank:
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=blank)
    return changes


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
