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
    text_at,
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
    payload = body(**KNOWN | changes, serviceDescription=text)
    return text_at(declared(payload), "serv/cServ/xDescServ")


def problem_codes(text: str, **changes: Any) -> set[tuple[str, str]]:
    return codes_of(composed(body(serviceDescription=text, **changes)).problems)


class TestVariable:
    @pytest.mark.parametrize("name", VARIABLES)
    def test_variable_is_filled_in(self, name: str) -> None:
        assert described(f"Antes {{{name}}} depois") == f"Antes {FILLED[name]} depois"

    def test_company_variable_is_its_trade_name(self) -> None:
        payload = body(serviceDescription="Por {nomeEmpresa}")
        id_fields = declared(payload, by=provider(tradeName="Modelo"))
        assert text_at(id_fields, "serv/cServ/xDescServ") == "Por Modelo"

    def test_date_variables_are_today_without_an_issue_date(self) -> None:
        assert described("{data}, {competencia}", issueDate=None) == "14/11/2026, 11/2026"

    def test_variables_may_repeat_and_touch_each_other(self) -> None:
        assert described("{sku}{sku} {categoria}") == "PRO-1PRO-1 saas"

    def test_values_of_variables_are_not_expanded_again(self) -> None:
        assert described("{nomeProduto}", name="{sku} {nada}") == "{sku} {nada}"

    @pytest.mark.parametrize("text", ["{ sku }", "{}", "{sku", "{{sku}", "{1}", "{SKU-1}"])
    def test_only_a_name_between_braces_is_a_variable(self, text: str) -> None:
        assert described(text) == text.replace("{sku}", "PRO-1")

    def test_unknown_variable_stays_and_is_warned_of(self) -> None:
        result = composed(body(serviceDescription="De {mes} e {mes}", iss={"rate": 0}))
        assert result.problems == ()
        (warning,) = result.warnings
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
    def test_variable_without_a_value_in_the_body_is_refused(
        self, name: str, changes: dict[str, Any]
    ) -> None:
        assert problem_codes(f"A {{{name}}}", **changes) == {("VARIABLE_WITHOUT_VALUE", "serviceDescription")}

    def test_every_variable_without_a_value_is_reported(self) -> None:
        problems = composed(body(serviceDescription="{nomeProduto} {pedido}")).problems
        assert [
            ("{nomeProduto}" in problem.message, "{pedido}" in problem.message) for problem in problems
        ] == [
            (True, False),
            (False, True),
        ]


class TestLength:
    def test_length_is_counted_after_the_variables_are_filled_in(self) -> None:
        text = "x" * 1991 + "{sku}"
        assert described(text, sku="123456789") == "x" * 1991 + "123456789"
        assert problem_codes(text, sku="1234567890") == {("DESCRIPTION_LENGTH", "serviceDescription")}
