"""Fills complements and substitutions from the own document that they correct."""

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from carimbo.fiscal.body.reading import STORED, is_blank
from carimbo.fiscal.catalog.filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.own_documents import OwnDocument
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.hints import hinted_problem
from carimbo.fiscal.transport.request import ServicePurpose, TransportRequest
from carimbo.fiscal.transport.rules.corrected import COMPLEMENTED, REPLACED
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
        self._type_name, self._title = type_name, title
        self._request = request
        self._rules = rules
        self.beginning = f"Do {title}"
        """The beginning of the warnings about repeated fields."""

    def problems(self, request: RequestT, own: OwnDocuments) -> Iterator[Problem]:
        """Yields why documents can't be corrected, or the given fields that differ from theirs."""
        for position, key in enumerate(request.corrected_keys):
            document = own.get(key)
            if document is None or document.type != self._type_name:
                continue
            if document.is_canceled or document.is_replaced:
                yield self._without_effect(request, position, document)
                continue
            original = self._request.model_validate(document.request, context=STORED)
            yield from self._rules.judge(Amendment(request, original, position)).problems

    def _without_effect(self, request: RequestT, position: int, document: OwnDocument) -> Problem:
        """Returns the problem of a corrected document that has no effect any more."""
        ending = "cancelado" if document.is_canceled else "substituído por outro"
        if request.purpose is ServicePurpose.COMPLEMENT:
            code, path = "655" if document.is_canceled else "657", f"complementedAccessKeys[{position}]"
            return hinted_problem(code, path, f"O {self._title} complementado foi {ending}.", COMPLEMENTED)
        code = "569" if document.is_canceled else "570"
        message = f"O {self._title} a substituir foi {ending}."
        return hinted_problem(code, "substitution.accessKey", message, REPLACED)

    def first(self, request: RequestT, own: OwnDocuments) -> Body | None:
        """Returns the body of the first corrected document that the company has."""
        documents = (own.get(key) for key in request.corrected_keys)
        return next(
            (document.request for document in documents if document and document.type == self._type_name),
            None,
        )

    def repeated(self, body: Body, request: RequestT, fields: Body) -> tuple[Body, FillingReview]:
        """Returns the body with these fields of its original, and a warning that names them."""
        given = given_fields(body)
        filled = {name: value for name, value in fields.items() if name not in given}
        if not filled:
            return body, NOTHING_FILLED
        verb = "complementado" if request.purpose is ServicePurpose.COMPLEMENT else "substituído"
        warning = f"{self.beginning} {verb} foram repetidos: {', '.join(filled)}."
        return {**given, **filled}, FillingReview(warnings=(warning,))
