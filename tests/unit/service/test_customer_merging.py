from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.customer import CustomerFacts
from carimbo.service.direct_sales import merged
from carimbo.storage.customers import Customer
from carimbo.storage.identifiers import new_id

NOW = datetime(2026, 11, 10, tzinfo=UTC)
FACTS = [field.name for field in fields(CustomerFacts)]

texts = st.none() | st.text(min_size=1)
addresses = st.none() | st.dictionaries(st.text(), st.text(), min_size=1)
facts = st.builds(
    CustomerFacts,
    name=st.text(min_size=1),
    address=addresses,
    **{name: texts for name in FACTS if name not in ("name", "address", "is_foreign")},
    is_foreign=st.booleans(),
)


def customer(known: CustomerFacts) -> Customer:
    return Customer(
        **asdict(known), id=new_id(), company_id=new_id(), created_at=NOW, updated_at=NOW, deleted_at=None
    )


def known_of(found: Customer) -> dict[str, Any]:
    return {name: getattr(found, name) for name in FACTS}


class TestMerged:
    @given(facts, facts)
    def test_no_filled_field_is_lost_or_changed(self, known: CustomerFacts, told: CustomerFacts) -> None:
        before, after = customer(known), merged(customer(known), told)
        filled = {name: value for name, value in known_of(before).items() if value}
        assert filled.items() <= known_of(after).items()

    @given(facts, facts)
    def test_every_gap_is_filled_by_what_is_told(self, known: CustomerFacts, told: CustomerFacts) -> None:
        after = merged(customer(known), told)
        gaps = [name for name in FACTS if getattr(known, name) is None]
        assert [getattr(after, name) for name in gaps] == [getattr(told, name) for name in gaps]

    @given(facts, facts)
    def test_to_tell_the_same_again_changes_nothing(self, known: CustomerFacts, told: CustomerFacts) -> None:
        once = merged(customer(known), told)
        assert merged(once, told) == once

    @given(facts)
    def test_it_stays_the_same_customer(self, told: CustomerFacts) -> None:
        known = customer(CustomerFacts(name="Maria"))
        after = merged(known, told)
        assert replace(after, **known_of(known)) == known

    def test_who_is_known_by_a_name_alone_may_turn_out_to_be_a_foreigner(self) -> None:
        told = CustomerFacts(name="John", foreign_id="P1", is_foreign=True)
        assert merged(customer(CustomerFacts(name="John")), told).is_foreign

    def test_who_has_a_cpf_is_no_foreigner_for_living_abroad(self) -> None:
        known = customer(CustomerFacts(name="Maria", document="52998224725"))
        assert not merged(known, CustomerFacts(name="Maria", is_foreign=True)).is_foreign
