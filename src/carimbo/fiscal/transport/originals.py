"""Fills complements and substitutions from the own document that they correct."""

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from carimbo.fiscal.body.reading import STORED, is_blank
from carimbo.fiscal.catalog.filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.own_documents import OwnDocument
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.request import ServicePurpose, TransportRequest
from carimbo.fiscal.transport.rules.original import Amendment, OriginalRules

Body = Mapping[str, Any]
OwnDocuments = Mapping[str, OwnDocument]
RequestT = TypeVar("RequestT", bound=TransportRequest)


def given_fields(body: Body) -> dict[str, Any]:
    """Returns the fields of a body that have a value; null and blank texts count as absent."""
    return {name: value for name, value in body.items() if not is_blank(value)}


class Originals(Generic[RequestT]):
    """The corrected documents of one type."""

    def __init__(
        self, type_name: str, title: str, request: type[RequestT], rules: OriginalRules[RequestT]
    ) -> None:
        self._type_name = type_name
        self._request = request
        self._rules = rules
        self.beginning = f"Do {title}"
        """The beginning of the warnings about repeated fields."""

    def differences(self, request: RequestT, own: OwnDocuments) -> Iterator[Problem]:
        """Yields the given fields that differ from those of the corrected documents."""
        for position, key in enumerate(request.corrected_keys):
            if (body := self._body_of(key, own)) is not None:
                original = self._request.model_validate(body, context=STORED)
                yield from self._rules.judge(Amendment(request, original, position)).problems

    def first(self, request: RequestT, own: OwnDocuments) -> Body | None:
        """Returns the body of the first corrected document that the company has."""
        bodies = (self._body_of(key, own) for key in request.corrected_keys)
        return next((body for body in bodies if body is not None), None)

    def _body_of(self, key: str, own: OwnDocuments) -> Body | None:
        document = own.get(key)
        return document.request if document and document.type == self._type_name else None

    def repeated(self, body: Body, request: RequestT, fields: Body) -> tuple[Body, FillingReview]:
        """Returns the body with these fields of its original, and a warning that names them."""
        given = given_fields(body)
        filled = {name: value for name, value in fields.items() if name not in given}
        if not filled:
            return body, NOTHING_FILLED
        verb = "complementado" if request.purpose is ServicePurpose.COMPLEMENT else "substituído"
        warning = f"{self.beginning} {verb} foram repetidos: {', '.join(filled)}."
        return {**given, **filled}, FillingReview(warnings=(warning,))
