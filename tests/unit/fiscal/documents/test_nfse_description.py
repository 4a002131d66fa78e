"""Variables in the description of a service."""

from typing import Any

import pytest

from carimbo.fiscal.documents.nfse.description import VARIABLES
from unit.fiscal.documents.nfse_support import (
    CPF,
    FOREIGNER,
    NBS,
    TRADE,
    body,
    codes_of,
    composed,
    declared,
    provider,
    said,
)

KNOWN: dict[str, Any] = {
    "name": "Plano Pro",
    "sku": "PRO-1",
    "category": "saas",
    "externalId": "pedido-7",
    "issueDate": "2026-11-03",
    "amount": 1234567.5,
    "borrower": {"taxId": CPF, "name": "Maria da Silva"},
}
FILLED = {
    "nomeProduto": "Plano Pro",
    "sku": "PRO-1",
    "categoria": "saas",
    "valor": "1.234.567,50",
    "competencia": "11/2026",
    "data": "03/11/2026",
    "nomeCliente": "Maria da Silva",
    "documentoCliente": "529.982.247-25",
    "pedido": "pedido-7",
    "nomeEmpresa": "Serviços Modelo Ltda",
}


def described(text: str, **changes: Any) -> str | None:
    told = body(**KNOWN | changes, serviceDescription=text)
    return said(declared(told), "serv/cServ/xDescServ")


def lacking(text: str, **changes: Any) -> set[tuple[str, str]]:
    return codes_of(composed(body(serviceDescription=text, **changes)).problems)


class TestVariable:
    @pytest.mark.parametrize("name", VARIABLES)
    def test_is_filled_in(self, name: str) -> None:
        assert described(f"Antes {{{name}}} depois") == f"Antes {FILLED[name]} depois"

    def test_of_the_company_is_the_name_that_people_know(self) -> None:
        told = body(serviceDescription="Por {nomeEmpresa}")
        known_as = declared(told, by=provider(tradeName="Modelo"))
        assert said(known_as, "serv/cServ/xDescServ") == "Por Modelo"

    def test_of_the_day_is_today_where_no_competence_is_told(self) -> None:
        assert described("{data}, {competencia}", issueDate=None) == "14/11/2026, 11/2026"

    def test_may_stand_there_twice_and_beside_others(self) -> None:
        assert described("{sku}{sku} {categoria}") == "PRO-1PRO-1 saas"

    def test_that_is_filled_in_is_not_looked_into_again(self) -> None:
        assert described("{nomeProduto}", name="{sku} {nada}") == "{sku} {nada}"

    @pytest.mark.parametrize("text", ["{ sku }", "{}", "{sku", "{{sku}", "{1}", "{SKU-1}"])
    def test_is_nothing_but_a_name_between_braces(self, text: str) -> None:
        assert described(text) == text.replace("{sku}", "PRO-1")

    def test_that_nobody_knows_stays_and_is_warned_of(self) -> None:
        made = composed(body(serviceDescription="De {mes} e {mes}", iss={"rate": 0}))
        assert made.problems == ()
        (warning,) = made.warnings
        assert warning.startswith("A descrição tem {mes}, que ficou como está")
        assert all(f"{{{name}}}" in warning for name in VARIABLES)
        assert described("De {mes}") == "De {mes}"

    @pytest.mark.parametrize(
        ("name", "changes"),
        [
            ("nomeProduto", {}),
            ("sku", {}),
            ("categoria", {}),
            ("pedido", {}),
            ("documentoCliente", {"borrower": {"name": "Consumidor"}}),
            ("documentoCliente", {"borrower": FOREIGNER, "foreignTrade": TRADE, "nbs": NBS}),
        ],
    )
    def test_that_the_body_does_not_fill_is_refused(self, name: str, changes: dict[str, Any]) -> None:
        assert lacking(f"A {{{name}}}", **changes) == {("VARIABLE_WITHOUT_VALUE", "serviceDescription")}

    def test_that_the_body_does_not_fill_is_told_with_the_others(self) -> None:
        problems = composed(body(serviceDescription="{nomeProduto} {pedido}")).problems
        assert [("{nomeProduto}" in one.message, "{pedido}" in one.message) for one in problems] == [
            (True, False),
            (False, True),
        ]


class TestLength:
    def test_is_counted_after_the_variables_are_filled_in(self) -> None:
        text = "x" * 1991 + "{sku}"
        assert described(text, sku="123456789") == "x" * 1991 + "123456789"
        assert lacking(text, sku="1234567890") == {("DESCRIPTION_LENGTH", "serviceDescription")}
