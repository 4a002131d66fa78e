"""The service: its parts, mode, cargo, documents, CFOP, amounts and taxes."""

from datetime import date
from decimal import Decimal

import pytest
from lxml import etree

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.cte.judged import JudgedCte
from carimbo.simulator.family import PRODUCTION, RequestContext
from support import CNPJ
from unit.fiscal.goods.support import CPF
from unit.simulator.cte.bases import (
    AT_SP,
    FREE_AREA,
    MULTIMODAL_KEY,
    NORMAL,
    PIPELINE,
    RATES_OF_2027,
    TAX,
    WITHIN_THE_STATE,
    WITHOUT_CBS,
    WITHOUT_TAXES,
    by,
    store_cte,
)
from unit.simulator.cte.breaking import CteRuleTester, Violation
from unit.simulator.cte.sample_cte import (
    CARRIER,
    DEPOT,
    INVOICE_KEY,
    RECIPIENT,
    SENDER,
    key_of,
    unsigned_cte,
)
from unit.simulator.mutating import Edit, at, both, says, without
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.rules.edits import becomes, filled, grown

EARLIER_KEY = f"{NORMAL}/docAnt/emiDocAnt/idDocAnt/idDocAntEle/chCTe"
SECOND_CARRIER = grown(
    f"{NORMAL}/docAnt/emiDocAnt",
    f"<emiDocAnt><CNPJ>{RECIPIENT}</CNPJ><IE>444444444444</IE><UF>SP</UF><xNome>RAPIDO LTDA</xNome>"
    f"<idDocAnt><idDocAntEle><chCTe>{key_of(8, RECIPIENT)}</chCTe></idDocAntEle></idDocAnt></emiDocAnt>",
)


def with_invoices(*keys: str) -> Edit:
    inside = "".join(f"<infNFe><chave>{key}</chave></infNFe>" for key in keys)
    return becomes(f"{NORMAL}/infDoc", f"<infDoc>{inside}</infDoc>")


def key_with(start: int, text: str) -> str:
    return altered(INVOICE_KEY, start, text)


def other_mode(root: etree._Element) -> None:
    at(root, "infCte/ide/modal").text = "02"
    at(root, f"{NORMAL}/infModal/rodo").tag = f"{{{etree.QName(root).namespace}}}aereo"


def also_linked_to(key: str) -> Edit:
    """The service is linked to another multimodal document."""
    group = f"<infCTeMultimodal><chCTeMultimodal>{key}</chCTeMultimodal></infCTeMultimodal>"
    return filled(f"{NORMAL}/infServVinc", group)


def versioned(root: etree._Element) -> None:
    at(root, f"{NORMAL}/infModal").set("versaoModal", "4.01")


def taker_is_a_carrier(context: RequestContext, xml: bytes) -> None:
    earlier = unsigned_cte(9).replace(CNPJ.encode(), CARRIER.encode())
    judged = JudgedCte(etree.fromstring(earlier), AT_SP, context)
    store_cte(context, earlier, access_key=judged.access_key)


def sender_issues_invoices(context: RequestContext, xml: bytes) -> None:
    store_cte(context, xml, access_key=INVOICE_KEY, issuer=SENDER)


