"""Drafts of NF-e by which a company returns the goods of a received one."""

from decimal import Decimal

import pytest

from carimbo.fiscal.documents.nfe.return_draft import return_draft
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn101
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.receiving import ReturnDraftRequest, UnreadFile
from unit.fiscal.documents.received_nfe import NFE_EXAMPLES, example, proc_nfe, res_nfe, with_text
from unit.fiscal.documents.returns import PLACES, REGIMES, buyer, chosen, draft, first_item, reviewed
from unit.golden_documents import golden_document

# A note with 990 items is larger with the references of a return.
TOO_LARGE = "nfe/most-items.json"
# For processing, and for repair.
ENTRUSTED = ("5901", "5915")
# Parts of an item whose amounts have to be rounded.
SHARES = (Decimal("0.3333"), Decimal("0.9"))


def refusal(file: str) -> str | None:
    """Returns why the goods of an example can't be returned; None if they can."""
    invoice = golden_document(file).invoice
    about = invoice.identification
    if (about.direction, about.purpose) != ("1", "1"):
        return "e o rascunho só se faz de uma nota de"
    is_entrusted = any(item.product.cfop in ENTRUSTED for item in invoice.items)
    return "sem venda: ele volta com uma nota de finalidade normal" if is_entrusted else None


def part_of(invoice: Invoice, share: Decimal) -> ReturnDraftRequest:
    """Returns the request for about the same share of each item."""
    quantities = {
        item.position: (item.product.quantity * share).quantize(Decimal("0.0001")) for item in invoice.items
    }
    return chosen(*({"number": number, "quantity": quantity} for number, quantity in quantities.items()))


@pytest.mark.parametrize("file", [file for file in NFE_EXAMPLES if file != TOO_LARGE])
def test_draft_of_every_example_can_be_issued_as_it_is(file: str, signer: Signer) -> None:
    golden = golden_document(file)
    if reason := refusal(file):
        with pytest.raises(UnreadFile, match=reason):
            return_draft(proc_nfe(golden.xml), buyer())
        return
    invoice = golden.invoice
    has_reform_taxes = all(item.taxes.ibs_cbs for item in invoice.items)
    for by in (buyer(regime, state) for regime in REGIMES for state in PLACES):
        body = dict(return_draft(proc_nfe(golden.xml), by))
        review = reviewed(body, by, signer, invoice.identification.issued_at)
        if has_reform_taxes or by.tax_regime != "normal":
            assert review.problems == (), (by.tax_regime, by.address.state)
            assert review.amount == invoice.totals.invoice.amount
        else:
            # The seller pays IBS and CBS in its single payment; the classification is a person's choice.
            paths = {problem.path for problem in review.problems}
            assert paths <= {f"items[{index}].ibsCbs.taxClassCode" for index in range(len(invoice.items))}


@pytest.mark.parametrize("share", SHARES)
def test_draft_of_a_part_of_every_example_can_be_issued_as_it_is(share: Decimal, signer: Signer) -> None:
    problems = []
    for file in (file for file in NFE_EXAMPLES if file != TOO_LARGE and not refusal(file)):
        golden = golden_document(file)
        for by in (buyer("simples", "SP"), buyer("normal", "RJ")):
            body = dict(return_draft(proc_nfe(golden.xml), by, part_of(golden.invoice, share)))
            review = reviewed(body, by, signer, golden.invoice.identification.issued_at)
            # As above, the classification may be a person's choice.
            codes = [problem.code for problem in review.problems if "taxClassCode" not in problem.path]
            problems += [(file, codes)] if codes else []
    assert problems == []


