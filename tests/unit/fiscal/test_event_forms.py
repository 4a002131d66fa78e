"""The forms of events and of statements about received documents, as their types declare them."""

from collections.abc import Iterator
from datetime import date

import pytest

from carimbo.fiscal.body.form_layout import FormLayout, field_facts
from carimbo.fiscal.documents.mdfe.events import MDFE_CLOSING
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.nfse.events import NOTE_CANCELLATION
from carimbo.fiscal.registry import DOCUMENT_TYPES
from unit.fiscal.documents.mdfe.bodies import GOOD

_TODAY = date(2026, 11, 26)


def _layouts() -> Iterator[tuple[str, FormLayout, type]]:
    for document_type in DOCUMENT_TYPES:
        for event in document_type.events:
            if event.form:
                yield f"{document_type.name} {event.name}", event.form, event.request
        for response in document_type.receiving.responses if document_type.receiving else ():
            yield f"{document_type.name} {response.name}", response.form, response.request


def test_forms_are_about_their_requests_and_name_fields_that_exist() -> None:
    wrong = {}
    for name, layout, request in _layouts():
        paths = [each.path for each in layout.fields]
        paths += [f"{each.path}.{field.path}" for each in layout.lists for field in each.fields]
        try:
            for path in paths:
                field_facts(layout.body, path)
        except LookupError as error:
            wrong[name] = str(error)
        if layout.body is not request:
            wrong[name] = layout.body.__name__
    assert wrong == {}


def test_every_document_can_be_canceled_in_a_form() -> None:
    assert [each.name for each in DOCUMENT_TYPES if not each.cancellation or not each.cancellation.form] == []


def test_explanations_are_one_sentence() -> None:
    kinds = [event for document_type in DOCUMENT_TYPES for event in document_type.events]
    responses = [
        response
        for document_type in DOCUMENT_TYPES
        for response in (document_type.receiving.responses if document_type.receiving else ())
    ]
    sentences: list[str] = [kind.explanation for kind in kinds]
    sentences += [response.explanation for response in responses]
    assert [text for text in sentences if not text.endswith(".") or ". " in text] == []


def test_form_begins_with_the_usual_texts_of_the_request() -> None:
    body = NOTE_CANCELLATION.first_body(lambda: None, _TODAY)
    assert body == {"justification": "Cancelamento solicitado pelo emitente", "reasonCode": "9"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"closedAt": "2026-11-26", "cityCode": "3106200", "state": "MG"}),
        ({"laterLoading": True, "documents": []}, {"closedAt": "2026-11-26"}),
    ],
    ids=["documents", "later cargo"],
)
def test_closing_begins_with_the_last_stop_if_it_is_known(
    changes: dict[str, object], expected: dict[str, str]
) -> None:
    manifest = MdfeRequest.model_validate(GOOD["own cargo"] | changes)
    assert MDFE_CLOSING.first_body(lambda: manifest, _TODAY) == expected
