"""An NF-e request with all fields."""

from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ
from unit.fiscal.goods.support import (
    BUYER_CNPJ,
    ITEM,
    NFE_BODY,
    SAO_PAULO,
    issued_nfe,
    misformed,
    nfe,
    refused,
    text_at,
)

KEY = "35261111222333000181550010000000031123456827"
INSTALLMENT = {"number": "001", "dueDate": "2026-12-14", "amount": 1}
CASH = {"method": "cash", "amount": 1}
NOTE = {"name": "pedido", "value": "9"}


class TestWholeRequest:
    def test_request_with_all_fields_is_valid_by_the_xsd(self, signer: Signer) -> None:
        document = issued_nfe(
            signer,
            nature="Venda",
            presence="internet",
            departedAt="2026-11-14T12:00:00-03:00",
            billing={
                "bill": {"number": "1", "originalAmount": 71.8, "discount": 0, "netAmount": 71.8},
                "installments": [{"number": "001", "dueDate": "2026-12-14", "amount": 71.8}],
            },
            purchase={"order": "PED-9"},
            notes="Obrigado pela preferência.",
            authorityNotes="Regime especial 1",
            observations=[{"name": "pedido", "value": "9"}],
            processes=[{"number": "123", "origin": "1"}],
            authorizedReaders=[{"taxId": BUYER_CNPJ}],
            deliveryAddress=SAO_PAULO | {"taxId": BUYER_CNPJ},
        )
        assert isinstance(document, SignedDocument), document
        root = etree.fromstring(document.xml)
        notes = root.findtext(f".//{{{NAMESPACE}}}infCpl") or ""
        assert notes.startswith("Obrigado pela preferência. | DOCUMENTO EMITIDO")

    @pytest.mark.parametrize(("field", "tag"), [("notes", "infCpl"), ("authorityNotes", "infAdFisco")])
    def test_notes_may_have_several_lines(self, signer: Signer, field: str, tag: str) -> None:
        given: dict[str, Any] = {field: "Primeira linha\nsegunda\r\n\tterceira\n"}
        assert (text_at(nfe(**given), f"infAdic/{tag}") or "").startswith("Primeira linha segunda terceira")
        assert isinstance(issued_nfe(signer, **given), SignedDocument)

    def test_request_may_have_as_many_installments_as_the_xsd_allows(self, signer: Signer) -> None:
        installments = [INSTALLMENT | {"number": f"{number:03d}"} for number in range(1, 121)]
        document = issued_nfe(signer, billing={"installments": installments})
        assert isinstance(document, SignedDocument), document

    def test_external_id_is_not_in_the_document(self, signer: Signer) -> None:
        document = issued_nfe(signer, externalId="pedido-4711")
        assert isinstance(document, SignedDocument), document
        assert b"pedido-4711" not in document.xml

    def test_refusals_of_the_xsd_are_reported_at_the_callers_fields(self, signer: Signer) -> None:
        problems = issued_nfe(
            signer,
            advancePayment={"accessKeys": ["1"]},
            presence="internet",
            intermediary={"taxId": "123", "sellerId": "loja-1"},
            billing={"installments": [{"number": "001", "amount": 0}]},
        )
        assert set(refused(problems)) == {
            "advancePayment.accessKeys[0]",
            "intermediary.taxId",
            "billing.installments[0].amount",
        }

    def test_unwritable_values_are_reported_together_with_broken_rules(self, signer: Signer) -> None:
        wrong = ITEM | {"cfop": "1102", "description": "Caneca 🎉"}
        problems = issued_nfe(signer, nature="Venda 🎉", items=[wrong], references=[{"accessKey": "1"}])
        assert set(refused(problems)) == {
            "nature",
            "items[0].cfop",
            "items[0].description",
            "references[0].accessKey",
        }

    @pytest.mark.parametrize(
        ("changes", "field", "message"),
        [
            ({"items": []}, "items", "Deve ter pelo menos 1 item."),
            ({"items": [ITEM] * 991}, "items", "Deve ter no máximo 990 itens."),
            ({"recipient": None}, "recipient", "Campo obrigatório."),
            ({"nature": "x" * 61}, "nature", "Deve ter no máximo 60 caracteres."),
            ({"finalConsumer": "yes"}, "finalConsumer", "Deve ser true ou false."),
            ({"presence": 1}, "presence", None),
            ({"transmit": "later"}, "transmit", "Campo desconhecido."),
            ({"natOp": "Venda"}, "natOp", "Campo desconhecido."),
            ({"notes": "uma\x00duas"}, "notes", "Não pode conter caracteres de controle."),
            ({"notes": "x" * 5001}, "notes", "Deve ter no máximo 5000 caracteres."),
            (
                {"supplyPlaceCode": "3550308"},
                "supplyPlaceCode",
                "Formato inválido: informe os 6 dígitos do código, e não “3550308”.",
            ),
            (
                {"ibsTaxableCityCode": "355030"},
                "ibsTaxableCityCode",
                "Formato inválido: informe 7 dígitos, e não “355030”.",
            ),
            ({"payments": [CASH] * 101}, "payments", "Deve ter no máximo 100 itens."),
            (
                {"billing": {"installments": [INSTALLMENT] * 121}},
                "billing.installments",
                "Deve ter no máximo 120 itens.",
            ),
            ({"references": [{"accessKey": KEY}] * 1000}, "references", "Deve ter no máximo 999 itens."),
            (
                {"authorizedReaders": [{"taxId": CNPJ}] * 11},
                "authorizedReaders",
                "Deve ter no máximo 10 itens.",
            ),
            ({"observations": [NOTE] * 11}, "observations", "Deve ter no máximo 10 itens."),
            (
                {"advancePayment": {"accessKeys": [KEY] * 100}},
                "advancePayment.accessKeys",
                "Deve ter no máximo 99 itens.",
            ),
        ],
    )
    def test_request_of_a_wrong_form_is_refused(
        self, changes: dict[str, Any], field: str, message: str | None
    ) -> None:
        with pytest.raises(ValidationError) as raised:
            NfeRequest.model_validate(NFE_BODY | changes)
        errors = misformed(raised.value)
        assert errors.keys() == {field}
        assert message in (None, errors[field])

    def test_only_the_wrong_field_of_an_item_is_reported(self) -> None:
        with pytest.raises(ValidationError) as raised:
            NfeRequest.model_validate(NFE_BODY | {"items": [ITEM | {"quantity": "2"}]})
        assert misformed(raised.value) == {"items[0].quantity": "Deve ser um número."}