class TestHeading:
    def test_draft_is_an_unpaid_return(self) -> None:
        body = draft("normal-sale")
        assert (body["purpose"], body["nature"]) == ("return", "DEVOLUCAO DE COMPRA")
        assert (body["paymentMethod"], body["presence"]) == ("none", "none")

    def test_recipient_is_the_seller(self) -> None:
        recipient = draft("minimal")["recipient"]
        assert (recipient["taxId"], recipient["name"]) == ("11222333000181", "Loja Modelo Comércio Ltda")
        assert recipient["stateRegistration"] == "111222330112"
        assert recipient["address"] == {
            "zipcode": "01310100",
            "street": "Avenida Paulista",
            "number": "1000",
            "district": "Bela Vista",
            "state": "SP",
            "cityCode": "3550308",
        }

    def test_notes_name_the_returned_document(self) -> None:
        key = golden_document("nfe/minimal.json").invoice.id.removeprefix("NFe")
        assert draft("minimal")["notes"] == (
            f"Devolução da NF-e 1, série 1, de 14/11/2026, no valor de R$ 71,80, chave de acesso {key}."
        )
        part = draft("minimal", None, {"number": 1, "quantity": 1})
        assert part["notes"].startswith(
            "Devolução parcial da NF-e 1, série 1, de 14/11/2026, no valor de R$ 71,80"
        )

    def test_sender_hires_the_transport_if_freight_is_charged_back(self) -> None:
        assert draft("shared-charges")["freight"] == {"mode": "sender"}
        assert "freight" not in draft("minimal")


class TestItems:
    def test_every_item_refers_to_its_original(self) -> None:
        key = golden_document("nfe/fifty-items.json").invoice.id.removeprefix("NFe")
        items = draft("fifty-items", buyer("simples"))["items"]
        assert [item["referencedItem"] for item in items] == [
            {"accessKey": key, "position": position} for position in range(1, 51)
        ]

    def test_quantity_price_and_codes_are_those_of_the_sale(self) -> None:
        item, sold = first_item("minimal"), golden_document("nfe/fifty-items.json").invoice.items[0].product
        assert (item["quantity"], item["unitValue"], item["unit"]) == (2, Decimal("35.9"), "UN")
        assert first_item("fifty-items")["sku"] == sold.sku
        # Explicit, so that no product of the buyer's own catalog with the same code adds its GTIN.
        assert (item["gtin"], item["taxableGtin"]) == ("SEM GTIN", "SEM GTIN")

    def test_charges_and_discounts_are_repeated(self) -> None:
        products = [item.product for item in golden_document("nfe/shared-charges.json").invoice.items]
        items = draft("shared-charges")["items"]
        for name in ("freight", "insurance", "other", "discount"):
            assert [item.get(name) for item in items] == [getattr(product, name) for product in products]

    def test_batches_have_their_dates_as_texts(self) -> None:
        batch = first_item("medicine")["batches"][0]
        assert isinstance(batch["expiryDate"], str)

    @pytest.mark.parametrize(
        ("name", "regime", "state", "cfop"),
        [
            ("normal-sale", "normal", "SP", "5202"),
            ("normal-sale", "normal", "RJ", "6202"),
            ("simples-substitution", "normal", "SP", "5411"),
            ("simples-substitution", "simples", "RJ", "6411"),
            ("simples-substitution", "mei", "SP", "5202"),
            ("fuel-refinery", "normal", "RJ", "6661"),
            ("branch-transfer", "normal", "RJ", "6209"),
        ],
    )
    def test_cfop_is_of_the_return_of_goods_to_be_sold(
        self, name: str, regime: str, state: str, cfop: str
    ) -> None:
        assert first_item(name, regime, state)["cfop"] == cfop

    @pytest.mark.parametrize(
        ("sold", "returned"),
        [
            ("6917", "6918"),
            ("5920", "5921"),
            ("5554", "5555"),
            ("5502", "5503"),
            ("6409", "6209"),
            ("5659", "5209"),
            ("5910", "5202"),
            ("5929", "5202"),
        ],
    )
    def test_cfop_follows_that_of_the_document(self, sold: str, returned: str) -> None:
        file = with_text(example("normal-sale"), "det/prod/CFOP", sold)
        state = "SP" if sold.startswith("5") else "RJ"
        (item,) = return_draft(file, buyer("normal", state))["items"]
        assert item["cfop"] == returned

    @pytest.mark.parametrize("cfop", ["5901", "5905", "6908", "5912", "5915"])
    def test_entrusted_goods_come_back_without_a_return(self, cfop: str) -> None:
        with pytest.raises(UnreadFile, match=f"O item 1 foi remetido com o CFOP {cfop}, sem venda"):
            return_draft(with_text(example("normal-sale"), "det/prod/CFOP", cfop), buyer())


