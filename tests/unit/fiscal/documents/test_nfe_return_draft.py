"""Drafts of NF-e by which a company returns the goods of a received one."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfe.return_draft import return_draft
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn101
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.receiving import UnreadFile
from unit.fiscal.documents.received_nfe import NFE_EXAMPLES, example, proc_nfe, res_nfe, with_text
from unit.fiscal.goods.support import RIO_DE_JANEIRO, SAO_PAULO, company, emission, issuance
from unit.golden_documents import golden_document

REGIMES = ("simples", "simplesExcess", "normal", "mei")
PLACES = {"SP": SAO_PAULO, "RJ": RIO_DE_JANEIRO}
REGISTRATIONS = {"SP": "111111110110", "RJ": "78890169"}
# A note with 990 items is larger with the references of a return.
TOO_LARGE = "nfe/most-items.json"
# For processing, and for repair.
ENTRUSTED = ("5901", "5915")
DAY = timedelta(days=1)
RULES_OF_ITEMS = datetime.fromisoformat("2026-11-20T10:00:00-03:00")


def buyer(regime: str = "normal", state: str = "SP") -> Company:
    """Returns a company that received goods."""
    return company(
        taxId="22233344000183",
        taxRegime=regime,
        pisCofinsRegime="nonCumulative",
        address=PLACES[state],
        stateRegistrations=[{"state": state, "number": REGISTRATIONS[state]}],
    )


def draft(name: str, by: Company | None = None) -> dict[str, Any]:
    """Returns the draft that returns the goods of an example."""
    return dict(return_draft(example(name), by or buyer()))


def first_item(name: str, regime: str = "normal", state: str = "SP") -> dict[str, Any]:
    """Returns the first item of a draft."""
    item: dict[str, Any] = draft(name, buyer(regime, state))["items"][0]
    return item


def reviewed(body: dict[str, Any], by: Company, signer: Signer, sold_at: datetime) -> Review:
    """Returns the review of a draft that is issued a day after the sale, or when items need references."""
    moment = max(sold_at + DAY, RULES_OF_ITEMS)
    trial = issuance(signer, NFE.settings(), by=by, under=emission(issued_at=moment))
    return NFE.issuing.review(NfeRequest.model_validate(body), trial)


def refusal(file: str) -> str | None:
    """Returns why the goods of an example can't be returned; None if they can."""
    invoice = golden_document(file).invoice
    about = invoice.identification
    if (about.direction, about.purpose) != ("1", "1"):
        return "Só se devolve a mercadoria de uma nota de saída"
    is_entrusted = any(item.product.cfop in ENTRUSTED for item in invoice.items)
    return "sem venda: ele volta com uma nota de finalidade normal" if is_entrusted else None


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
        assert draft("minimal")["notes"] == "Devolução da NF-e 1, série 1, de 14/11/2026."


class TestItems:
    def test_every_item_refers_to_its_original(self) -> None:
        key = golden_document("nfe/fifty-items.json").invoice.id.removeprefix("NFe")
        items = draft("fifty-items", buyer("simples"))["items"]
        assert [item["referencedItem"] for item in items] == [
            {"accessKey": key, "position": position} for position in range(1, 51)
        ]

    def test_quantity_and_price_are_those_of_the_sale(self) -> None:
        item = first_item("minimal")
        assert (item["quantity"], item["unitValue"], item["unit"]) == (2, Decimal("35.9"), "UN")
        assert "sku" not in item
        assert "gtin" not in item

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
