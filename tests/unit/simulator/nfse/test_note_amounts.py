"""The amounts of a note, to the cent: ISS, net amount, IBS and CBS."""

from datetime import datetime

import pytest
from lxml import etree

from unit.simulator.mutating import Edit, at, says, without
from unit.simulator.nfse.declaring import (
    CAMPINAS,
    NAMESPACE,
)
from unit.simulator.nfse.sefin import Sefin, texts_of
from unit.simulator.rules.edits import grown

AMOUNTS = {
    "simples": {"vLiq": "1000.00"},
    "simples_withheld": {
        "vBC": "1000.00",
        "pAliqAplic": "2.00",
        "vISSQN": "20.00",
        "vTotalRet": "20.00",
        "vLiq": "980.00",
    },
    "simples_apart": {"vBC": "1000.00", "pAliqAplic": "2.00", "vISSQN": "20.00", "vLiq": "1000.00"},
    "mei": {"vLiq": "1000.00"},
    "normal": {"vBC": "1000.00", "pAliqAplic": "2.00", "vISSQN": "20.00", "vLiq": "1000.00"},
    "normal_in_brasilia": {"vBC": "1000.00", "pAliqAplic": "3.00", "vISSQN": "30.00", "vLiq": "1000.00"},
    "export": {"vLiq": "1000.00"},
    "immune": {"vLiq": "1000.00"},
    "suspended": {"vLiq": "1000.00"},
    "special": {"vLiq": "1000.00"},
    "exempt": {"vLiq": "1000.00"},
    "deducted": {"vBC": "900.00", "pAliqAplic": "5.00", "vISSQN": "45.00", "vLiq": "1000.00"},
    "deducted_by_percentage": {
        "vCalcDR": "100.00",
        "vBC": "900.00",
        "pAliqAplic": "5.00",
        "vISSQN": "45.00",
        "vLiq": "1000.00",
    },
    "proved": {
        "vCalcDR": "100.00",
        "vBC": "900.00",
        "pAliqAplic": "5.00",
        "vISSQN": "45.00",
        "vLiq": "1000.00",
    },
    "reduced_by_percentage": {
        "tpBM": "2",
        "vCalcBM": "100.00",
        "vBC": "900.00",
        "pAliqAplic": "5.00",
        "vISSQN": "45.00",
        "vLiq": "1000.00",
    },
    "reduced_by_amount": {
        "tpBM": "3",
        "vBC": "900.00",
        "pAliqAplic": "5.00",
        "vISSQN": "45.00",
        "vLiq": "1000.00",
    },
    "of_special_rate": {
        "tpBM": "4",
        "vBC": "1000.00",
        "pAliqAplic": "2.00",
        "vISSQN": "20.00",
        "vLiq": "1000.00",
    },
    "withholding": {
        "vBC": "1000.00",
        "pAliqAplic": "2.00",
        "vISSQN": "20.00",
        "vTotalRet": "171.50",
        "vLiq": "828.50",
    },
}


def in_city(code: str) -> Edit:
    """Issues the note in a city."""

    def edit(root: etree._Element) -> None:
        at(root, "infDPS/cLocEmi").text = code

    return edit


class TestAmounts:
    @pytest.mark.parametrize(("name", "amounts"), AMOUNTS.items(), ids=AMOUNTS)
    async def test_amounts_are_those_computed_by_hand(
        self, name: str, amounts: dict[str, str], sefin: Sefin
    ) -> None:
        assert texts_of((await sefin.issue(name)).note, "infNFSe/valores") == amounts

    @pytest.mark.parametrize(
        ("price", "tax"), [("1000.25", "20.00"), ("1000.75", "20.02"), ("1001.25", "20.02")]
    )
    async def test_half_cents_are_rounded_to_even(self, price: str, tax: str, sefin: Sefin) -> None:
        answer = await sefin.issue("simples_apart", says("infDPS/valores/vServPrest/vServ", price))
        assert answer.text("infNFSe/valores/vISSQN") == tax

    async def test_discounts_reduce_the_net_amount(self, sefin: Sefin) -> None:
        discounts = (
            "<vDescCondIncond><vDescIncond>100.00</vDescIncond><vDescCond>50.00</vDescCond></vDescCondIncond>"
        )
        answer = await sefin.issue("normal_withheld", grown("infDPS/valores/vServPrest", discounts))
        assert texts_of(answer.note, "infNFSe/valores") == {
            "vBC": "900.00",
            "pAliqAplic": "2.00",
            "vISSQN": "18.00",
            "vTotalRet": "18.00",
            "vLiq": "832.00",
        }

    async def test_each_city_has_its_own_rates(self, sefin: Sefin) -> None:
        rates = {}
        for city in ("3550308", "3304557", CAMPINAS):
            answer = await sefin.issue("simples_apart", in_city(city))
            rates[city] = answer.text("infNFSe/valores/pAliqAplic")
        assert rates == {"3550308": "2.00", "3304557": "5.00", CAMPINAS: "2.00"}