class TestTaxes:
    def test_normal_regime_repeats_the_icms_of_the_document(self) -> None:
        icms = first_item("normal-sale")["icms"]
        assert icms == {
            "cst": "00",
            "baseMode": "3",
            "base": icms["base"],
            "rate": Decimal(18),
            "amount": icms["amount"],
        }

    def test_simples_gives_the_icms_of_the_document_by_csosn_900(self) -> None:
        by_cst = first_item("normal-sale")["icms"]
        by_csosn = first_item("normal-sale", "simples")["icms"]
        del by_cst["cst"]
        assert by_csosn == by_cst | {"csosn": "900"}

    @pytest.mark.parametrize(
        ("regime", "situation"),
        [("simples", {"csosn": "500"}), ("normal", {"cst": "60"}), ("mei", {"csosn": "900"})],
    )
    def test_icms_that_was_retained_earlier_stays_so(self, regime: str, situation: dict[str, str]) -> None:
        icms = first_item("simples-retained", regime)["icms"]
        assert situation.items() <= icms.items()

    def test_substitution_is_repeated(self) -> None:
        for regime in ("normal", "simples"):
            icms = first_item("simples-substitution", regime)["icms"]
            assert icms["stBase"]
            assert icms["stAmount"]

    def test_credit_of_the_simples_is_the_icms_of_the_normal_regime(self) -> None:
        credit = golden_document("nfe/simples-credit.json").invoice.items[0].taxes.icms
        assert isinstance(credit, IcmsSn101)
        assert first_item("simples-credit")["icms"] == {
            "cst": "90",
            "rate": credit.credit_rate,
            "amount": credit.credit_amount,
        }
        assert first_item("simples-credit", "simples")["icms"] == {"csosn": "900"}

    def test_single_phase_fuel_keeps_its_cst_in_every_regime(self) -> None:
        for regime in REGIMES:
            assert first_item("fuel-refinery", regime)["icms"]["cst"] in ("02", "15")

    def test_ipi_is_returned_and_not_charged(self) -> None:
        item = first_item("ipi-reseller")
        amount = golden_document("nfe/ipi-reseller.json").invoice.totals.invoice.ipi_amount
        assert item["returnedIpi"] == {"returnedShare": 100, "amount": amount}
        assert "ipi" not in item

    def test_exempted_icms_is_a_discount_where_no_code_has_it(self) -> None:
        assert "discount" not in first_item("free-zone")
        assert first_item("free-zone", "simples")["discount"] == Decimal(70)

    def test_purchase_is_no_revenue(self) -> None:
        item = first_item("normal-sale")
        assert (item["pis"], item["cofins"]) == ({"cst": "49"}, {"cst": "49"})
        assert "pis" not in first_item("normal-sale", "simples")
        assert "pis" not in first_item("january-sale")

    def test_ibs_and_cbs_are_repeated_by_companies_that_inform_them(self) -> None:
        ibs_cbs = first_item("normal-sale")["ibsCbs"]
        original = golden_document("nfe/normal-sale.json").invoice.items[0].taxes.ibs_cbs
        assert original
        assert original.by_rate
        assert (ibs_cbs["taxClassCode"], ibs_cbs["base"]) == ("000001", original.by_rate.base)
        assert "ibsCbs" not in first_item("normal-sale", "simples")


class TestRefusal:
    @pytest.mark.parametrize(
        ("path", "text", "message"),
        [
            ("enderEmit/xLgr", None, "infNFe/emit/enderEmit/xLgr não está no XML."),
            ("enderEmit/CEP", "1", "não pode repetir: recipient.address.zipcode."),
            ("emit/CNPJ", "11222333000182", "não pode repetir: recipient.taxId."),
        ],
    )
    def test_document_with_wrong_values_has_no_draft(self, path: str, text: str | None, message: str) -> None:
        with pytest.raises(UnreadFile) as caught:
            return_draft(with_text(example("minimal"), path, text), buyer())
        assert message in str(caught.value)

    def test_summary_has_no_draft(self) -> None:
        with pytest.raises(UnreadFile):
            return_draft(res_nfe(), buyer())
