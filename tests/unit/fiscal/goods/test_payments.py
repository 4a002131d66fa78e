"""Payments: the methods that callers give, and the whole amount when they give none."""

from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfce.document import compose as compose_receipt
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.goods.payments import NOTHING_PAID_NOW, PaymentBody
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from unit.fiscal.goods.support import (
    NFCE_BODY,
    SOFTWARE,
    company,
    element,
    emission,
    issued_nfe,
    item,
    misformed,
    nfce,
    nfe,
    text_at,
)


def written_payments(*payments: dict[str, Any]) -> list[list[str | None]]:
    """Returns the methods and amounts of the document."""
    payment_elements = element(nfe(payments=list(payments))).iter(f"{{{NAMESPACE}}}detPag")
    return [
        [payment.findtext(f"{{{NAMESPACE}}}{tag}") for tag in ("tPag", "vPag")]
        for payment in payment_elements
    ]


class TestWithoutPayments:
    def test_document_without_payments_is_paid_in_cash(self) -> None:
        invoice = nfe()
        assert (text_at(invoice, "pag/detPag/tPag"), text_at(invoice, "pag/detPag/vPag")) == ("01", "71.80")

    @pytest.mark.parametrize("purpose", ["return", "adjustment"])
    def test_document_that_is_no_sale_has_no_payment(self, purpose: str) -> None:
        invoice = nfe(purpose=purpose)
        assert (text_at(invoice, "pag/detPag/tPag"), text_at(invoice, "pag/detPag/vPag")) == ("90", "0.00")

    def test_document_that_is_no_sale_is_paid_by_the_method_that_it_names(self) -> None:
        invoice = nfe(cfop="5910", items=[item(icms={"csosn": "102"})], paymentMethod="cash")
        assert (text_at(invoice, "pag/detPag/tPag"), text_at(invoice, "pag/detPag/vPag")) == ("01", "71.80")

    @pytest.mark.parametrize("make", [nfe, nfce])
    def test_document_is_paid_by_the_method_that_it_names(self, make: Callable[..., Invoice]) -> None:
        invoice = make(paymentMethod="pix")
        assert [text_at(invoice, f"pag/detPag/{path}") for path in ("tPag", "vPag", "card/tpIntegra")] == [
            "17",
            "71.80",
            "2",
        ]


