"""Vehicles, owners, drivers, freight, insurance, product and payments by road."""

from datetime import datetime

import pytest

from carimbo.simulator.family import PRODUCTION
from support import CNPJ
from unit.fiscal.goods.support import CPF
from unit.simulator.mdfe.bases import AT_SVRS, FREIGHT, INSTALLMENTS, PAYMENT, ROAD, TRACTOR
from unit.simulator.mdfe.breaking import MdfeRuleTester, Violation
from unit.simulator.mdfe.sample_mdfe import CONTRACTOR, SUPPLIER
from unit.simulator.mutating import after, both, says, without
from unit.simulator.rules.edits import becomes, grown, opened

WRONG_CNPJ, WRONG_CPF = f"{CNPJ[:-1]}2", "52998224700"
OWNER = f"{TRACTOR}/prop"
INSURANCE = "infMDFe/seg"
PRODUCTION_PATH = AT_SVRS._replace(environment=PRODUCTION)
SECOND_CONTRACTOR = f"<infContratante><CNPJ>{SUPPLIER}</CNPJ></infContratante>"

VIOLATIONS = [
    Violation("743", base="hired_person", edit=says("infMDFe/ide/tpTransp", "1")),
    Violation("743", base="hired_person", edit=without("infMDFe/ide/tpTransp")),
    Violation("744", base="hired_company", edit=says("infMDFe/ide/tpTransp", "2")),
    Violation("744", base="hired_company", edit=without("infMDFe/ide/tpTransp")),
    Violation("745", edit=after("infMDFe/ide/tpEmit", "tpTransp", "1")),
    Violation("740", base="hired_company", edit=says(f"{OWNER}/CNPJ", CNPJ)),
    Violation("718", base="hired_company", edit=says(f"{OWNER}/CNPJ", WRONG_CNPJ)),
    Violation("718", base="hired_person", edit=says(f"{OWNER}/CPF", WRONG_CPF)),
    Violation("719", base="trailer", edit=says(f"{ROAD}/veicReboque/prop/CNPJ", WRONG_CNPJ)),
    Violation("646", edit=says(f"{TRACTOR}/placa", "AB12345"), detail="[placa:AB12345]"),
    Violation("646", base="trailer", edit=says(f"{ROAD}/veicReboque/placa", "ABCD123")),
    Violation("523", edit=says(f"{TRACTOR}/tpRod", "03")),
    Violation(
        "577",
        edit=grown(f"{TRACTOR}/condutor", f"<condutor><xNome>O MESMO</xNome><CPF>{CPF}</CPF></condutor>"),
    ),
    Violation("645", edit=says(f"{TRACTOR}/condutor/CPF", WRONG_CPF)),
    Violation("688", edit=without(f"{FREIGHT}/RNTRC")),
    Violation("684", edit=without(f"{FREIGHT}/infCIOT")),
    Violation("684", edit=without(f"{FREIGHT}/infCIOT/CIOT")),
    Violation("684", base="hired_for_own_cargo", edit=without(f"{FREIGHT}/infCIOT")),
    Violation("716", edit=says(f"{FREIGHT}/infCIOT/CNPJ", WRONG_CNPJ)),
    Violation(
        "578",
        edit=both(without(f"{FREIGHT}/infContratante"), without(f"{FREIGHT}/infCIOT")),
        masked_by={"684"},
    ),
    Violation("717", edit=says(f"{FREIGHT}/infContratante/CNPJ", WRONG_CNPJ)),
    Violation("741", base="hired_company", edit=says(f"{FREIGHT}/infContratante/CNPJ", CONTRACTOR)),
    Violation("741", base="hired_company", edit=without(f"{FREIGHT}/infContratante")),
    Violation("741", base="hired_company", edit=grown(f"{FREIGHT}/infContratante", SECOND_CONTRACTOR)),
    Violation(
        "742",
        edit=grown(
            f"{FREIGHT}/infContratante", f"<infContratante><CNPJ>{CONTRACTOR}</CNPJ></infContratante>"
        ),
        detail=f"[Contratante:{CONTRACTOR}]",
    ),
    Violation("731", base="toll", edit=without(f"{FREIGHT}/valePed/categCombVeic")),
    Violation("732", base="toll", edit=says(f"{FREIGHT}/valePed/disp/CNPJForn", WRONG_CNPJ)),
    Violation("734", base="toll", edit=says(f"{FREIGHT}/valePed/disp/CNPJPg", WRONG_CNPJ)),
    Violation(
        "734",
        base="toll",
        edit=becomes(f"{FREIGHT}/valePed/disp/CNPJPg", f"<CPFPg>{WRONG_CPF}</CPFPg>"),
    ),
    Violation("698", edit=without(INSURANCE)),
    Violation("699", edit=without(f"{INSURANCE}/infSeg")),
    Violation("699", edit=without(f"{INSURANCE}/nApol")),
    Violation("699", edit=without(f"{INSURANCE}/nAver")),
    Violation("699", edit=says(f"{INSURANCE}/infSeg/CNPJ", "")),
    Violation("542", edit=says(f"{INSURANCE}/infResp/respSeg", "2")),
    Violation("725", edit=without("infMDFe/prodPred")),
    Violation("301", base="full_load", edit=without("infMDFe/prodPred/NCM")),
    Violation("726", base="full_load", edit=without("infMDFe/prodPred/infLotacao")),
    Violation("302", base="full_load", edit=without(PAYMENT)),
    Violation(
        "724",
        base="full_load",
        edit=both(without(f"{PAYMENT}/infPrazo[2]"), without(f"{PAYMENT}/infPrazo")),
    ),
    Violation(
        "729",
        base="cash",
        edit=grown(
            f"{PAYMENT}/indPag",
            "<infPrazo><nParcela>001</nParcela><dVenc>2026-12-05</dVenc><vParcela>3000.00</vParcela></infPrazo>",
        ),
    ),
    Violation("727", base="full_load", edit=says(f"{PAYMENT}/CNPJ", WRONG_CNPJ)),
    Violation("727", base="cash", edit=says(f"{PAYMENT}/CPF", WRONG_CPF)),
    Violation("728", base="full_load", edit=says(f"{PAYMENT}/infBanc/CNPJIPEF", WRONG_CNPJ)),
    Violation("746", base="full_load", edit=says(f"{PAYMENT}/Comp/vComp", "3000.02")),
    Violation(
        "735",
        base="full_load",
        edit=says(f"{PAYMENT}/infPrazo[2]/nParcela", "003"),
        detail="[nParcela:003]",
    ),
    Violation(
        "736",
        base="full_load",
        edit=says(f"{PAYMENT}/infPrazo/dVenc", "2026-11-13"),
        detail="[nParcela:001]",
    ),
    Violation(
        "737",
        base="full_load",
        edit=says(f"{PAYMENT}/infPrazo[2]/dVenc", "2026-12-05"),
        detail="[nParcela:002]",
    ),
    Violation("738", base="full_load", edit=says(f"{PAYMENT}/infPrazo/vParcela", "1000.02")),
    Violation("738", base="full_load", edit=without(f"{PAYMENT}/vAdiant")),
    Violation("739", base="cash", edit=after(f"{PAYMENT}/indPag", "vAdiant", "1.00")),
]


class TestRoadRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: MdfeRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize(
        ("issued_at", "code"), [("2026-11-22T23:59:59-03:00", None), ("2026-11-23T00:00:00-03:00", "684")]
    )
    def test_production_requires_a_ciot_later_than_homologation(
        self, issued_at: str, code: str | None, tester: MdfeRuleTester
    ) -> None:
        without_ciot = Violation(
            "684",
            edit=both(
                says("infMDFe/ide/tpAmb", "1"),
                says("infMDFe/ide/dhEmi", issued_at),
                without(f"{FREIGHT}/infCIOT"),
            ),
            service_path=PRODUCTION_PATH,
            now=datetime.fromisoformat(issued_at),
        )
        refusal = tester.verdict_on(tester.broken(without_ciot), without_ciot)
        assert (refusal and refusal.code) == code

    def test_old_plates_are_national_too(self, tester: MdfeRuleTester) -> None:
        assert tester.accepts(Violation("646", edit=says(f"{TRACTOR}/placa", "ABC1234")))

    def test_cent_of_difference_is_accepted(self, tester: MdfeRuleTester) -> None:
        assert tester.accepts(
            Violation("746", base="full_load", edit=says(f"{PAYMENT}/Comp/vComp", "3000.01"))
        )

    def test_payer_of_the_toll_stands_for_a_contractor(self, tester: MdfeRuleTester) -> None:
        hired_by_toll = Violation(
            "578",
            base="toll",
            edit=both(without(f"{FREIGHT}/infContratante"), without(f"{FREIGHT}/infCIOT")),
            switches={"rules_off": frozenset({"684"})},
        )
        assert tester.accepts(hired_by_toll)

    def test_payments_of_own_cargo_are_not_judged(self, tester: MdfeRuleTester) -> None:
        payment = opened(ROAD, f"<infANTT>{INSTALLMENTS.replace('3000.00', '1.00')}</infANTT>")
        assert tester.accepts(Violation("746", base="own_cargo", edit=payment))