REFORM, FEDERAL = "infNFSe/IBSCBS", "infDPS/valores/trib/tribFed"
JANUARY = datetime.fromisoformat("2027-01-31T10:00:00-03:00")


def of_competence(day: str) -> tuple[Edit, Edit]:
    """Issues the note in January 2027 for a service performed on a day."""
    return says("infDPS/dhEmi", "2027-01-31T09:00:00-03:00"), says("infDPS/dCompet", day)


class TestReform:
    async def test_reform_base_is_the_price_without_other_taxes(self, sefin: Sefin) -> None:
        note = (await sefin.issue("normal")).note
        # 1000.00 less 20.00 of ISS, 6.50 of PIS and 30.00 of COFINS.
        assert texts_of(note, f"{REFORM}/valores") == {"vBC": "943.50", "vCalcReeRepRes": "0.00"}
        assert texts_of(note, f"{REFORM}/valores/uf") == {"pIBSUF": "0.10", "pAliqEfetUF": "0.10"}
        assert texts_of(note, f"{REFORM}/valores/mun") == {"pIBSMun": "0.00", "pAliqEfetMun": "0.00"}
        assert texts_of(note, f"{REFORM}/valores/fed") == {"pCBS": "0.90", "pAliqEfetCBS": "0.90"}
        assert texts_of(note, f"{REFORM}/totCIBS") == {"vTotNF": "1000.00"}
        assert texts_of(note, f"{REFORM}/totCIBS/gIBS") == {"vIBSTot": "0.94"}
        assert texts_of(note, f"{REFORM}/totCIBS/gIBS/gIBSUFTot") == {"vIBSUF": "0.94"}
        assert texts_of(note, f"{REFORM}/totCIBS/gIBS/gIBSMunTot") == {"vIBSMun": "0.00"}
        assert texts_of(note, f"{REFORM}/totCIBS/gCBS") == {"vCBS": "8.49"}

    async def test_reduced_class_has_its_reduction(self, sefin: Sefin) -> None:
        note = (await sefin.issue("reduced_reform")).note
        assert texts_of(note, f"{REFORM}/valores/uf") == {
            "pIBSUF": "0.10",
            "pRedAliqUF": "60.00",
            "pAliqEfetUF": "0.04",
        }
        assert texts_of(note, f"{REFORM}/totCIBS/gCBS") == {"vCBS": "3.53"}

    async def test_deferred_class_has_the_deferred_amount(self, sefin: Sefin) -> None:
        note = (await sefin.issue("deferred")).note
        assert texts_of(note, f"{REFORM}/totCIBS/gCBS") == {"vDifCBS": "3.53", "vCBS": "3.53"}

    async def test_suspended_class_has_the_regular_amounts(self, sefin: Sefin) -> None:
        note = (await sefin.issue("regular")).note
        assert texts_of(note, f"{REFORM}/totCIBS/gCBS") == {"vCBS": "0.00"}
        regular = texts_of(note, f"{REFORM}/totCIBS/gTribRegular")
        assert (regular["pAliqEfeRegCBS"], regular["vTribRegCBS"]) == ("0.90", "8.82")

    async def test_public_purchase_has_its_own_amounts(self, sefin: Sefin) -> None:
        note = (await sefin.issue("public")).note
        assert texts_of(note, REFORM)["pRedutor"] == "0.00"
        assert texts_of(note, f"{REFORM}/totCIBS/gTribCompraGov")["vCBS"] == "8.82"

    async def test_reimbursed_expenses_are_not_in_the_base(self, sefin: Sefin) -> None:
        note = (await sefin.issue("expenses")).note
        # 50.00 are not part of the price: 950.00 less 2 % of ISS.
        assert texts_of(note, "infNFSe/valores")["vBC"] == "950.00"
        assert texts_of(note, f"{REFORM}/valores") == {"vBC": "931.00", "vCalcReeRepRes": "50.00"}

    async def test_reform_taxes_are_due_at_the_buyer_or_where_the_service_was_performed(
        self, sefin: Sefin
    ) -> None:
        away = says("infDPS/toma/end/endNac/cMun", CAMPINAS)
        at_buyer = await sefin.issue("normal", away)
        here = await sefin.issue("normal", away, says("infDPS/IBSCBS/cIndOp", "030101"))
        performed = await sefin.issue("normal", away, says("infDPS/IBSCBS/cIndOp", "030102"))
        places = [answer.text(f"{REFORM}/cLocalidadeIncid") for answer in (at_buyer, here, performed)]
        assert places == [CAMPINAS, "3550308", "3550308"]
        assert at_buyer.text(f"{REFORM}/xLocalidadeIncid") == "Campinas"

    async def test_competence_of_2027_has_the_rates_of_2027_on_top_of_the_price(self, sefin: Sefin) -> None:
        sefin.now = JANUARY
        note = (await sefin.issue("normal", without(FEDERAL), *of_competence("2027-01-01"))).note
        # 1000.00 less 20.00 of ISS; 0.49 + 0.49 of IBS and 108.88 of CBS come on top.
        assert texts_of(note, f"{REFORM}/valores")["vBC"] == "980.00"
        assert texts_of(note, f"{REFORM}/valores/uf")["pIBSUF"] == "0.05"
        assert texts_of(note, f"{REFORM}/valores/mun")["pIBSMun"] == "0.05"
        assert texts_of(note, f"{REFORM}/valores/fed")["pCBS"] == "11.11"
        assert texts_of(note, f"{REFORM}/totCIBS/gIBS") == {"vIBSTot": "0.98"}
        assert texts_of(note, f"{REFORM}/totCIBS/gCBS") == {"vCBS": "108.88"}
        assert texts_of(note, f"{REFORM}/totCIBS") == {"vTotNF": "1109.86"}

    async def test_competence_of_2026_issued_in_2027_keeps_the_rules_of_2026(self, sefin: Sefin) -> None:
        sefin.now = JANUARY
        note = (await sefin.issue("normal", *of_competence("2026-12-31"))).note
        assert texts_of(note, f"{REFORM}/valores")["vBC"] == "943.50"
        assert texts_of(note, f"{REFORM}/valores/fed")["pCBS"] == "0.90"
        assert texts_of(note, f"{REFORM}/totCIBS") == {"vTotNF": "1000.00"}

    async def test_reform_follows_the_dates_and_the_rate_of_the_controls(self, sefin: Sefin) -> None:
        sefin.now = JANUARY
        moved = {"nfseTotalAddsTaxes": "2027-02-01", "nfsePisCofinsRefused": "2027-02-01"}
        moved |= {"nfseBaseWithoutPisCofins": "2027-02-01"}
        sefin.site.switches.change({"calendar": moved, "cbsRate": 8.7}, sefin.now)
        note = (await sefin.issue("normal", *of_competence("2027-01-31"))).note
        assert texts_of(note, f"{REFORM}/valores")["vBC"] == "943.50"
        assert texts_of(note, f"{REFORM}/valores/fed")["pCBS"] == "8.70"
        assert texts_of(note, f"{REFORM}/totCIBS") == {"vTotNF": "1000.00"}

    async def test_note_without_reform_taxes_has_no_totals_of_them(self, sefin: Sefin) -> None:
        assert (await sefin.issue("simples")).note.find(f".//{{{NAMESPACE}}}totCIBS") is None
