"""Every rule of CT-e OS reports its own mistake, and no other rule reports it."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from carimbo.fiscal.documents.cteos.rules import judging, references, road, service
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.rules import Severity
from carimbo.fiscal.tables.statuses import CTE_STATUSES
from carimbo.fiscal.transport.hints import hint_of, hints
from unit.fiscal.documents.cte.bodies import CARRIER_CNPJ, SAO_PAULO, cte_key
from unit.fiscal.documents.cte.breaking import Breaking, emission
from unit.fiscal.documents.cteos.bodies import AGENCY, GOOD, GUIDE, OWNER, PERSON, TAF, TAKER, os_key
from unit.fiscal.documents.cteos.breaking import broken, places, review
from unit.fiscal.hinted_fields import not_one_sentence

OWN_BOOKS = (service.RULES, road.RULES, references.CORRECTED_RULES, references.RULES)
OWN_RULES = [rule for book in OWN_BOOKS for rule in book]
OTHER = {"type": "other", "amount": 2300}
OF_ANOTHER = {"owner": CARRIER_CNPJ}

OF_OTHER_CARRIER = os_key(2, **OF_ANOTHER)
TICKET, TICKET_OF_ANOTHER = os_key(7, model="63"), os_key(7, model="63", **OF_ANOTHER)


def in_2027(code: str, path: str, **values: Any) -> Breaking:
    """Returns a change of a charter that is issued in 2027."""
    issued_at = datetime.fromisoformat("2027-01-05T09:00:00-03:00")
    breaking = broken(code, path, charter__tripAt="2027-02-01T06:00:00-03:00", **values)
    return replace(breaking, under=emission(issued_at=issued_at))


def tickets(code: str, path: str, *given: dict[str, Any]) -> Breaking:
    """Returns excess baggage with other tickets."""
    return broken(code, f"referencedDocuments{path}", "baggage", referencedDocuments=list(given))


def guides(code: str, path: str, *given: dict[str, Any]) -> Breaking:
    """Returns valuables with other guides, each with changes of a good one."""
    return broken(code, f"gtves{path}", "valuables", gtves=[GUIDE | changes for changes in given])


BREAKINGS: tuple[Breaking, ...] = (
    broken("757", "takerParty", takerParty=None),
    broken("757", "takerParty", "valuables", takerParty=None, cfop="5357"),
    broken("752", "municipalityStartIbge", "within a state", municipalityStartIbge=None),
    broken("752", "municipalityEndIbge", municipalityEndIbge=None),
    broken("215", "municipalityEndIbge", "baggage", municipalityStartIbge="3550308"),
    broken("215", "municipalityStartIbge", "valuables", municipalityEndIbge="3550308"),
    broken("753", "route", route=["GO"]),
    broken("753", "route", route=["SP", "MG"]),
    broken("215", "route", "valuables", route=["MG"]),
    broken("215", "serviceQuantity", "complement", serviceQuantity=1),
    broken(
        "215",
        "referencedDocuments",
        "complement",
        referencedDocuments=[{"bpeAccessKey": os_key(7, model="63")}],
    ),
    broken("215", "insurance", "complement", insurance=[{"responsible": "taker"}]),
    broken("215", "vehicle", "complement", vehicle={"plate": "ABC1D23"}),
    broken("215", "charter", "complement", charter={"type": "continuous"}),
    broken("215", "billing", "complement", billing={"bill": {"number": "1"}}),
    tickets("754", ""),
    tickets("TICKET_REPEATED", "[1].bpeAccessKey", {"bpeAccessKey": TICKET}, {"bpeAccessKey": TICKET}),
    broken("481", "takerContribution", "baggage", takerContribution="contributor", cfop="5353"),
    broken("215", "stateAgencyRegistration", "complement", taf=TAF, stateAgencyRegistration=AGENCY),
    broken("FEDERAL_TAXES", "federalTaxes", federalTaxes__cofins=8444.76),
    in_2027("PIS_COFINS_ENDED", "federalTaxes.pis", federalTaxes__cofins=None),
    in_2027("PIS_COFINS_ENDED", "federalTaxes.cofins", federalTaxes__pis=None),
    broken("798", "taf", "baggage", taf=None),
    broken("CARRIER_REGISTRATION", "taf", "valuables", taf=None),
    broken("CARRIER_REGISTRATION", "taf", "baggage", taf=None, modal={"kind": "air"}),
    broken("215", "stateAgencyRegistration", "baggage", stateAgencyRegistration=AGENCY),
    broken("839", "stateAgencyRegistration", "within a state", stateAgencyRegistration=None, taf=TAF),
    broken("840", "taf", taf=None, stateAgencyRegistration=AGENCY),
    broken("829", "vehicle", "valuables", vehicle={"plate": "ABC1D23", "owner": OWNER | {"taf": None}}),
    broken("829", "charter", "valuables", charter={"type": "occasional"}),
    broken("829", "vehicle", "baggage", modal={"kind": "rail"}, vehicle={"plate": "ABC1D23"}),
    broken("841", "charter", charter=None),
    broken("215", "charter", "baggage", charter={"type": "occasional"}),
    broken("837", "charter.tripAt", charter={"type": "occasional"}),
    broken("838", "charter.tripAt", charter__tripAt="2026-11-24T08:30:00-03:00"),
    broken("TRIP_OF_CONTINUOUS_CHARTER", "charter.tripAt", charter__type="continuous"),
    broken("215", "vehicle.owner.taf", vehicle__owner__taf=None),
    broken("215", "vehicle.owner.stateAgencyRegistration", vehicle__owner__stateAgencyRegistration=AGENCY),
    broken("215", "vehicle.owner.state", vehicle__owner__state=None),
    broken("215", "vehicle.owner.stateRegistration", vehicle__owner__stateRegistration=None),
    broken("OWNER_IS_ISSUER", "vehicle.owner.taxId", vehicle__owner__taxId="11222333000181"),
    broken("858", "substitution.accessKey", "substitution", substitution={"accessKey": cte_key(2)}),
    broken("859", "complementedAccessKeys[0]", "complement", complementedAccessKeys=[cte_key(2)]),
    tickets("215", "[0].number", {"issueDate": "2026-11-20"}),
    tickets("215", "[0].issueDate", {"number": "55"}),
    tickets("215", "[0].bpeAccessKey", {"number": "55", "issueDate": "2026-11-20", "bpeAccessKey": TICKET}),
    tickets("215", "[0].bpeAccessKey", {"amount": 0, "bpeAccessKey": os_key(7)}),
    tickets("891", "[0].bpeAccessKey", {"bpeAccessKey": os_key(7)}),
    tickets("897", "[0].bpeAccessKey", {"bpeAccessKey": TICKET_OF_ANOTHER}),
    broken("815", "canceledAccessKey", canceledAccessKey=cte_key(3, **OF_ANOTHER)),
    broken("856", "canceledAccessKey", "baggage", canceledAccessKey=cte_key(3)),
    broken("827", "canceledAccessKey", "baggage", canceledAccessKey=os_key(3, **OF_ANOTHER)),
    broken("881", "gtves", "baggage", gtves=[{"accessKey": os_key(51), "components": [OTHER]}]),
    guides("882", "[0].accessKey", {"accessKey": os_key(51)}),
    guides("886", "[0].accessKey", {"accessKey": os_key(51, model="64", **OF_ANOTHER)}),
    guides("887", "[1].accessKey", {}, {"components": [{"type": "pouch", "amount": 0}]}),
    guides("898", "[0].components[0].description", {"components": [OTHER]}),
    guides("899", "", {"components": [{"type": "custody", "amount": 2300.11}]}),
    broken("215", "substitution", substitution={"accessKey": cte_key(2, **OF_ANOTHER)}),
    broken("215", "complementedAccessKeys", complementedAccessKeys=[cte_key(2, **OF_ANOTHER)]),
    broken("757", "takerParty", takerParty=None, icms={"cst": "00"}, federalTaxes=None, cfop="6357"),
    # Some of the rules that CT-e has too.
    broken("448", "takerParty.stateRegistration", takerParty=TAKER | {"stateRegistration": "110042490115"}),
    broken("541", "municipalityStartIbge", "within a state", municipalityStartIbge="3500000"),
    broken("676", "cfop", cfop="6101"),
    broken("675", "icms.amount", icms__amount=1),
    broken("459", "complementedAccessKeys", "complement", complementedAccessKeys=[]),
    broken("505", "substitution", "substitution", substitution=None),
    broken(
        "269", "complementedAccessKeys[0]", "complement", complementedAccessKeys=[os_key(2, **OF_ANOTHER)]
    ),
    broken("828", "authorizedReaders[0].taxId", authorizedReaders=[{"taxId": TAKER["taxId"]}]),
    broken("IBS_CBS_CLASS", "ibsCbs.taxClassCode", ibsCbs={"taxClassCode": "200049"}),
)


@pytest.mark.parametrize("good", GOOD)
def test_good_request_breaks_no_rule(good: str, signer: Signer) -> None:
    reviewed = review(Breaking("", "", good), signer)
    assert reviewed.problems == ()
    assert [text.partition(":")[0] for text in reviewed.warnings] == (["taf"] if good == "valuables" else [])


@pytest.mark.usefixtures("cbs_of_2027")
@pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
def test_mistake_is_reported_once_by_its_rule(breaking: Breaking, signer: Signer) -> None:
    assert places(breaking, signer) == [(breaking.code, breaking.path)]


def test_every_own_rule_has_a_test() -> None:
    refusing = {rule.code for rule in OWN_RULES if rule.severity is Severity.REFUSES}
    assert refusing - {row.code for row in BREAKINGS} == set()


def test_cfop_of_another_route_is_warned_of(signer: Signer) -> None:
    reviewed = review(broken("", "", cfop="5353"), signer)
    assert reviewed.problems == ()
    assert [text.partition(":")[0] for text in reviewed.warnings] == ["cfop"]


def test_codes_are_those_of_the_authorities_or_names_of_our_own() -> None:
    own = {
        "CARRIER_REGISTRATION",
        "CFOP_ROUTE",
        "FEDERAL_TAXES",
        "OWNER_IS_ISSUER",
        "PIS_COFINS_ENDED",
        "TICKET_REPEATED",
        "TRIP_OF_CONTINUOUS_CHARTER",
    }
    assert {rule.code for rule in OWN_RULES} - set(CTE_STATUSES) == own


def test_every_rule_has_a_hint() -> None:
    rules = [rule for book in judging.BOOKS for rule in book]
    assert [rule.code for rule in rules if not (rule.hint or hint_of(rule.code))] == []
    assert not_one_sentence(rule.hint for rule in OWN_RULES if rule.hint) == []


def test_fields_of_hints_are_the_reported_ones() -> None:
    hinted = [(row, hints()[row.code].field) for row in BREAKINGS if row.code in hints()]
    others = [
        (row.code, row.path, field)
        for row, field in hinted
        if field and not re.sub(r"\[\d+\]", "[]", row.path).startswith(field)
    ]
    # The authority names neither the place nor the component that it refuses; our rules do.
    assert others == [
        ("752", "municipalityEndIbge", "municipalityStartIbge"),
        ("829", "vehicle", "modal"),
        ("829", "charter", "modal"),
        ("829", "vehicle", "modal"),
        ("899", "gtves", "gtves[].components[].amount"),
    ]


class TestPassengersWithoutRegisteredTaker:
    def test_interstate_trip_needs_the_internal_rate(self, signer: Signer) -> None:
        breaking = broken("", "", takerParty=PERSON, cfop="6357", icms={"cst": "00"}, federalTaxes=None)
        assert places(breaking, signer) == [("215", "icms.rate")]

    def test_internal_rate_between_states_causes_no_warning(self, signer: Signer) -> None:
        breaking = broken("", "", takerParty=PERSON, cfop="6357", icms={"cst": "00", "rate": 18})
        reviewed = review(breaking, signer)
        assert (reviewed.problems, reviewed.warnings) == ((), ())

    def test_contributor_has_the_interstate_rate(self, signer: Signer) -> None:
        warnings = review(broken("", "", icms={"cst": "00", "rate": 18}), signer).warnings
        assert [text.partition(":")[0] for text in warnings] == ["icms.rate"]


class TestTransportByAir:
    def warned(self, signer: Signer, **changes: Any) -> list[str]:
        by_air: dict[str, Any] = {"modal": {"kind": "air"}, "vehicle": None, "charter": None, "route": None}
        return [
            text.partition(":")[0] for text in review(broken("", "", **by_air, **changes), signer).warnings
        ]

    def test_rate_of_another_mode_is_warned_of(self, signer: Signer) -> None:
        assert self.warned(signer, icms={"cst": "00", "rate": 17}) == ["taf", "icms.rate"]

    def test_rate_of_air_transport_is_expected(self, signer: Signer) -> None:
        assert self.warned(signer, icms={"cst": "00", "rate": 4}) == ["taf"]


class TestFieldsThatAreNotWritten:
    def test_complement_warns_of_them(self, signer: Signer) -> None:
        given = broken("", "", "complement", serviceDescription="Horas extras", taf=TAF)
        reviewed = review(given, signer)
        assert reviewed.problems == ()
        assert [text.partition(":")[0] for text in reviewed.warnings] == ["serviceDescription", "taf"]

    def test_missing_registration_is_not_called_stored(self, signer: Signer) -> None:
        assert review(broken("", "", "valuables", taf=None), signer).warnings == ()


def test_misformed_taker_of_baggage_is_reported_once(signer: Signer) -> None:
    address = {**SAO_PAULO, "city": None, "cityCode": None}
    taker = TAKER | {"address": address}
    baggage = broken("", "", "baggage", takerParty=taker, takerContribution="contributor", cfop="5353")
    assert {path for _, path in places(baggage, signer)} == {"takerParty.address.city"}


@pytest.mark.usefixtures("cbs_of_2027")
class TestPisAndCofinsOfCorrections:
    def corrected(self, month: str) -> Breaking:
        fields = {"purpose": "substitution", "substitution": {"accessKey": os_key(2, month=month)}}
        return in_2027("PIS_COFINS_ENDED", "federalTaxes.pis", federalTaxes__cofins=None, **fields)

    def test_correction_of_a_document_of_2026_may_have_them(self, signer: Signer) -> None:
        assert places(self.corrected("2612"), signer) == []

    def test_correction_of_a_document_of_2027_may_not(self, signer: Signer) -> None:
        assert places(self.corrected("2701"), signer) == [("PIS_COFINS_ENDED", "federalTaxes.pis")]
