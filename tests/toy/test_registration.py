"""The toys themselves: only they are registered, and their authority is in memory."""

from collections import Counter

from fastapi.routing import iter_route_contexts
from pydantic.alias_generators import to_camel

from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.services import Services
from integration.issuing.shop import Shop
from integration.issuing.system import System
from toy.authority import REGISTER, Register
from toy.codes import LOSES_ANSWER
from toy.shop import KINDS, codes_of


def test_toys_are_the_only_document_types(system: System) -> None:
    assert [document_type.name for document_type in DOCUMENT_TYPES] == [*KINDS, "toycharter", "wagon"]
    services: Services = system.app.state.services
    authorities = {
        id(authority) for name, authority in services.status_reader.authorities.items() if name != "wagon"
    }
    assert authorities == {id(REGISTER)}


def test_every_fact_of_an_event_is_a_field_of_the_types_records() -> None:
    facts = [
        (document_type, event.effect.fact)
        for document_type in DOCUMENT_TYPES
        for event in document_type.events
    ]
    for document_type, fact in facts:
        if fact:
            assert document_type.own_fields, document_type.name
            assert fact in {to_camel(name) for name in document_type.own_fields.record.model_fields}


async def test_lost_answer_is_recovered_by_a_consult(shop: Shop, register: Register) -> None:
    for document_type in KINDS:
        document = await shop.issue(document_type, notes=LOSES_ANSWER)
        assert document["status"] == "authorized"
        assert await codes_of(shop, document) == [("send", "100"), ("consult", "100")]


def test_no_operation_is_registered_twice(system: System) -> None:
    routes = [route for route in iter_route_contexts(system.app.routes) if route.include_in_schema]
    operations = [(route.path, *sorted(route.methods or ())) for route in routes]
    assert [operation for operation, count in Counter(operations).items() if count > 1] == []
