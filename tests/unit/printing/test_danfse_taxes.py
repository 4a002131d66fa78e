"""What a DANFSe makes of the taxes of its note: sums, and rows that only some notes have."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from carimbo.fiscal.layouts.dps_v1.amounts import Discounts
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.layouts.dps_v1.taxes import FederalTaxes, PisCofins
from unit.printing.issued_notes import issued_note
from unit.printing.service_paper import NORMAL, SIMPLES, text_on, with_taxes

NO_ISS = "TRIBUTAÇÃO MUNICIPAL (ISSQN) - OPERAÇÃO NÃO SUJEITA AO ISSQN"


class TestIss:
    def test_that_is_not_due_is_told_in_a_sentence(self) -> None:
        iss = replace(NORMAL.amounts.taxes.iss, taxation="4")
        told = text_on(with_taxes(NORMAL, iss=iss))
        assert NO_ISS in told
        assert "BC ISSQN" not in told

    def test_of_an_immune_service_keeps_its_block(self) -> None:
        iss = replace(NORMAL.amounts.taxes.iss, taxation="2", immunity="2")
        told = text_on(with_taxes(NORMAL, iss=iss))
        assert "Tipo de Imunidade do ISSQN Templos de qualquer culto (CF88, Art 150, VI, b)" in told

    def test_has_no_rows_without_a_value(self) -> None:
        told = text_on(SIMPLES)
        assert "Regime Especial" not in told
        assert "Benefício Municipal" not in told
        assert "BC ISSQN - Alíquota Aplicada -" in told

    def test_has_a_row_as_soon_as_one_of_its_values_is_there(self) -> None:
        discounted = replace(
            SIMPLES, amounts=replace(SIMPLES.amounts, discounts=Discounts(unconditional=Decimal(7)))
        )
        told = text_on(discounted)
        assert "Total Deduções/Reduções - Desconto Incondicionado R$ 7,00" in told
        assert "Regime Especial" not in told

    def test_tells_all_deductions_together(self) -> None:
        amounts = replace(issued_note(NORMAL).amounts, deduction=Decimal(100))
        assert "Total Deduções/Reduções R$ 103,21" in text_on(NORMAL, amounts=amounts)


class TestFederalTaxes:
    OWN = PisCofins(cst="01", pis_amount=Decimal("6.50"), cofins_amount=Decimal(30), withholding="3")

    def told(self, note: ServiceNote = NORMAL, withholding: str = "3") -> str:
        own = replace(self.OWN, withholding=withholding)
        return text_on(with_taxes(note, federal=FederalTaxes(pis_cofins=own, csll=Decimal(10))))

    def test_are_owed_by_the_provider_unless_they_are_withheld_beside_the_csll(self) -> None:
        told = self.told()
        assert "Contribuições Sociais - Retidas R$ 10,00" in told
        assert "PIS - Débito Apuração Própria R$ 6,50 COFINS - Débito Apuração Própria R$ 30,00" in told

    def test_that_are_withheld_beside_the_csll_are_added_to_it(self) -> None:
        told = self.told(withholding="1")
        assert "Contribuições Sociais - Retidas R$ 46,50" in told
        assert "PIS - Débito Apuração Própria R$ 0,00 COFINS - Débito Apuração Própria R$ 0,00" in told

    @pytest.mark.parametrize(("day", "is_there"), [(date(2026, 12, 31), True), (date(2027, 1, 1), False)])
    def test_have_a_row_for_pis_and_cofins_until_these_end(self, day: date, is_there: bool) -> None:
        told = self.told(replace(NORMAL, competence=day))
        assert ("PIS - Débito" in told) is is_there
        assert "TRIBUTAÇÃO FEDERAL (EXCETO CBS)" in told


class TestReform:
    def test_has_hyphens_in_a_note_without_its_taxes(self) -> None:
        told = text_on(SIMPLES)
        assert "TRIBUTAÇÃO IBS / CBS CST / cClassTrib -" in told
        assert "Valor Total Apurado - IBS - Alíquota - CBS - Alíquota Efetiva - CBS -" in told
        assert "Total do IBS/CBS - Valor Líquido da NFS-e + IBS/CBS -" in told

    def test_adds_up_what_is_not_in_the_base(self) -> None:
        """ISS 61.72, PIS 6.50, COFINS 30.00, passed on 3.21; a discount of 7.00."""
        owed = PisCofins(cst="01", pis_amount=Decimal("6.50"), cofins_amount=Decimal(30))
        taxed = with_taxes(NORMAL, federal=FederalTaxes(pis_cofins=owed))
        told = text_on(
            replace(taxed, amounts=replace(taxed.amounts, discounts=Discounts(unconditional=Decimal(7))))
        )
        assert "Exclusões e Reduções da Base de Cálculo R$ 108,43" in told

    def test_tells_the_taxes_together(self) -> None:
        assert "Total do IBS/CBS R$ 4,21" in text_on(NORMAL)
