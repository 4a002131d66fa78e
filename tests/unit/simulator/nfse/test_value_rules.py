"""The price of the service, and deductions from its base."""

import pytest

from carimbo.simulator.family import HOMOLOGATION, RequestContext
from carimbo.simulator.ledger import DocumentStatus, Ledger
from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.nfse.declaring import ABROAD, SOFTWARE
from unit.simulator.nfse.sefin import AT_SEFIN, ServiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown
from unit.simulator.sample_family import document

PRICE, DEDUCTION = "infDPS/valores/vServPrest", "infDPS/valores/vDedRed"
PROOF = f"{DEDUCTION}/documentos/docDedRed"
BENEFIT = "infDPS/valores/trib/tribMun/BM"
KEY = "35503082211222333000181000000000000126111234567890"
INVOICE_KEY = "35261111222333000181550010000000011000000014"
DEDUCTED = "<vDedRed><vDR>100.00</vDR></vDedRed>"
OF_A_CITY = (
    "<NFSeMun><cMunNFSeMun>3550309</cMunNFSeMun><nNFSeMun>000000000000001</nNFSeMun>"
    "<cVerifNFSeMun>ABC</cVerifNFSeMun></NFSeMun>"
)


def discounts(**amounts: str) -> str:
    inside = "".join(f"<{name}>{amount}</{name}>" for name, amount in amounts.items())
    return f"<vDescCondIncond>{inside}</vDescCondIncond>"


def store_proof(context: RequestContext, _: bytes) -> None:
    """Stores the note that serves as proof."""
    Ledger(context.store).keep_document(document(AT_SEFIN, KEY, context.now))


def store_canceled_proof(context: RequestContext, xml: bytes) -> None:
    """Stores the note that serves as proof, canceled."""
    store_proof(context, xml)
    Ledger(context.store).change_status(HOMOLOGATION, KEY, DocumentStatus.CANCELED)


def proved_by(element: str) -> Edit:
    return both(becomes(f"{PROOF}/nDocFisc", element), without(f"{PROOF}/fornec"))


def wrong(key: str) -> str:
    return f"{key[:-1]}{(int(key[-1]) + 1) % 10}"


