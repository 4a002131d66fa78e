"""Rules that a CT-e OS shares with a CT-e: the key, the dates, the issuer, the taker, amounts and QR code."""

import pytest

from unit.fiscal.goods.support import CPF
from unit.simulator.cte import test_key_rules, test_party_rules, test_service_rules
from unit.simulator.cte.sample_cte import QR_ADDRESS, SENDER
from unit.simulator.cte.test_party_rules import WRONG_CNPJ, WRONG_CPF, quoted, readers
from unit.simulator.cteos.bases import REASON
from unit.simulator.cteos.breaking import CteOsRuleTester, OsViolation, also_of_cteos
from unit.simulator.cteos.sample_cteos import key_of
from unit.simulator.mutating import both, says, without
from unit.simulator.rules.edits import becomes, grown

OF_THE_SERVICE = {"579", "458", "459", "650", "675", "531", "310", "1026", "1036", "1037", "676"}
OF_THE_KEY = {violation.code for violation in test_key_rules.VIOLATIONS} - {"732", "641", "586", "229"}
OF_THE_PARTIES = {
    *("493", "537", "456", "541", "414", "542"),
    *("699", "700", "715", "836", "850", "852", "853", "855"),
}

VIOLATIONS = [
    *also_of_cteos(test_key_rules.VIOLATIONS, OF_THE_KEY),
    *also_of_cteos(test_service_rules.VIOLATIONS, OF_THE_SERVICE),
    *also_of_cteos(test_party_rules.VIOLATIONS, OF_THE_PARTIES),
    OsViolation("721", edit=says("infCte/ide/mod", "57"), fits_schema=False),
    OsViolation("586", edit=grown("infCte/ide/UFFim", *REASON)),
    OsViolation("229", edit=without("infCte/emit/IE"), fits_schema=False),
    OsViolation("481", edit=without("infCte/toma/IE")),
    OsViolation("481", edit=says("infCte/toma/IE", "ISENTO")),
    OsViolation("482", base="exempt", edit=says("infCte/toma/IE", "33333333")),
    OsViolation("617", edit=both(says("infCte/ide/indIEToma", "2"), says("infCte/toma/IE", "ISENTO"))),
    OsViolation("444", edit=says("infCte/toma/CNPJ", WRONG_CNPJ)),
    OsViolation("445", base="to_a_person", edit=says("infCte/toma/CPF", WRONG_CPF)),
    OsViolation("447", edit=says("infCte/toma/enderToma/cMun", "3304557")),
    OsViolation("536", edit=says("infCte/toma/enderToma/cMun", "3500000")),
    OsViolation("448", edit=says("infCte/toma/IE", "000000000000")),
    OsViolation("828", edit=readers(f"<CNPJ>{SENDER}</CNPJ>")),
    OsViolation("851", edit=quoted(f"https://example.com/qrCode?chCTe={key_of()}&tpAmb=2"), quoted=False),
    OsViolation("854", edit=quoted(f"{QR_ADDRESS}?chCTe={key_of()}&tpAmb=2&sign=AAAA"), quoted=False),
]


class TestSharedRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: OsViolation, tester: CteOsRuleTester) -> None:
        tester.check(violation)

    def test_taker_without_registration_is_no_contributor(self, tester: CteOsRuleTester) -> None:
        edit = both(says("infCte/ide/indIEToma", "9"), without("infCte/toma/IE"))
        other = OsViolation("481", edit=edit)
        assert tester.verdict_on(tester.broken(other), other) is None

    def test_address_of_the_qr_code_is_that_of_cte(self, tester: CteOsRuleTester) -> None:
        same = OsViolation("851", edit=quoted(f"{QR_ADDRESS.upper()}?chCTe={key_of()}&tpAmb=2"), quoted=False)
        assert tester.verdict_on(tester.broken(same), same) is None

    def test_person_that_takes_the_service_has_a_cpf(self, tester: CteOsRuleTester) -> None:
        edit = both(becomes("infCte/toma/CNPJ", f"<CPF>{CPF}</CPF>"), without("infCte/imp/infTribFed"))
        person = OsViolation("760", edit=edit)
        assert tester.verdict_on(tester.broken(person), person) is None