class TestPayments:
    def test_payments_are_written_as_they_are_given(self) -> None:
        assert written_payments({"method": "cash", "amount": 50}, {"method": "pix", "amount": 21.8}) == [
            ["01", "50.00"],
            ["17", "21.80"],
        ]

    @pytest.mark.parametrize("method", PAYMENT_METHODS.values(), ids=lambda method: method.code)
    def test_payments_of_every_method_are_accepted_by_the_xsd(self, signer: Signer, method: Any) -> None:
        amount = 0 if method.code in NOTHING_PAID_NOW else 71.8
        given = {"method": method.code, "amount": amount, "description": "Como combinado"}
        document = issued_nfe(signer, payments=[given])
        assert isinstance(document, SignedDocument), document
        integration = etree.fromstring(document.xml).find(f".//{{{NAMESPACE}}}card/{{{NAMESPACE}}}tpIntegra")
        assert (integration is not None) == method.has_card

    @pytest.mark.parametrize(
        "word",
        [
            *("creditCard", "credit_card", "credit-card", "CREDITCARD", "credit card", "03", "3", 3),
            *("Cartão de crédito", "cartao_de_credito", "Crédito"),
        ],
    )
    def test_payment_method_is_accepted_in_any_spelling(self, word: str | int) -> None:
        assert written_payments({"method": word, "amount": 71.8}) == [["03", "71.80"]]

    @pytest.mark.parametrize(
        ("word", "code"),
        [
            ("dinheiro", "01"),
            ("pix", "17"),
            (17, "17"),
            ("Boleto bancário", "15"),
            ("cartão de débito", "04"),
        ],
    )
    def test_payments_of_a_receipt_need_no_payment_method(self, word: str | int, code: str) -> None:
        invoice = nfce(paymentMethod=None, payments=[{"method": word, "amount": 71.8}])
        assert (text_at(invoice, "pag/detPag/tPag"), text_at(invoice, "pag/detPag/vPag")) == (code, "71.80")

    def test_payments_may_come_with_the_method_of_one_of_them(self) -> None:
        payments = [{"method": "pix", "amount": 70}, {"method": "cash", "amount": 1.8}]
        assert text_at(nfce(paymentMethod="dinheiro", payments=payments), "pag/detPag/tPag") == "17"

    def test_payments_replace_another_payment_method_with_a_warning(self) -> None:
        request = NFCE_BODY | {"paymentMethod": "boleto", "payments": [{"method": "pix", "amount": 71.8}]}
        composition = compose_receipt(NfceRequest.model_validate(request), company(), emission(), SOFTWARE)
        assert composition.problems == ()
        assert [
            warning
            for warning in composition.warnings
            if warning.startswith("paymentMethod: Não é o meio de nenhum")
        ]

    def test_payments_keep_the_fields_of_the_card(self, signer: Signer) -> None:
        card = {
            "integration": "1",
            "institutionTaxId": "11222333000181",
            "brand": "01",
            "authorization": "A1",
        }
        payment = {
            "method": "creditCard",
            "amount": 71.8,
            "term": "installments",
            "card": card,
            "paymentDate": "2026-11-14",
            "processorTaxId": "11222333000181",
            "processorState": "SP",
        }
        document = issued_nfe(signer, payments=[payment])
        assert isinstance(document, SignedDocument), document
        assert b"<indPag>1</indPag><tPag>03</tPag><vPag>71.80</vPag><dPag>2026-11-14</dPag>" in document.xml
        assert b"<card><tpIntegra>1</tpIntegra><CNPJ>11222333000181</CNPJ><tBand>01</tBand>" in document.xml

    def test_payments_are_a_hundred_at_most(self, signer: Signer) -> None:
        payment = {"method": "cash", "amount": 1}
        goods = item(quantity=1, unitValue=100)
        assert isinstance(issued_nfe(signer, items=[goods], payments=[payment] * 100), SignedDocument)
        with pytest.raises(ValidationError) as raised:
            nfe(payments=[payment] * 101)
        assert misformed(raised.value) == {"payments": "Deve ter no máximo 100 itens."}

    def test_payments_state_the_change(self) -> None:
        invoice = nfe(payments=[{"method": "cash", "amount": 100}], change=28.2)
        assert (text_at(invoice, "pag/detPag/vPag"), text_at(invoice, "pag/vTroco")) == ("100.00", "28.20")


class TestBody:
    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("method", True, "Deve ser um texto."),
            ("method", 1.5, "Deve ser um texto."),
            ("method", "x" * 31, "Deve ter no máximo 30 caracteres."),
            ("amount", -1, "Deve ser maior ou igual a 0."),
            ("amount", "1.00", "Deve ser um número."),
            ("term", "later", "Valor inválido: use 'cash' ou 'installments'."),
            ("paymentDate", 0, "Deve ser um texto com a data no formato ISO 8601."),
            ("processorTaxId", "1", "CNPJ inválido: confira os 14 caracteres e os dígitos verificadores."),
            ("tPag", "01", "Campo desconhecido."),
        ],
    )
    def test_malformed_payment_is_refused(self, field: str, value: Any, message: str) -> None:
        with pytest.raises(ValidationError) as raised:
            PaymentBody.model_validate({"method": "cash", "amount": 1, field: value})
        assert misformed(raised.value) == {field: message}

    @pytest.mark.parametrize("method", ["bitcoin", 88, -1, "-1"])
    def test_unknown_payment_method_is_refused_with_the_list_of_methods(self, method: Any) -> None:
        with pytest.raises(ValidationError) as raised:
            PaymentBody.model_validate({"method": method, "amount": 1})
        (message,) = misformed(raised.value).values()
        assert message.startswith("Meio de pagamento desconhecido")
        assert all(listed in message for listed in ("01 cash", "17 pix", "99 other"))
