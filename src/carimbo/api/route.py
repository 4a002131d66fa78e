"""The route class of every resource: checks that come before a body is validated, in a fixed order.

Credentials and rate were checked in the middleware; here follow the company of the path, the media type and
the JSON itself. Only then does the framework validate.
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
from carimbo.service.companies import find_company, find_only_company
from carimbo.service.errors import Code, Refusal

JSON = "application/json"
# RFC 7396; what a PATCH means here is the same by either name.
MERGE_PATCH = "application/merge-patch+json"
FORM = "multipart/form-data"
MUST_BE_SENT = {"x-must-be-sent": True}
"""Marks a form field that must be sent, though it may be empty: the framework takes empty for absent."""
ONLY_COMPANY_PREFIX = "/v1/company/"
COMPANY_PARAMETER = "companyId"


class ReadRequest(Request):
    """A request whose JSON has been read by us already."""

    parsed: Any = None

    async def json(self) -> Any:
        """The body as it was read once, for the framework, which would read it by its own rules."""
        return self.parsed


class Endpoint(APIRoute):
    """A route that resolves its company and reads its body before anything else happens."""

    sees_deleted_companies = False
    document_type: DocumentType | None = None
    """The type that the route is of; None for a route of all types, or of none."""

    @classmethod
    def of_type(cls, kind: DocumentType) -> "type[Endpoint]":
        """Returns the class of routes of a document type."""
        return type(cls.__name__, (cls,), {"document_type": kind})

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Put what every route does before the framework's own handling."""
        handle = super().get_route_handler()
        parameters = get_flat_params(self.dependant)
        # A model of query parameters comes as its fields, which say nothing of where they stand.
        known = {one.alias for one in parameters if not isinstance(one.field_info, Path | Header)}

        async def checked(request: Request) -> Response:
            await self._resolve_company(request)
            request.state.document_type = self.document_type
            _refuse_unknown_parameters(request, known)
            request.scope["query_string"] = _without_blanks(request.scope["query_string"])
            read = ReadRequest(request.scope, request.receive)
            await self._read_body(read)
            return await self._early_answer(read) or await handle(read)

        return checked

    async def _resolve_company(self, request: Request) -> None:
        """Put the company of the path in the request; somebody else's is as absent as none."""
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
        """What can be said before the body is validated."""
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
            raise Refusal(Code.UNSUPPORTED_MEDIA_TYPE, f"Envie o corpo como {expected}.", expected=expected)
        if expected == JSON:
            parsed = await read_json_body(body)
            # The framework reads models from attributes too, and a Decimal would pass for an empty object.
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
    """A route that reads documents, which outlive their company."""

    sees_deleted_companies = True


def _refuse_unknown_parameters(request: Request, known: set[str]) -> None:
    """A misspelt `pagesize` that is silently ignored would answer another question than was asked."""
    _refuse_names([name for name, _ in request.query_params.multi_items()], known)


def _without_blanks(query: bytes) -> bytes:
    """Returns a query string without its empty values: forms send their empty fields, as in `?status=`."""
    items = query.decode("latin-1").split("&")
    kept = [item for item in items if unquote_plus(item.partition("=")[2]).strip()]
    return "&".join(kept).encode("latin-1")


def _require_utf8(request: Request) -> None:
    """A form's charset would be looked up among all of Python's codecs, some of which are no text at all."""
    _, parameters = parse_options_header(request.headers["content-type"])
    if parameters.get(b"charset", b"utf-8").lower() != b"utf-8":
        raise Refusal(Code.MALFORMED_FORM)


def _refuse_names(given: list[str], known: set[str], required: Set[str] = frozenset()) -> None:
    """Refuse names that are unknown, sent twice or missing, all at once."""
    wrong = {
        "extra_forbidden": set(given) - known,
        "repeated": {name for name in known if given.count(name) > 1},
        "missing": required - set(given),
    }
    errors = [
        {"type": kind, "loc": (name,), "msg": "", "known_names": known}
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
