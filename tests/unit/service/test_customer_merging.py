from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.service.catalog.customers import CustomerBody, facts_of, fill_gaps, overwrite
from carimbo.storage.customers import Customer
from carimbo.storage.identifiers import new_id

NOW = datetime(2026, 11, 10, tzinfo=UTC)
FACTS = [field.name for field in fields(CustomerFacts)]

texts = st.none() | st.text(min_size=1)
lines = st.sampled_from(["street", "number", "complement", "district", "city", "state", "zipcode"])
addresses = st.none() | st.dictionaries(lines, st.sampled_from(["1", "2"]), min_size=1)
facts = st.builds(
    CustomerFacts,
    name=st.text(min_size=1),
    address=addresses,
    **{name: texts for name in FACTS if name not in ("name", "address", "is_foreign")},
    is_foreign=st.booleans(),
)

ABROAD = {
    "street": "5th Avenue", "number": "350", "district": "Manhattan", "city": "New York", "region": "NY",
    "postalCode": "10118", "countryCode": "US",
}  # fmt: skip
OPTIONAL = {
    "document": "52998224725", "foreignId": "AB-123", "phone": "11988887777", "foreign": True,
    "address": ABROAD, "municipalRegistration": "123", "stateRegistration": "ISENTO", "tradeName": "Loja",
}  # fmt: skip
COLUMNS = {
    "name": "name", "email": "email", "document": "document", "foreignId": "foreign_id", "phone": "phone",
    "foreign": "is_foreign", "address": "address", "municipalRegistration": "municipal_registration",
    "stateRegistration": "state_registration", "tradeName": "trade_name",
}  # fmt: skip
needed = st.fixed_dictionaries({"name": st.just("Maria Souza"), "email": st.just("souza@example.com")})
optional = st.fixed_dictionaries(
    {}, optional={name: st.none() | st.just(value) for name, value in OPTIONAL.items()}
)
bodies = st.builds(lambda *parts: parts[0] | parts[1], needed, optional)


def customer(existing: CustomerFacts) -> Customer:
    return Customer(**asdict(existing), id=new_id(), company_id=new_id(), created_at=NOW, updated_at=NOW)


def facts_in(customer: Customer) -> dict[str, Any]:
    return {name: getattr(customer, name) for name in FACTS}


class TestMerged:
    @given(facts, facts)
    def test_no_filled_field_is_lost_or_changed(self, existing: CustomerFacts, new: CustomerFacts) -> None:
        before, after = customer(existing), fill_gaps(customer(existing), new)
        filled = {name: value for name, value in facts_in(before).items() if value and name != "address"}
        assert filled.items() <= facts_in(after).items()
        assert (before.address or {}).items() <= (after.address or {}).items()

    @given(facts, facts)
    def test_every_gap_is_filled_by_the_new_facts(self, existing: CustomerFacts, new: CustomerFacts) -> None:
        after = fill_gaps(customer(existing), new)
        gaps = [name for name in FACTS if getattr(existing, name) is None]
        assert [getattr(after, name) for name in gaps] == [getattr(new, name) for name in gaps]

    @given(facts, facts)
    def test_filling_gaps_twice_changes_nothing(self, existing: CustomerFacts, new: CustomerFacts) -> None:
        once = fill_gaps(customer(existing), new)
        assert fill_gaps(once, new) == once

    @given(facts)
    def test_filling_gaps_changes_only_facts(self, new: CustomerFacts) -> None:
        before = customer(CustomerFacts(name="Maria"))
        after = fill_gaps(before, new)
        assert replace(after, **facts_in(before)) == before

    def test_customer_with_only_a_name_may_become_foreign(self) -> None:
        new = CustomerFacts(name="John", foreign_id="P1", is_foreign=True)
        assert fill_gaps(customer(CustomerFacts(name="John")), new).is_foreign

    def test_customer_with_a_cpf_does_not_become_foreign(self) -> None:
        before = customer(CustomerFacts(name="Maria", document="52998224725"))
        assert not fill_gaps(before, CustomerFacts(name="Maria", is_foreign=True)).is_foreign

    def test_completed_address_gets_its_municipality(self) -> None:
        before = customer(CustomerFacts(name="Maria", address={"city": "Campinas"}))
        after = fill_gaps(before, CustomerFacts(name="Maria", address={"state": "SP"}))
        assert after.address == {"city": "Campinas", "state": "SP", "cityCode": "3509502"}


class TestOverwritten:
    @given(facts, bodies)
    def test_all_fields_of_the_body_are_written(self, existing: CustomerFacts, new: dict[str, Any]) -> None:
        after = overwrite(customer(existing), CustomerBody.model_validate(new))
        plain = {name: value for name, value in new.items() if name != "foreign" or value is not None}
        assert {name: getattr(after, COLUMNS[name]) for name in plain} == plain

    @given(facts, bodies)
    def test_all_fields_that_the_body_lacks_stay(self, existing: CustomerFacts, new: dict[str, Any]) -> None:
        before = customer(existing)
        after = overwrite(before, CustomerBody.model_validate(new))
        changeable = {COLUMNS[name] for name in new} | {"is_foreign"}
        assert replace(after, **{name: getattr(before, name) for name in changeable}) == before

    @given(facts, bodies)
    def test_foreign_customer_stays_foreign_without_a_document_or_an_address(
        self, existing: CustomerFacts, new: dict[str, Any]
    ) -> None:
        silent = {name: new[name] for name in new.keys() - {"foreign", "document", "address"}}
        after = overwrite(customer(existing), CustomerBody.model_validate(silent))
        assert after.is_foreign >= existing.is_foreign

    @given(facts, bodies)
    def test_overwriting_twice_changes_nothing(self, existing: CustomerFacts, new: dict[str, Any]) -> None:
        body = CustomerBody.model_validate(new)
        once = overwrite(customer(existing), body)
        assert overwrite(once, body) == once

    @given(bodies)
    def test_complete_body_replaces_all_facts(self, new: dict[str, Any]) -> None:
        body = CustomerBody.model_validate(dict.fromkeys(OPTIONAL) | new)
        before = customer(CustomerFacts(name="Fulano", phone="1133334444", is_foreign=True))
        assert facts_in(overwrite(before, body)) == asdict(facts_of(body))
