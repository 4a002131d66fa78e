"""What the service costs, and what is taken off its base."""

import pytest

from carimbo.simulator.family import World
from carimbo.simulator.ledger import DocumentStatus, Ledger
from carimbo.simulator.place import HOMOLOGATION
from unit.simulator.front_desk import document
from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.nfse.declaring import ABROAD, SOFTWARE
from unit.simulator.nfse.sefin import AT_SEFIN, Breaking, ServiceCourt
from unit.simulator.rules.edits import becomes, grown

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


def known(world: World, _: bytes) -> None:
    """A note that is proof."""
    Ledger(world.store).keep_document(document(AT_SEFIN, KEY, world.now))


def canceled(world: World, xml: bytes) -> None:
    """A note that was proof."""
    known(world, xml)
    Ledger(world.store).change_status(HOMOLOGATION, KEY, DocumentStatus.CANCELED)


def proved_by(element: str) -> Edit:
    return both(becomes(f"{PROOF}/nDocFisc", element), without(f"{PROOF}/fornec"))


def wrong(key: str) -> str:
    return f"{key[:-1]}{(int(key[-1]) + 1) % 10}"


OF_PRICES = [
    Breaking(
        "E0424", edit=becomes(PRICE, "<vServPrest><vReceb>1.00</vReceb><vServ>1.00</vServ></vServPrest>")
    ),
    Breaking("E0427", "construction", grown(PRICE, discounts(vDescIncond="950.00"), DEDUCTED)),
    Breaking("E0428", edit=grown(PRICE, discounts(vDescIncond="600.00", vDescCond="600.00"))),
    Breaking("E0429", "reduced_by_percentage", grown(PRICE, "<vDedRed><vDR>550.00</vDR></vDedRed>")),
    Breaking("E0431", edit=grown(PRICE, discounts(vDescIncond="0.00"))),
    Breaking("E0431", edit=grown(PRICE, discounts(vDescIncond="1000.00"))),
    Breaking("E0432", edit=grown(PRICE, discounts(vDescCond="1000.00"))),
]
OF_DEDUCTIONS = [
    Breaking("E0435", "immune", grown(PRICE, DEDUCTED)),
    Breaking("E0436", "mei", grown(PRICE, DEDUCTED)),
    Breaking("E0438", "special", grown(PRICE, DEDUCTED)),
    Breaking("E0439", "exempt", grown(PRICE, DEDUCTED)),
    Breaking("E0441", edit=grown(PRICE, DEDUCTED)),
    Breaking("E0442", "simples_in_brasilia", grown(PRICE, DEDUCTED)),
    Breaking("E0444", "deducted_by_percentage", says(f"{DEDUCTION}/pDR", "60.01")),
    Breaking("E0447", "deducted", says(f"{DEDUCTION}/vDR", "600.01")),
    Breaking("E0453", "deducted_by_percentage", says(f"{DEDUCTION}/pDR", "0")),
    Breaking("E0575", "reduced_by_amount", says(f"{BENEFIT}/vRedBCBM", "600.01")),
    Breaking("E0587", "reduced_by_percentage", says("infDPS/serv/cServ/cTribNac", SOFTWARE)),
]
OF_PROOFS = [
    Breaking("E0455", "proved", proved_by(f"<chNFSe>{wrong(KEY)}</chNFSe>"), detail="docDedRed[1]"),
    Breaking("E0456", "proved", proved_by(f"<chNFSe>{KEY}</chNFSe>")),
    Breaking("E0458", "proved", proved_by(f"<chNFSe>{KEY}</chNFSe>"), prepare=canceled),
    Breaking("E0460", "proved", proved_by(f"<chNFe>{wrong(INVOICE_KEY)}</chNFe>")),
    Breaking("E0466", "proved", becomes(f"{PROOF}/nDocFisc", OF_A_CITY)),
    Breaking("E0468", "proved", says(f"{PROOF}/tpDedRed", "99")),
    Breaking("E0470", "proved", after(f"{PROOF}/tpDedRed", "xDescOutDed", "MATERIAIS")),
    Breaking("E0472", "proved", says(f"{PROOF}/dtEmiDoc", "2026-11-15")),
    Breaking("E0474", "proved", says(f"{PROOF}/vDeducaoReducao", "300.01")),
    Breaking("E0477", "proved", without(f"{PROOF}/fornec")),
    Breaking("E0478", "proved", says(f"{PROOF}/fornec/CNPJ", "66677788000184")),
    Breaking("E0484", "proved", becomes(f"{PROOF}/fornec/CNPJ", "<CPF>52998224726</CPF>")),
    Breaking(
        "E0490",
        "proved",
        both(becomes(f"{PROOF}/fornec/CNPJ", "<cNaoNIF>0</cNaoNIF>"), becomes(f"{PROOF}/fornec/end", ABROAD)),
    ),
    Breaking("E0492", "proved", without(f"{PROOF}/fornec/end")),
    Breaking("E0494", "proved", says(f"{PROOF}/fornec/end/endNac/cMun", "3550309")),
    Breaking("E0496", "proved", says(f"{PROOF}/fornec/end/endNac/CEP", "20040002")),
    Breaking("E0498", "proved", becomes(f"{PROOF}/fornec/CNPJ", "<NIF>US-12</NIF>")),
    Breaking(
        "E0499",
        "proved",
        both(
            becomes(f"{PROOF}/fornec/CNPJ", "<NIF>US-12</NIF>"),
            becomes(f"{PROOF}/fornec/end", ABROAD.replace(">US<", ">BR<")),
        ),
    ),
    Breaking("E1538", "proved", becomes(f"{PROOF}/fornec/end", ABROAD)),
]
BREAKINGS = [*OF_PRICES, *OF_DEDUCTIONS, *OF_PROOFS]
ALLOWED = [
    Breaking("E0431", edit=grown(PRICE, discounts(vDescIncond="999.99"))),
    Breaking("E0441", "construction", grown(PRICE, DEDUCTED)),
    Breaking("E0444", "deducted_by_percentage", says(f"{DEDUCTION}/pDR", "60.00")),
    Breaking("E0447", "deducted", says(f"{DEDUCTION}/vDR", "600.00")),
    Breaking("E0447", "construction", grown(PRICE, "<vDedRed><vDR>900.00</vDR></vDedRed>")),
    Breaking("E0458", "proved", proved_by(f"<chNFSe>{KEY}</chNFSe>"), prepare=known),
    Breaking("E0460", "proved", proved_by(f"<chNFe>{INVOICE_KEY}</chNFe>")),
    Breaking(
        "E0468",
        "proved",
        both(says(f"{PROOF}/tpDedRed", "99"), after(f"{PROOF}/tpDedRed", "xDescOutDed", "OUTRAS")),
    ),
    Breaking("E0474", "proved", says(f"{PROOF}/vDeducaoReducao", "300.00")),
]
"""What comes near to breaking a rule."""


class TestValueRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, service_court: ServiceCourt) -> None:
        assert service_court.verdict_on(service_court.broken(allowed), allowed) == []
