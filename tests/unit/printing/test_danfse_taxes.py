"""The taxes on a DANFSe: sums, and rows that only some notes have."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from carimbo.fiscal.layouts.dps_v1.amounts import Discounts, FederalTaxes, PisCofins
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from unit.printing.issued_notes import issued_note
from unit.printing.service_paper import NORMAL, SIMPLES, text_on, with_taxes

NO_ISS = "TRIBUTAÇÃO MUNICIPAL (ISSQN) - OPERAÇÃO NÃO SUJEITA AO ISSQN"


class TestIss:
    def test_iss_that_is_not_due_is_replaced_by_a_sentence(self) -> None:
        iss = replace(NORMAL.amounts.taxes.iss, taxation="4")
        text = text_on(with_taxes(NORMAL, iss=iss))
        assert NO_ISS in text
        assert "BC ISSQN" not in text

    def test_immune_service_keeps_its_iss_block(self) -> None:
        iss = replace(NORMAL.amounts.taxes.iss, taxation="2", immunity="2")
        text = text_on(with_taxes(NORMAL, iss=iss))
        assert "Tipo de Imunidade do ISSQN Templos de qualquer culto (CF88, Art 150, VI, b)" in text

    def test_iss_rows_without_values_are_left_out(self) -> None:
        text = text_on(SIMPLES)
        assert "Regime Especial" not in text
        assert "Benefício Municipal" not in text
        assert "BC ISSQN - Alíquota Aplicada -" in text

    def test_iss_row_is_printed_if_any_of_its_values_is_present(self) -> None:
        discounted = replace(
            SIMPLES, amounts=replace(SIMPLES.amounts, discounts=Discounts(unconditional=Decimal(7)))
        )
        text = text_on(discounted)
        assert "Total Deduções/Reduções - Desconto Incondicionado R$ 7,00" in text
        assert "Regime Especial" not in text

    def test_deductions_are_summed(self) -> None:
        amounts = replace(issued_note(NORMAL).amounts, deduction=Decimal(100))
        assert "Total Deduções/Reduções R$ 103,21" in text_on(NORMAL, amounts=amounts)


class TestFederalTaxes:
    OWN = PisCofins(cst="01", pis_amount=Decimal("6.50"), cofins_amount=Decimal(30), withholding="3")

    def text_with_federal_taxes(self, note: ServiceNote = NORMAL, withholding: str = "3") -> str:
        own = replace(self.OWN, withholding=withholding)
        return text_on(with_taxes(note, federal=FederalTaxes(pis_cofins=own, csll=Decimal(10))))

    def test_pis_and_cofins_are_owed_by_the_provider_unless_withheld_with_the_csll(self) -> None:
        text = self.text_with_federal_taxes()
        assert "Contribuições Sociais - Retidas R$ 10,00" in text
        assert "PIS - Débito Apuração Própria R$ 6,50 COFINS - Débito Apuração Própria R$ 30,00" in text

    def test_pis_and_cofins_withheld_with_the_csll_are_added_to_it(self) -> None:
        text = self.text_with_federal_taxes(withholding="1")
        assert "Contribuições Sociais - Retidas R$ 46,50" in text
        assert "PIS - Débito Apuração Própria R$ 0,00 COFINS - Débito Apuração Própria R$ 0,00" in text

    @pytest.mark.parametrize(("day", "is_there"), [(date(2026, 12, 31), True), (date(2027, 1, 1), False)])
    def test_pis_and_cofins_row_is_printed_until_these_taxes_end(self, day: date, is_there: bool) -> None:
        text = self.text_with_federal_taxes(replace(NORMAL, competence=day))
        assert ("PIS - Débito" in text) is is_there
        assert "TRIBUTAÇÃO FEDERAL (EXCETO CBS)" in text


class TestReform:
    def test_note_without_reform_taxes_has_hyphens(self) -> None:
        text = text_on(SIMPLES)
        assert "TRIBUTAÇÃO IBS / CBS CST / cClassTrib -" in text
        assert "Valor Total Apurado - IBS - Alíquota - CBS - Alíquota Efetiva - CBS -" in text
        assert "Total do IBS/CBS - Valor Líquido da NFS-e + IBS/CBS -" in text

    def test_amounts_excluded_from_the_base_are_summed(self) -> None:
        """ISS 61.72, PIS 6.50, COFINS 30.00, passed on 3.21; a discount of 7.00."""
        owed = PisCofins(cst="01", pis_amount=Decimal("6.50"), cofins_amount=Decimal(30))
        taxed = with_taxes(NORMAL, federal=FederalTaxes(pis_cofins=owed))
        text = text_on(
            replace(taxed, amounts=replace(taxed.amounts, discounts=Discounts(unconditional=Decimal(7))))
        )
        assert "Exclusões e Reduções da Base de Cálculo R$ 108,43" in text

    def test_ibs_and_cbs_are_summed(self) -> None:
        assert "Total do IBS/CBS R$ 4,21" in text_on(NORMAL)