VIOLATIONS = [
    Violation("579", edit=versioned),
    Violation("580", edit=says(f"{NORMAL}/infModal/rodo/RNTRC", "1234"), detail="rodo/RNTRC"),
    Violation("580", edit=other_mode, detail="aereo"),
    Violation("458", base="complement", edit=says("infCte/ide/tpCTe", "0")),
    Violation("459", edit=says("infCte/ide/tpCTe", "1")),
    Violation("460", base="linked", edit=without("infCte/rem"), also_off={"481", "667"}),
    Violation("461", edit=says("infCte/ide/toma3/toma", "1"), also_off={"481"}),
    Violation("462", edit=says("infCte/ide/toma3/toma", "2"), also_off={"481"}),
    Violation(
        "463",
        base="linked",
        edit=both(says("infCte/ide/toma3/toma", "3"), without("infCte/dest")),
        also_off={"481", "667"},
    ),
    Violation("481", edit=without("infCte/rem/IE")),
    Violation("481", edit=says("infCte/rem/IE", "ISENTO")),
    Violation("482", base="exempt", edit=says("infCte/dest/IE", "33333333")),
    Violation(
        "617",
        edit=both(says("infCte/ide/indIEToma", "2"), says("infCte/rem/IE", "ISENTO")),
    ),
    Violation("581", edit=without(f"{NORMAL}/infCarga/vCarga")),
    Violation("693", edit=without(f"{NORMAL}/infDoc")),
    Violation(
        "694",
        base="linked",
        edit=grown(f"{NORMAL}/infCarga", f"<infDoc><infNFe><chave>{INVOICE_KEY}</chave></infNFe></infDoc>"),
    ),
    Violation("601", edit=with_invoices(*(key_of(number, SENDER, "55") for number in range(1, 2002)))),
    Violation("527", edit=with_invoices(INVOICE_KEY, INVOICE_KEY), detail=INVOICE_KEY),
    Violation("843", edit=with_invoices(key_with(0, "99")), detail="UF inválida"),
    Violation("843", edit=with_invoices(key_with(2, "27")), detail="ano inválido"),
    Violation("843", edit=with_invoices(key_with(4, "13")), detail="mês inválido"),
    Violation("843", edit=with_invoices(key_with(6, "11222333000182")), detail="CNPJ ou CPF"),
    Violation("843", edit=with_invoices(key_with(20, "57")), detail="modelo diferente de 55"),
    Violation("843", edit=with_invoices(key_with(25, "000000000")), detail="número igual a zero"),
    Violation("843", edit=with_invoices(key_with(34, "0")), detail="tipo de emissão"),
    Violation(
        "843", edit=with_invoices(f"{INVOICE_KEY[:43]}{(int(INVOICE_KEY[43]) + 1) % 10}"), detail="dígito"
    ),
    Violation("540", base="on_paper", prepare=sender_issues_invoices),
    Violation("813", base="declared", edit=says(f"{NORMAL}/infDoc/infOutros/tpDoc", "59")),
    Violation("650", edit=says("infCte/vPrest/vTPrest", "10000000.00")),
    Violation("675", edit=says("infCte/imp/ICMS/ICMS00/vICMS", "120.02")),
    Violation("531", edit=says("infCte/vPrest/vRec", "1000.01")),
    Violation("310", edit=WITHOUT_TAXES),
    Violation("1026", edit=says(f"{TAX}/gIBSUF/pIBSUF", "0.2000")),
    Violation("1026", edit=says(f"{TAX}/gIBSUF/vIBSUF", "0.90")),
    Violation("1036", edit=says(f"{TAX}/gIBSMun/pIBSMun", "0.0500")),
    Violation("1037", edit=says(f"{TAX}/gCBS/vCBS", "7.94")),
    Violation("1037", edit=WITHOUT_CBS),
    Violation("1037", edit=FREE_AREA),
    Violation("1037", base="without_cbs", edit=says(f"{TAX}/gCBS/vCBS", "7.92")),
    Violation("676", edit=says("infCte/ide/CFOP", "6102")),
    Violation("519", edit=says("infCte/ide/CFOP", "5353")),
    Violation("524", edit=both(says("infCte/ide/UFIni", "MG"), says("infCte/ide/cMunIni", "3106200"))),
    Violation("908", edit=says("infCte/ide/CFOP", "6932")),
    Violation("469", base="other_taker", edit=without("infCte/rem")),
    Violation("470", edit=without("infCte/dest")),
    Violation("474", base="linked", edit=without("infCte/exped")),
    Violation("475", base="linked", edit=without("infCte/receb")),
    Violation("651", base="linked", edit=without(f"{NORMAL}/infServVinc")),
    Violation(
        "814",
        edit=filled(
            NORMAL,
            f"<infServVinc><infCTeMultimodal><chCTeMultimodal>{key_of(7, CARRIER)}</chCTeMultimodal>"
            "</infCTeMultimodal></infServVinc>",
        ),
    ),
    Violation("521", base="subcontracted", edit=without(f"{NORMAL}/docAnt")),
    Violation("747", base="subcontracted", edit=says("infCte/ide/tpServ", "0")),
    Violation("746", base="other_taker", prepare=taker_is_a_carrier),
    Violation(
        "543",
        base="subcontracted",
        edit=grown(
            f"{NORMAL}/docAnt/emiDocAnt/idDocAnt/idDocAntEle",
            f"<idDocAntEle><chCTe>{key_of(7, CARRIER)}</chCTe></idDocAntEle>",
        ),
    ),
    Violation("844", base="subcontracted", edit=says(EARLIER_KEY, altered(key_of(7, CARRIER), 4, "13"))),
    Violation("733", base="subcontracted", edit=says(EARLIER_KEY, key_of(7, RECIPIENT))),
    Violation("745", base="subcontracted", edit=says("infCte/ide/toma4/CNPJ", DEPOT)),
    Violation("745", base="subcontracted", edit=both(SECOND_CARRIER, says("infCte/ide/toma4/CNPJ", DEPOT))),
    Violation("745", base="subcontracted", edit=becomes("infCte/ide/toma4/CNPJ", f"<CPF>{CPF}</CPF>")),
    Violation("714", base="linked", edit=also_linked_to(MULTIMODAL_KEY), detail=MULTIMODAL_KEY),
    Violation(
        "845", base="linked", edit=also_linked_to(altered(MULTIMODAL_KEY, 4, "13")), detail="mês inválido"
    ),
    Violation("667", base="linked", edit=also_linked_to(key_of(7, CARRIER))),
    Violation("667", base="linked", edit=says("infCte/rem/CNPJ", CARRIER)),
    Violation("667", base="linked", edit=becomes("infCte/rem/CNPJ", f"<CPF>{CPF}</CPF>")),
]


class TestServiceRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: CteRuleTester) -> None:
        tester.check(violation)

    def accepted(self, tester: CteRuleTester, violation: Violation) -> bool:
        return tester.verdict_on(tester.broken(violation), violation) is None

    def test_receipts_may_be_transported_within_a_state(self, tester: CteRuleTester) -> None:
        edit = both(WITHIN_THE_STATE, says(f"{NORMAL}/infDoc/infOutros/tpDoc", "65"))
        assert self.accepted(tester, Violation("813", base="declared", edit=edit))

    @pytest.mark.parametrize("edit", [WITHIN_THE_STATE, by(*PIPELINE)])
    def test_paper_may_be_transported_within_a_state_and_by_pipeline(
        self, edit: Edit, tester: CteRuleTester
    ) -> None:
        paper = Violation("540", base="on_paper", edit=edit, prepare=sender_issues_invoices)
        assert self.accepted(tester, paper)

    def test_service_begun_in_another_state_has_a_cfop_of_its_own(self, tester: CteRuleTester) -> None:
        edit = both(
            says("infCte/ide/UFIni", "MG"),
            says("infCte/ide/cMunIni", "3106200"),
            says("infCte/ide/CFOP", "6932"),
        )
        assert self.accepted(tester, Violation("524", edit=edit))

    def test_service_abroad_has_a_cfop_of_its_own(self, tester: CteRuleTester) -> None:
        edit = both(
            says("infCte/ide/CFOP", "7358"),
            says("infCte/ide/UFFim", "EX"),
            says("infCte/ide/cMunFim", "9999999"),
        )
        assert self.accepted(tester, Violation("519", edit=edit))

    def test_carrier_that_takes_the_service_as_its_sender_is_accepted(self, tester: CteRuleTester) -> None:
        edit = says("infCte/rem/CNPJ", CARRIER)
        assert self.accepted(tester, Violation("746", edit=edit, prepare=taker_is_a_carrier))

    def test_one_of_several_earlier_carriers_takes_the_service(self, tester: CteRuleTester) -> None:
        assert self.accepted(tester, Violation("745", base="subcontracted", edit=SECOND_CARRIER))

    def test_branch_of_the_multimodal_carrier_takes_the_service(self, tester: CteRuleTester) -> None:
        edit = also_linked_to(key_of(8, "12ABC345000269"))
        assert self.accepted(tester, Violation("667", base="linked", edit=edit))

    def test_issuer_of_simples_has_no_new_taxes(self, tester: CteRuleTester) -> None:
        assert tester.verdict_on_base("simples") is None

    def test_new_taxes_are_required_in_production_from_a_day_of_the_calendar(
        self, tester: CteRuleTester
    ) -> None:
        edit = both(WITHOUT_TAXES, says("infCte/ide/tpAmb", "1"))
        at_production = AT_SP._replace(environment=PRODUCTION)
        off = frozenset({"851"})
        optional = Violation("310", edit=edit, service_path=at_production, switches={"rules_off": off})
        assert self.accepted(tester, optional)
        moved = {Milestone.GROUP_REQUIRED_IN_PRODUCTION: date(2026, 11, 1)}
        required = Violation(
            "310",
            edit=edit,
            service_path=at_production,
            switches={"rules_off": off, "moved_dates": moved},
        )
        refusal = tester.verdict_on(tester.broken(required), required)
        assert refusal is not None
        assert refusal.code == "310"

    def test_rates_of_2027_apply_from_the_first_day_of_the_year(self, tester: CteRuleTester) -> None:
        moved = {Milestone.RATES_OF_2027: date(2026, 11, 1)}
        old = Violation("1026", switches={"moved_dates": moved, "cbs_rate": Decimal("11.11")})
        refusal = tester.verdict_on(tester.broken(old), old)
        assert refusal is not None
        assert refusal.code == "1026"
        assert self.accepted(tester, Violation("1026", edit=RATES_OF_2027, switches=old.switches))
