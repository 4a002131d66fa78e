"""The legends of the Simples Nacional in the notes of a document (Resolução CGSN 140/2018)."""

from typing import Any

import pytest

from carimbo.fiscal.making import Composition
from unit.fiscal.goods.support import (
    CONTRIBUTOR,
    NORMAL,
    company,
    composed_nfe,
    given_back,
    item,
    nfce,
    nfe,
    text_at,
)

OPTANT = "DOCUMENTO EMITIDO POR ME OU EPP OPTANTE PELO SIMPLES NACIONAL."
NO_IPI_CREDIT = "NÃO GERA DIREITO A CRÉDITO FISCAL DE IPI."
BOTH = f"{OPTANT} {NO_IPI_CREDIT}"
CREDIT_LAW = "NOS TERMOS DO ART. 23 DA LEI COMPLEMENTAR Nº 123, DE 2006."


def notes(**changes: Any) -> str | None:
    return text_at(nfe(**changes), "infAdic/infCpl")


def with_credit(rate: float, price: float = 100) -> dict[str, Any]:
    return item(quantity=1, unitValue=price, icms={"csosn": "101", "creditRate": rate})


class TestLegends:
    def test_legends_are_written_in_nfe_and_nfce(self) -> None:
        assert notes() == text_at(nfce(), "infAdic/infCpl") == BOTH

    def test_legends_are_written_in_a_return_too(self) -> None:
        assert notes(**given_back()) == BOTH

    def test_legend_of_a_company_above_the_sublimit_says_that_it_charges_icms(self) -> None:
        assert notes(by=company(taxRegime="simplesExcess", defaults={"icmsRate": 18})) == (
            "ESTABELECIMENTO IMPEDIDO DE RECOLHER O ICMS/ISS PELO SIMPLES NACIONAL, NOS TERMOS DO § 1º DO"
            f" ART. 20 DA LEI COMPLEMENTAR Nº 123, DE 2006. {NO_IPI_CREDIT}"
        )

    @pytest.mark.parametrize(
        "by",
        [NORMAL, company(taxRegime="mei"), company(defaults={"simplesLegends": False})],
        ids=["normal regime", "MEI", "switched off"],
    )
    def test_legends_are_not_written_for_other_companies(self, by: Any) -> None:
        assert notes(by=by) is None


class TestCredit:
    def test_credit_legend_has_rate_and_amount(self) -> None:
        # 2.82 % of 100 and of 50 = 2.82 + 1.41
        items = [with_credit(2.82), with_credit(2.82, 50)]
        assert notes(recipient=CONTRIBUTOR, items=items) == (
            f"{BOTH} PERMITE O APROVEITAMENTO DO CRÉDITO DE ICMS NO VALOR DE R$ 4,23; CORRESPONDENTE À"
            f" ALÍQUOTA DE 2,82%, {CREDIT_LAW}"
        )

    def test_credit_legend_of_several_rates_lists_each_with_its_amount(self) -> None:
        items = [with_credit(2.82), with_credit(1.25, 1000), with_credit(3)]
        assert notes(recipient=CONTRIBUTOR, items=items) == (
            f"{BOTH} PERMITE O APROVEITAMENTO DO CRÉDITO DE ICMS NO VALOR DE R$ 18,32; CORRESPONDENTE ÀS"
            f" ALÍQUOTAS DE 2,82% (R$ 2,82), 1,25% (R$ 12,50) E 3% (R$ 3,00), {CREDIT_LAW}"
        )

    def test_credit_of_zero_has_no_legend(self) -> None:
        assert notes(recipient=CONTRIBUTOR, items=[with_credit(0)]) == BOTH


class TestNotesOfTheCaller:
    def test_notes_of_the_caller_come_before_the_legends(self) -> None:
        assert notes(notes="Pedido 4711") == f"Pedido 4711 | {BOTH}"

    def test_legends_in_the_notes_of_the_caller_are_not_repeated(self) -> None:
        own = (
            "Documento emitido por me ou epp\noptante pelo Simples Nacional;"
            " nao gera direito a credito fiscal de ipi"
        )
        assert notes(notes=own) == own.replace("\n", " ")

    def test_notes_with_one_legend_get_the_other(self) -> None:
        assert notes(notes=OPTANT) == f"{OPTANT} | {NO_IPI_CREDIT}"

    @pytest.mark.parametrize(
        ("room", "added", "left_out"),
        [
            (len(BOTH), f" | {BOTH}", 0),
            (len(BOTH) - 1, f" | {OPTANT}", 1),
            (len(OPTANT) - 1, f" | {NO_IPI_CREDIT}", 1),
            (0, "", 2),
        ],
        ids=["room for both", "for the first", "for the shorter", "for none"],
    )
    def test_notes_of_the_caller_are_never_cut(self, room: int, added: str, left_out: int) -> None:
        own = "x" * (5000 - len(" | ") - room)
        composition = composed_nfe(notes=own)
        assert isinstance(composition, Composition)
        assert text_at(composition.document, "infAdic/infCpl") == own + added
        assert sum("Não coube em infCpl" in warning for warning in composition.warnings) == left_out

    def test_notes_with_an_ellipsis_leave_room_for_its_three_points(self) -> None:
        fits = 5000 - len(f"... | {BOTH}")
        assert notes(notes="x" * fits + "…") == f"{'x' * fits}... | {BOTH}"
        assert notes(notes="x" * (fits + 1) + "…") == f"{'x' * (fits + 1)}... | {OPTANT}"
