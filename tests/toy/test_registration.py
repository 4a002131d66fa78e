"""The toys themselves: they are registered alone, and their authority is not asked over a network."""

from collections import Counter

from fastapi.routing import iter_route_contexts
from pydantic.alias_generators import to_camel

from carimbo.api.context import Services
from carimbo.fiscal.registry import DOCUMENT_TYPES
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop
from toy.authority import REGISTER, Register
from toy.codes import LOSES_ANSWER
from toy.shop import KINDS, codes_of


def test_the_toys_are_the_only_document_types(floor: Floor) -> None:
    assert [kind.name for kind in DOCUMENT_TYPES] == [*KINDS, "toycharter", "wagon"]
    services: Services = floor.app.state.services
    asked = {id(authority) for name, authority in services.watch.authorities.items() if name != "wagon"}
    assert asked == {id(REGISTER)}


def test_every_fact_of_an_event_is_a_field_of_the_type_s_records() -> None:
    facts = [(kind, event.effect.fact) for kind in DOCUMENT_TYPES for event in kind.events]
    for kind, fact in facts:
        if fact:
            assert kind.own_fields, kind.name
            assert fact in {to_camel(name) for name in kind.own_fields.record.model_fields}


async def test_a_lost_answer_is_found_by_a_consult(shop: Shop, register: Register) -> None:
    for kind in KINDS:
        document = await shop.issue(kind, notes=LOSES_ANSWER)
        assert document["status"] == "authorized"
        assert await codes_of(shop, document) == [("send", "100"), ("consult", "100")]


def test_no_operation_is_registered_twice(floor: Floor) -> None:
    routes = [route for route in iter_route_contexts(floor.app.routes) if route.include_in_schema]
    operations = [(route.path, *sorted(route.methods or ())) for route in routes]
    assert [operation for operation, count in Counter(operations).items() if count > 1] == []
