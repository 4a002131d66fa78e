"""The route class of every resource: checks before the body is validated, in a fixed order.

The middleware has checked credentials and rate; here follow the company of the path, the media type and the
JSON itself. Then the framework validates.
"""

from collections.abc import Callable, Coroutine, Set
from decimal import Decimal
from typing import Any
from urllib.parse import unquote_plus
from uuid import UUID

from fastapi import Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Form, Header, Path
from fastapi.routing import APIRoute
from python_multipart.multipart import parse_options_header

from carimbo.api.context import services_of, subscription_of
from carimbo.api.errors import validation_refusal
from carimbo.api.json_body import read_json_body
from carimbo.fiscal.document_type import DocumentType
from carimbo.service.companies.registration import find_company, find_only_company
from carimbo.service.errors import ErrorCode, Refusal

JSON = "application/json"
# RFC 7396; a PATCH means the same with either media type.
MERGE_PATCH = "application/merge-patch+json"
FORM = "multipart/form-data"
MUST_BE_SENT = {"x-must-be-sent": True}
"""Marks a form field that is required but may be empty: the framework treats empty as absent."""
ONLY_COMPANY_PREFIX = "/v1/company/"
COMPANY_PARAMETER = "companyId"


class ReadRequest(Request):
    """A request whose JSON we have already parsed."""

    parsed: Any = None

    async def json(self) -> Any:
        """Returns the parsed body, instead of letting the framework parse it by its own rules."""
        return self.parsed


class Endpoint(APIRoute):
    """A route that finds its company and parses its body before the framework validates."""

    sees_deleted_companies = False
    document_type: DocumentType | None = None
    """The document type of the route; None if it serves all types, or no documents."""

    @classmethod
    def of_type(cls, document_type: DocumentType) -> "type[Endpoint]":
        """Returns the class for routes of a document type."""
        return type(cls.__name__, (cls,), {"document_type": document_type})

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wraps the framework's handler with the checks of every route."""
        handle = super().get_route_handler()
        parameters = get_flat_params(self.dependant)
        # Fields of a query parameter model do not say where they are sent; so path and header are excluded.
        allowed = {item.alias for item in parameters if not isinstance(item.field_info, Path | Header)}

        async def checked(request: Request) -> Response:
            await self._resolve_company(request)
            request.state.document_type = self.document_type
            # Ignoring a misspelt `pagesize` silently would answer another question than was asked.
            _refuse_names([name for name, _ in request.query_params.multi_items()], allowed)
            request.scope["query_string"] = _without_empty_values(request.scope["query_string"])
            read = ReadRequest(request.scope, request.receive)
            await self._read_body(read)
            return await self._early_answer(read) or await handle(read)

        return checked

    async def _resolve_company(self, request: Request) -> None:
        """Puts the company of the path into the request; a company of another subscription is not found."""
        services, path = services_of(request), request.scope["path"]
        if COMPANY_PARAMETER in request.path_params:
            company_id = _uuid(request.path_params[COMPANY_PARAMETER])
            request.state.company = await find_company(
                services.database,
                subscription_of(request).id,
                company_id,
                deleted_too=self.sees_deleted_companies,
            )
        elif f"{path}/".startswith(ONLY_COMPANY_PREFIX):
            request.state.company = await find_only_company(services.database, subscription_of(request).id)

    async def _early_answer(self, request: ReadRequest) -> Response | None:
        """Returns an answer that needs no validated body, or None."""
        return None

    async def _read_body(self, request: ReadRequest) -> None:
        if self.body_field is None:
            return
        expected = FORM if isinstance(self.body_field.field_info, Form) else JSON
        body = await request.body()
        if not body and not self.body_field.field_info.is_required():
            return
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_merge_patch = media_type == MERGE_PATCH and request.method == "PATCH"
        if media_type != expected and not is_merge_patch:
            raise Refusal(
                ErrorCode.UNSUPPORTED_MEDIA_TYPE, f"Envie o corpo como {expected}.", expected=expected
            )
        if expected == JSON:
            parsed = await read_json_body(body)
            # The framework also reads models from attributes, so a Decimal would pass for an empty object.
            request.parsed = float(parsed) if isinstance(parsed, Decimal) else parsed
        else:
            _require_utf8(request)
            await self._check_form(request)

    async def _check_form(self, request: Request) -> None:
        fields = self.dependant.body_params
        required = {
            field.alias
            for field in fields
            if field.field_info.is_required() or field.field_info.json_schema_extra == MUST_BE_SENT
        }
        form = await request.form()
        try:
            _refuse_names(
                [name for name, _ in form.multi_items()], {field.alias for field in fields}, required
            )
        except Refusal:
            await form.close()
            raise


class ReadingEndpoint(Endpoint):
    """A route that reads documents, also those of deleted companies."""

    sees_deleted_companies = True


def _without_empty_values(query: bytes) -> bytes:
    """Returns a query string without its empty values: forms send their empty fields, as in `?status=`."""
    items = query.decode("latin-1").split("&")
    kept = [item for item in items if unquote_plus(item.partition("=")[2]).strip()]
    return "&".join(kept).encode("latin-1")


def _require_utf8(request: Request) -> None:
    """Refuses other charsets: the parser would accept every Python codec, and some are not for text."""
    _, parameters = parse_options_header(request.headers["content-type"])
    if parameters.get(b"charset", b"utf-8").lower() != b"utf-8":
        raise Refusal(ErrorCode.MALFORMED_FORM)


def _refuse_names(given: list[str], allowed: set[str], required: Set[str] = frozenset()) -> None:
    """Refuses unknown, repeated and missing names, all at once."""
    wrong = {
        "extra_forbidden": set(given) - allowed,
        "repeated": {name for name in allowed if given.count(name) > 1},
        "missing": required - set(given),
    }
    errors = [
        {"type": kind, "loc": (name,), "msg": "", "known_names": allowed}
        for kind, names in wrong.items()
        for name in names
    ]
    if errors:
        raise validation_refusal(sorted(errors, key=lambda error: error["loc"]))


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise validation_refusal(
            [{"type": "uuid_parsing", "loc": ("path", COMPANY_PARAMETER), "msg": ""}]
        ) from None
