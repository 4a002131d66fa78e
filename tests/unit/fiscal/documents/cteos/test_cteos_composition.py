"""What a CT-e OS derives from its request, beyond what its examples show."""

from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from unit.fiscal.documents.cteos.bodies import CHARTER, PERSON
from unit.fiscal.documents.cteos.breaking import broken, review


def text_of(signer: Signer, tag: str, good: str = "charter", **changes: Any) -> str | None:
    preview = review(broken("", "", good, **changes), signer).preview
    assert preview is not None
    return etree.fromstring(preview.xml).findtext(f".//{{*}}{tag}")


def warned_fields(signer: Signer, good: str = "charter", **changes: Any) -> list[str]:
    return [text.partition(":")[0] for text in review(broken("", "", good, **changes), signer).warnings]


class TestDescription:
    @pytest.mark.parametrize(
        ("given", "written"),
        [
            ("A" * 30, "A" * 30),
            ("A" * 31, "A" * 30),
            ("Fretamento eventual de ônibus para congresso", "Fretamento eventual de ônibus"),
            ("Fretamento de ônibus escolares em dias úteis", "Fretamento de ônibus escolares"),
        ],
    )
    def test_description_is_cut_at_a_word(self, given: str, written: str, signer: Signer) -> None:
        assert text_of(signer, "xDescServ", serviceDescription=given) == written

    def test_long_description_begins_the_notes(self, signer: Signer) -> None:
        changes = {"serviceDescription": "Fretamento eventual de ônibus leito", "notes": "Sem paradas."}
        assert text_of(signer, "xObs", **changes) == "Fretamento eventual de ônibus leito. Sem paradas."

    def test_description_and_notes_have_2000_characters_together(self, signer: Signer) -> None:
        changes = {"serviceDescription": "A" * 1000, "notes": "B" * 998}
        assert review(broken("", "", **changes), signer).problems == ()
        (problem,) = review(broken("", "", **changes | {"notes": "B" * 999}), signer).problems
        assert (problem.code, problem.path) == ("NOTES_TOO_LONG", "notes")

    def test_missing_description_is_reported(self, signer: Signer) -> None:
        (problem,) = review(broken("", "", serviceDescription=None), signer).problems
        assert problem.path == "serviceDescription"


class TestDerivedFields:
    def test_inss_of_a_company_is_zero_with_a_warning(self, signer: Signer) -> None:
        assert text_of(signer, "vINSS", federalTaxes=None) == "0.00"
        assert warned_fields(signer, federalTaxes=None) == ["federalTaxes.inss"]

    def test_person_has_no_inss(self, signer: Signer) -> None:
        assert text_of(signer, "vINSS", takerParty=PERSON, cfop="6357", federalTaxes=None) is None

    def test_plate_is_written_in_capitals_without_hyphen(self, signer: Signer) -> None:
        assert text_of(signer, "placa", vehicle={"plate": "abc-1d23"}) == "ABC1D23"

    def test_trip_without_an_offset_is_local(self, signer: Signer) -> None:
        charter = CHARTER["charter"] | {"tripAt": "2026-12-03T06:00:00"}
        assert text_of(signer, "dhViagem", charter=charter) == "2026-12-03T06:00:00-03:00"

    def test_service_without_places_has_the_cfop_of_the_carriers_state(self, signer: Signer) -> None:
        assert text_of(signer, "CFOP", "baggage") == "5357"
        assert text_of(signer, "cMunIni", "baggage") is None

    def test_withheld_icms_is_refused(self, signer: Signer) -> None:
        (problem,) = review(broken("", "", icms={"cst": "60", "rate": 7}), signer).problems
        assert (problem.code, problem.path) == ("215", "icms.cst")
