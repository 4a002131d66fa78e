from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.customer import CustomerFacts
from carimbo.service.customers import CustomerBody, facts_of, merged, overwritten
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
told_bodies = st.builds(lambda *parts: parts[0] | parts[1], needed, optional)


def customer(known: CustomerFacts) -> Customer:
    return Customer(**asdict(known), id=new_id(), company_id=new_id(), created_at=NOW, updated_at=NOW)


def known_of(found: Customer) -> dict[str, Any]:
    return {name: getattr(found, name) for name in FACTS}


class TestMerged:
    @given(facts, facts)
    def test_no_filled_field_is_lost_or_changed(self, known: CustomerFacts, told: CustomerFacts) -> None:
        before, after = customer(known), merged(customer(known), told)
        filled = {name: value for name, value in known_of(before).items() if value and name != "address"}
        assert filled.items() <= known_of(after).items()
        assert (before.address or {}).items() <= (after.address or {}).items()

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

    def test_completed_address_gets_its_municipality(self) -> None:
        known = customer(CustomerFacts(name="Maria", address={"city": "Campinas"}))
        after = merged(known, CustomerFacts(name="Maria", address={"state": "SP"}))
        assert after.address == {"city": "Campinas", "state": "SP", "cityCode": "3509502"}


class TestOverwritten:
    @given(facts, told_bodies)
    def test_all_that_is_told_is_taken(self, known: CustomerFacts, told: dict[str, Any]) -> None:
        after = overwritten(customer(known), CustomerBody.model_validate(told))
        plain = {name: value for name, value in told.items() if name != "foreign" or value is not None}
        assert {name: getattr(after, COLUMNS[name]) for name in plain} == plain

    @given(facts, told_bodies)
    def test_all_that_is_not_told_stays(self, known: CustomerFacts, told: dict[str, Any]) -> None:
        before = customer(known)
        after = overwritten(before, CustomerBody.model_validate(told))
        changeable = {COLUMNS[name] for name in told} | {"is_foreign"}
        assert replace(after, **{name: getattr(before, name) for name in changeable}) == before

    @given(facts, told_bodies)
    def test_nobody_stops_being_foreign_but_by_coming_home(
        self, known: CustomerFacts, told: dict[str, Any]
    ) -> None:
        silent = {name: told[name] for name in told.keys() - {"foreign", "document", "address"}}
        after = overwritten(customer(known), CustomerBody.model_validate(silent))
        assert after.is_foreign >= known.is_foreign

    @given(facts, told_bodies)
    def test_to_tell_the_same_again_changes_nothing(self, known: CustomerFacts, told: dict[str, Any]) -> None:
        body = CustomerBody.model_validate(told)
        once = overwritten(customer(known), body)
        assert overwritten(once, body) == once

    @given(told_bodies)
    def test_of_somebody_of_whom_all_is_told_is_what_is_told(self, told: dict[str, Any]) -> None:
        body = CustomerBody.model_validate(dict.fromkeys(OPTIONAL) | told)
        known = customer(CustomerFacts(name="Fulano", phone="1133334444", is_foreign=True))
        assert known_of(overwritten(known, body)) == asdict(facts_of(body))
