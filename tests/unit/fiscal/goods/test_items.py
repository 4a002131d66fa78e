"""Items of a sale: values that are filled in for the caller, and the resulting line of the document."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.good_bodies import EXPORTED
from unit.fiscal.goods.support import (
    NORMAL,
    composed_nfe,
    issued_nfe,
    item,
    lines,
    misformed,
    nfe,
    refused,
    text_at,
)

BATCH = {"number": "L1", "quantity": 2, "manufactureDate": "2026-01-01", "expiryDate": "2027-01-01"}
WITH_EVERYTHING = item(
    sku="CAN-1",
    gtin="7891234567895",
    cest="2100300",
    benefitCode="SP123456",
    discount=1,
    freight=2,
    insurance=3,
    other=4,
    approximateTaxes=10.5,
    notes="Cor azul",
    nveCodes=["AA0001"],
    relevantScale="N",
    manufacturerTaxId="12ABC34501DE35",
    ipiException="001",
    purchaseOrder="PED-9",
    purchaseOrderItem="7",
    importContentId="B01F70AF-10BF-4B1F-848C-65FF57F616FE",
    batches=[BATCH],
    medicine={"anvisaCode": "1234567890123", "maximumPrice": 50},
    observation={"name": "cor", "value": "azul"},
    importTax={"base": 10, "customsExpenses": 0, "amount": 1, "iofAmount": 0},
    ipi={"cst": "50", "base": 10, "rate": 10, "amount": 1},
    referencedItem={"accessKey": "35261111222333000181550010000000031123456827", "position": 1},
    barcode="CAN-1-AZUL",
    taxableBarcode="CAN-1-AZUL-UN",
    usedGood="1",
    ibsZfmCreditType="0",
)


def product(path: str, **changes: Any) -> str | None:
    return text_at(nfe(items=[item(**changes)]), f"det/prod/{path}")


NCM_FORM = "Formato inválido: informe os 8 dígitos, por exemplo 69120000, e não “6912”."


class TestDefaults:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("cProd", "ITEM001"),
            ("cEAN", "SEM GTIN"),
            ("cEANTrib", "SEM GTIN"),
            ("uCom", "UN"),
            ("uTrib", "UN"),
            ("indTot", "1"),
            ("CEST", None),
            ("vDesc", None),
            ("vFrete", None),
        ],
    )
    def test_defaults_are_those_of_a_plain_sale(self, path: str, value: str | None) -> None:
        assert product(path) == value

    def test_items_without_a_code_are_numbered(self) -> None:
        invoice = nfe(items=[item(), item(sku="CAN-1"), *[item() for _ in range(988)]])
        assert [text_at(invoice, f"det[{place}]/prod/cProd") for place in (1, 2, 3, 990)] == [
            "ITEM001",
            "CAN-1",
            "ITEM003",
            "ITEM990",
        ]

    def test_origin_is_national_by_default(self) -> None:
        assert text_at(nfe(), "det/imposto/ICMS/ICMSSN102/orig") == "0"

    def test_amounts_of_zero_are_left_out(self) -> None:
        zeros = {"discount": 0, "freight": 0, "insurance": 0, "other": 0}
        invoice = nfe(items=[item(**zeros)])
        assert [text_at(invoice, f"det/prod/{tag}") for tag in ("vDesc", "vFrete", "vSeg", "vOutro")] == [
            None
        ] * 4


class TestTaxableUnit:
    def test_taxable_unit_is_that_of_the_sale_unless_it_is_given(self) -> None:
        invoice = nfe(items=[item(unit="KG", quantity=1.5, unitValue=10, gtin="7891234567895")])
        assert [text_at(invoice, f"det/prod/{tag}") for tag in ("uTrib", "qTrib", "vUnTrib", "cEANTrib")] == [
            "KG",
            "1.5000",
            "10.0000000000",
            "7891234567895",
        ]

    def test_taxable_unit_may_differ_from_that_of_the_sale(self) -> None:
        other = {"taxableUnit": "UN", "taxableQuantity": 12, "taxableUnitValue": 5.9833333333}
        invoice = nfe(items=[item(unit="CX", **other, taxableGtin="78912345")])
        assert [text_at(invoice, f"det/prod/{tag}") for tag in ("uTrib", "qTrib", "vUnTrib", "cEANTrib")] == [
            "UN",
            "12.0000",
            "5.9833333333",
            "78912345",
        ]

    def test_taxable_quantity_may_be_zero(self) -> None:
        assert product("qTrib", taxableQuantity=0, taxableUnitValue=0) == "0.0000"


class TestAmount:
    @pytest.mark.parametrize(
        ("quantity", "unit_value", "amount"),
        [
            (2, "35.9", "71.80"),
            (1, "0.005", "0.01"),
            (1, "0.0049999999", "0.00"),
            (3, "0.335", "1.01"),
            ("0.3333", "10", "3.33"),
            ("1.5", "0.33", "0.50"),
        ],
    )
    def test_amount_is_quantity_times_price_rounded_half_up(
        self, quantity: str, unit_value: str, amount: str
    ) -> None:
        assert product("vProd", quantity=Decimal(quantity), unitValue=Decimal(unit_value)) == amount

    def test_amount_that_no_field_can_hold_is_refused_at_the_item(self, signer: Signer) -> None:
        problems = issued_nfe(signer, items=[item(quantity=10**10, unitValue=10**10)])
        assert any(path.startswith("items[0]") for path in refused(problems))


class TestLine:
    def test_line_with_every_field_is_accepted_by_the_xsd(self, signer: Signer) -> None:
        document = issued_nfe(signer, items=[WITH_EVERYTHING])
        assert isinstance(document, SignedDocument), document

    @pytest.mark.parametrize(
        ("field", "tag", "value"),
        [
            ("barcode", "cBarra", "CAN-1-AZUL"),
            ("taxableBarcode", "cBarraTrib", "CAN"),
            ("usedGood", "indBemMovelUsado", "1"),
            ("ibsZfmCreditType", "tpCredPresIBSZFM", "4"),
        ],
    )
    def test_line_has_the_fields_that_only_some_goods_have(
        self, signer: Signer, field: str, tag: str, value: str
    ) -> None:
        assert (product(tag), product(tag, **{field: value})) == (None, value)
        assert isinstance(issued_nfe(signer, items=[item(**{field: value})]), SignedDocument)

    def test_empty_group_in_a_list_is_refused_at_its_place(self, signer: Signer) -> None:
        details = [{"drawbackNumber": "20260000001"}, {}]
        problems = refused(issued_nfe(signer, **EXPORTED | {"items": [item(), item(exportDetails=details)]}))
        assert problems == {"items[1].exportDetails[1]": "O campo está vazio."}

    def test_lines_count_from_one(self) -> None:
        assert [line.get("nItem") for line in lines(nfe(items=[item(), item(), item()]))] == ["1", "2", "3"]

    def test_line_has_its_own_cfop_or_that_of_the_sale(self) -> None:
        invoice = nfe(cfop="5101", items=[item(), item(cfop="5405")])
        assert [text_at(invoice, f"det[{place}]/prod/CFOP") for place in (1, 2)] == ["5101", "5405"]

    def test_line_without_ncm_is_refused_at_the_ncm(self, signer: Signer) -> None:
        without = {name: value for name, value in item().items() if name != "ncm"}
        assert "items[1].ncm" in refused(issued_nfe(signer, items=[item(), without]))

    def test_problems_of_all_lines_are_reported_together(self) -> None:
        problems = composed_nfe(
            by=NORMAL, items=[item(icms={"cst": "20"}), item(), item(pis={"cst": "02"}), item(cfop="5915")]
        )
        assert {path.partition("]")[0] for path in refused(problems)} == {"items[0", "items[2", "items[3"}

    def test_line_that_is_no_sale_reports_every_missing_tax_at_once(self) -> None:
        problems = composed_nfe(by=NORMAL, items=[item(cfop="5915")])
        assert set(refused(problems)) == {
            "items[0].icms.cst",
            "items[0].pis.cst",
            "items[0].cofins.cst",
            "items[0].ibsCbs.taxClassCode",
        }

    def test_line_reports_the_missing_values_of_every_tax_at_once(self) -> None:
        wrong = {
            "icms": {"cst": "20", "base": 10},
            "pis": {"cst": "02", "base": 10, "amount": 0.17},
            "cofins": {"cst": "04", "amount": 1},
            "ipi": {"cst": "50", "base": 10},
            "ibsCbs": {"taxClassCode": "222001", "base": 10},
        }
        problems = composed_nfe(by=NORMAL, items=[item(**wrong)])
        assert set(refused(problems)) == {
            "items[0].icms.baseReduction",
            "items[0].pis.rate",
            "items[0].cofins.amount",
            "items[0].ipi.rate",
            *(f"items[0].ibsCbs.{name}" for name in ("state", "city", "ibsAmount", "cbs")),
        }


class TestQuantity:
    def test_quantity_of_a_sale_is_greater_than_zero(self) -> None:
        assert refused(composed_nfe(items=[item(quantity=0)])) == {
            "items[0].quantity": "Deve ser maior que 0 em uma venda."
        }

    def test_quantity_of_a_complement_may_be_zero(self) -> None:
        invoice = nfe(purpose="complement", items=[item(quantity=0, unitValue=0)])
        assert text_at(invoice, "det/prod/qCom") == "0.0000"


class TestGtin:
    def test_gtin_may_be_stated_as_missing(self) -> None:
        assert text_at(nfe(items=[item(gtin="SEM GTIN")]), "det/prod/cEAN") == "SEM GTIN"


class TestBody:
    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("description", "", "Campo obrigatório."),
            ("description", "x" * 121, "Deve ter no máximo 120 caracteres."),
            ("description", "a\x00b", "Não pode conter caracteres de controle."),
            ("quantity", -1, "Deve ser maior ou igual a 0."),
            ("quantity", "2", "Deve ser um número."),
            ("quantity", True, "Deve ser um número."),
            ("quantity", 1.00001, "Deve ter no máximo 4 casas decimais."),
            ("unitValue", -0.01, "Deve ser maior ou igual a 0."),
            ("unitValue", Decimal("1e-11"), "Deve ter no máximo 10 casas decimais."),
            ("unitValue", Decimal("1e400"), "Deve ter no máximo 21 dígitos."),
            ("unitValue", float("nan"), "Número pequeno ou grande demais."),
            ("unitValue", float("inf"), "Número pequeno ou grande demais."),
            ("ncm", "6912", NCM_FORM),
            ("ncm", 691200001, "Deve ser um texto."),
            ("cfop", "8102", "Formato inválido: informe 4 dígitos, por exemplo 5102, e não “8102”."),
            ("gtin", "123", "Formato inválido: informe 8, 12, 13 ou 14 dígitos, ou SEM GTIN, e não “123”."),
            ("origin", "9", "Formato inválido: informe um dígito de 0 a 8, e não “9”."),
            ("discount", 1.001, "Deve ter no máximo 2 casas decimais."),
            ("countsInTotal", 1, "Deve ser true ou false."),
            ("vProd", 1, "Campo desconhecido."),
            ("unit_value", 1, "Campo desconhecido."),
            ("batches", {}, "Deve ser uma lista."),
            ("medicine", "x", "Deve ser um objeto JSON."),
            ("barcode", "AB", "Deve ter pelo menos 3 caracteres."),
            ("barcode", "x" * 31, "Deve ter no máximo 30 caracteres."),
            ("taxableBarcode", "AB", "Deve ter pelo menos 3 caracteres."),
            ("taxableBarcode", "x" * 31, "Deve ter no máximo 30 caracteres."),
            ("usedGood", "0", "Formato inválido: informe 1, ou nada, e não “0”."),
            ("usedGood", True, "Deve ser um texto."),
            ("ibsZfmCreditType", "5", "Formato inválido: informe um dígito de 0 a 4, e não “5”."),
            ("nveCodes", ["AA0001"] * 9, "Deve ter no máximo 8 itens."),
            ("batches", [BATCH] * 501, "Deve ter no máximo 500 itens."),
            ("exportDetails", [{}] * 501, "Deve ter no máximo 500 itens."),
        ],
    )
    def test_malformed_item_is_refused(self, field: str, value: Any, message: str) -> None:
        with pytest.raises(ValidationError) as raised:
            ItemBody.model_validate(item(**{field: value}))
        assert misformed(raised.value) == {field: message}

    @pytest.mark.parametrize("field", ["description", "quantity", "unitValue"])
    def test_item_requires_description_quantity_and_price(self, field: str) -> None:
        with pytest.raises(ValidationError) as raised:
            ItemBody.model_validate({name: value for name, value in item().items() if name != field})
        assert misformed(raised.value) == {field: "Campo obrigatório."}
