"""The settings of the technical contact that documents name."""

from typing import ClassVar

from carimbo import __version__
from carimbo.fiscal.issuance import Csrt, Software
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.settings import load_settings
from unit.settings.needed_settings import NEEDED, not_refused_by_name, problems_of


class TestTechnicalResponsible:
    GIVEN: ClassVar = {
        "CARIMBO_RESPONSIBLE_TAX_ID": "12ABC34501DE35",
        "CARIMBO_RESPONSIBLE_CONTACT": "Ana Souza",
        "CARIMBO_RESPONSIBLE_EMAIL": "fiscal@example.com",
        "CARIMBO_RESPONSIBLE_PHONE": "1133334444",
    }
    CODE: ClassVar = {"CARIMBO_RESPONSIBLE_CSRT_ID": "07", "CARIMBO_RESPONSIBLE_CSRT": "hidden-code"}

    def test_no_technical_contact_is_named_by_default(self) -> None:
        software = load_settings(NEEDED).software
        assert software == Software(f"carimbo {__version__}")
        assert (software.responsible, software.csrt) == (None, None)

    def test_configured_technical_contact_is_written_into_documents(self) -> None:
        software = load_settings({**NEEDED, **self.GIVEN}).software
        assert software.responsible == TechnicalResponsible(
            cnpj="12ABC34501DE35", contact="Ana Souza", email="fiscal@example.com", phone="1133334444"
        )
        assert software.csrt is None

    def test_a_security_code_comes_with_its_number(self) -> None:
        software = load_settings({**NEEDED, **self.GIVEN, **self.CODE}).software
        assert software.csrt == Csrt("07", "hidden-code")

    def test_technical_contact_is_configured_completely_or_not_at_all(self) -> None:
        for missing in self.GIVEN:
            without = {name: value for name, value in self.GIVEN.items() if name != missing}
            for partial in (without, {**without, missing: ""}):
                problems = problems_of({**NEEDED, **partial})
                assert [problem.partition(":")[0] for problem in problems] == [missing]

    def test_a_security_code_and_its_number_need_each_other(self) -> None:
        for missing in self.CODE:
            code = {name: value for name, value in self.CODE.items() if name != missing}
            problems = problems_of({**NEEDED, **self.GIVEN, **code})
            assert [problem.partition(":")[0] for problem in problems] == [missing]

    def test_all_missing_settings_are_reported_at_once(self) -> None:
        name = "CARIMBO_RESPONSIBLE_CONTACT"
        problems = problems_of({**NEEDED, name: "Ana Souza"})
        assert [problem.partition(":")[0] for problem in problems] == [
            missing for missing in self.GIVEN if missing != name
        ]

    def test_values_that_the_layout_cannot_hold_are_refused(self) -> None:
        values = (
            ("TAX_ID", "12.ABC.345/01DE-35"),
            ("TAX_ID", "1234567890123"),
            ("TAX_ID", "12abc34501de35"),
            ("TAX_ID", "12ABC34501DE36"),
            ("CSRT_ID", "1"),
            ("CONTACT", 61 * "a"),
            ("EMAIL", 61 * "a"),
            ("PHONE", "(11) 3333-4444"),
            ("PHONE", "12345"),
            ("PHONE", 15 * "1"),
        )
        named = [(f"RESPONSIBLE_{name}", value) for name, value in values]
        assert not_refused_by_name(named, {**NEEDED, **self.GIVEN, **self.CODE}) == []

    def test_security_code_is_not_shown(self) -> None:
        settings = load_settings({**NEEDED, **self.GIVEN, **self.CODE})
        for shown in (repr(settings), str(settings), settings.model_dump_json()):
            assert "hidden-code" not in shown