OF_PRICES = [
    Violation(
        "E0424", edit=becomes(PRICE, "<vServPrest><vReceb>1.00</vReceb><vServ>1.00</vServ></vServPrest>")
    ),
    Violation("E0427", "construction", grown(PRICE, discounts(vDescIncond="950.00"), DEDUCTED)),
    Violation("E0428", edit=grown(PRICE, discounts(vDescIncond="600.00", vDescCond="600.00"))),
    Violation("E0429", "reduced_by_percentage", grown(PRICE, "<vDedRed><vDR>550.00</vDR></vDedRed>")),
    Violation("E0431", edit=grown(PRICE, discounts(vDescIncond="0.00"))),
    Violation("E0431", edit=grown(PRICE, discounts(vDescIncond="1000.00"))),
    Violation("E0432", edit=grown(PRICE, discounts(vDescCond="1000.00"))),
]
OF_DEDUCTIONS = [
    Violation("E0435", "immune", grown(PRICE, DEDUCTED)),
    Violation("E0436", "mei", grown(PRICE, DEDUCTED)),
    Violation("E0438", "special", grown(PRICE, DEDUCTED)),
    Violation("E0439", "exempt", grown(PRICE, DEDUCTED)),
    Violation("E0441", edit=grown(PRICE, DEDUCTED)),
    Violation("E0442", "simples_in_brasilia", grown(PRICE, DEDUCTED)),
    Violation("E0444", "deducted_by_percentage", says(f"{DEDUCTION}/pDR", "60.01")),
    Violation("E0447", "deducted", says(f"{DEDUCTION}/vDR", "600.01")),
    Violation("E0453", "deducted_by_percentage", says(f"{DEDUCTION}/pDR", "0")),
    Violation("E0575", "reduced_by_amount", says(f"{BENEFIT}/vRedBCBM", "600.01")),
    Violation("E0587", "reduced_by_percentage", says("infDPS/serv/cServ/cTribNac", SOFTWARE)),
]
OF_PROOFS = [
    Violation("E0455", "proved", proved_by(f"<chNFSe>{wrong(KEY)}</chNFSe>"), detail="docDedRed[1]"),
    Violation("E0456", "proved", proved_by(f"<chNFSe>{KEY}</chNFSe>")),
    Violation("E0458", "proved", proved_by(f"<chNFSe>{KEY}</chNFSe>"), prepare=store_canceled_proof),
    Violation("E0460", "proved", proved_by(f"<chNFe>{wrong(INVOICE_KEY)}</chNFe>")),
    Violation("E0466", "proved", becomes(f"{PROOF}/nDocFisc", OF_A_CITY)),
    Violation("E0468", "proved", says(f"{PROOF}/tpDedRed", "99")),
    Violation("E0470", "proved", after(f"{PROOF}/tpDedRed", "xDescOutDed", "MATERIAIS")),
    Violation("E0472", "proved", says(f"{PROOF}/dtEmiDoc", "2026-11-15")),
    Violation("E0474", "proved", says(f"{PROOF}/vDeducaoReducao", "300.01")),
    Violation("E0477", "proved", without(f"{PROOF}/fornec")),
    Violation("E0478", "proved", says(f"{PROOF}/fornec/CNPJ", "66677788000184")),
    Violation("E0484", "proved", becomes(f"{PROOF}/fornec/CNPJ", "<CPF>52998224726</CPF>")),
    Violation(
        "E0490",
        "proved",
        both(becomes(f"{PROOF}/fornec/CNPJ", "<cNaoNIF>0</cNaoNIF>"), becomes(f"{PROOF}/fornec/end", ABROAD)),
    ),
    Violation("E0492", "proved", without(f"{PROOF}/fornec/end")),
    Violation("E0494", "proved", says(f"{PROOF}/fornec/end/endNac/cMun", "3550309")),
    Violation("E0496", "proved", says(f"{PROOF}/fornec/end/endNac/CEP", "20040002")),
    Violation("E0498", "proved", becomes(f"{PROOF}/fornec/CNPJ", "<NIF>US-12</NIF>")),
    Violation(
        "E0499",
        "proved",
        both(
            becomes(f"{PROOF}/fornec/CNPJ", "<NIF>US-12</NIF>"),
            becomes(f"{PROOF}/fornec/end", ABROAD.replace(">US<", ">BR<")),
        ),
    ),
    Violation("E1538", "proved", becomes(f"{PROOF}/fornec/end", ABROAD)),
]
VIOLATIONS = [*OF_PRICES, *OF_DEDUCTIONS, *OF_PROOFS]
ALLOWED = [
    Violation("E0431", edit=grown(PRICE, discounts(vDescIncond="999.99"))),
    Violation("E0441", "construction", grown(PRICE, DEDUCTED)),
    Violation("E0444", "deducted_by_percentage", says(f"{DEDUCTION}/pDR", "60.00")),
    Violation("E0447", "deducted", says(f"{DEDUCTION}/vDR", "600.00")),
    Violation("E0447", "construction", grown(PRICE, "<vDedRed><vDR>900.00</vDR></vDedRed>")),
    Violation("E0458", "proved", proved_by(f"<chNFSe>{KEY}</chNFSe>"), prepare=store_proof),
    Violation("E0460", "proved", proved_by(f"<chNFe>{INVOICE_KEY}</chNFe>")),
    Violation(
        "E0468",
        "proved",
        both(says(f"{PROOF}/tpDedRed", "99"), after(f"{PROOF}/tpDedRed", "xDescOutDed", "OUTRAS")),
    ),
    Violation("E0474", "proved", says(f"{PROOF}/vDeducaoReducao", "300.00")),
]
"""Declarations close to breaking a rule, which are accepted."""


class TestValueRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_declaration(
        self, violation: Violation, service_tester: ServiceRuleTester
    ) -> None:
        service_tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(
        self, allowed: Violation, service_tester: ServiceRuleTester
    ) -> None:
        assert service_tester.verdict_on(service_tester.broken(allowed), allowed) == []
