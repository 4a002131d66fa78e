"""PIS, COFINS and IPI of an item, and the IPI of goods that return."""

from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import (
    NORMAL,
    company,
    composed_nfe,
    given_back,
    issued_nfe,
    item,
    nfe,
    refused,
    text_at,
    without,
)

BY_RATE = {"base": 100, "rate": 1.65, "amount": 1.65}
BY_QUANTITY = {"quantity": 10, "unitRate": 0.1234, "amount": 1.23}
NOT_TAXED = ("04", "05", "06", "07", "08", "09")
OTHER = (
    *("49", "50", "51", "52", "53", "54", "55", "56", "60", "61", "62", "63", "64", "65", "66", "67"),
    *("70", "71", "72", "73", "74", "75", "98", "99"),
)
# CST, its other required values, and the end of the group's name (IN RFB 1.009/2010).
GROUPS: list[tuple[str, dict[str, Any], str]] = [
    ("01", BY_RATE, "Aliq"),
    ("02", BY_RATE, "Aliq"),
    ("03", BY_QUANTITY, "Qtde"),
    *((cst, {}, "NT") for cst in NOT_TAXED),
    *((cst, BY_RATE, "Outr") for cst in OTHER),
    ("99", BY_QUANTITY, "Outr"),
]
# CST, values that only the caller knows, and values that are computed of 100.00.
AT_A_RATE = {"base": 100, "amount": 2.1}
COMPUTED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("02", {"rate": 2.1}, AT_A_RATE),
    ("03", {"quantity": 10, "unitRate": 0.1234}, {"amount": 1.23}),
    ("49", {"rate": 2.1}, AT_A_RATE),
    ("99", {"quantity": 10, "unitRate": 0.1234}, {"amount": 1.23}),
]
GENERAL = {
    "pis": {"base": 100, "rate": 1.65, "amount": 1.65},
    "cofins": {"base": 100, "rate": 7.6, "amount": 7.6},
}
CONTRIBUTIONS = [("pis", "do PIS"), ("cofins", "da COFINS")]


def group_in(signer: Signer, tag: str, **changes: Any) -> etree._Element:
    """The group of a tax in a document of one item, which the XSD accepts."""
    return only_group(issued_nfe(signer, items=[item(**changes)]), tag)


def only_group(document: object, tag: str) -> etree._Element:
    assert isinstance(document, SignedDocument), document
    (written,) = etree.fromstring(document.xml).iter(f"{{{NAMESPACE}}}{tag}")
    return written


def local_names(element: etree._Element) -> list[str]:
    return [str(child.tag).rpartition("}")[2] for child in element]


def untaxed(**changes: Any) -> dict[str, Any]:
    """An item of 100.00 that owes no ICMS, sold in the normal regime."""
    return {"by": NORMAL, "items": [item(quantity=1, unitValue=100, icms={"cst": "40"}, **changes)]}


def group(tax: str, given: dict[str, Any]) -> Any:
    return getattr(nfe(**untaxed(**{tax: given})).items[0].taxes, tax)


def refusal(**changes: Any) -> dict[str, str]:
    return refused(composed_nfe(**untaxed(**changes)))


@pytest.mark.parametrize(("tax", "of"), CONTRIBUTIONS)
class TestContributions:
    def test_contributions_are_in_the_group_of_their_cst(self, signer: Signer, tax: str, of: str) -> None:
        wrong: dict[str, object] = {}
        for cst, needed, ending in GROUPS:
            tag, given = tax.upper(), {"cst": cst, **needed}
            document = issued_nfe(signer, items=[item(**{tax: given})])
            if not isinstance(document, SignedDocument):
                wrong[str(given)] = document
                continue
            (written,) = only_group(document, tag)
            if (written.tag, written[0].text) != (f"{{{NAMESPACE}}}{tag}{ending}", cst):
                wrong[str(given)] = (written.tag, written[0].text)
        assert wrong == {}

    def test_contributions_at_the_general_rate_compute_each_missing_value(self, tax: str, of: str) -> None:
        whole = {"cst": "01", **GENERAL[tax]}
        givens = [{}, *(without(name, whole) for name in whole)]
        assert [given for given in givens if group(tax, given) != group(tax, whole)] == []

    def test_contributions_compute_one_missing_value_or_all_of_them(self, tax: str, of: str) -> None:
        wrong = {}
        for cst, needed, computed in (*COMPUTED, ("99", {}, {"base": 0, "rate": 0, "amount": 0})):
            whole = {"cst": cst, **needed, **computed}
            # Zeros are assumed only where nothing at all is given.
            partial = [without(name, whole) for name in computed] if needed else []
            for given in ({"cst": cst, **needed}, *partial):
                if (computed_group := group(tax, given)) != group(tax, whole):
                    wrong[str(given)] = computed_group
        assert wrong == {}

    def test_contributions_round_half_a_cent_up(self, tax: str, of: str) -> None:
        # 1.65 % of 10.00 is 0.165.
        computed = group(tax, {"cst": "02", "base": 10, "rate": 1.65})
        assert computed == group(tax, {"cst": "02", "base": 10, "rate": 1.65, "amount": 0.17})

    @pytest.mark.parametrize(
        ("cst", "given", "name"),
        [
            ("02", BY_RATE, "rate"),
            ("03", BY_QUANTITY, "quantity"),
            ("03", BY_QUANTITY, "unitRate"),
        ],
    )
    def test_contributions_require_each_value_that_only_the_caller_knows(
        self, tax: str, of: str, cst: str, given: dict[str, Any], name: str
    ) -> None:
        assert refusal(**{tax: {"cst": cst, **without(name, given)}}) == {
            f"items[0].{tax}.{name}": f"Obrigatório com CST {cst} {of}."
        }

    @pytest.mark.parametrize(("cst", "extra"), [("01", "unitRate"), ("03", "base"), ("06", "amount")])
    def test_contributions_refuse_a_value_that_the_cst_does_not_have(
        self, tax: str, of: str, cst: str, extra: str
    ) -> None:
        needed = {"01": BY_RATE, "03": BY_QUANTITY}.get(cst, {})
        assert refusal(**{tax: {"cst": cst, **needed, extra: 1}}) == {
            f"items[0].{tax}.{extra}": f"Não se usa com CST {cst} {of}."
        }

    @pytest.mark.parametrize("cst", ["00", "10", "48", "97"])
    def test_contributions_refuse_a_cst_that_does_not_exist(self, tax: str, of: str, cst: str) -> None:
        assert refusal(**{tax: {"cst": cst}}) == {f"items[0].{tax}.cst": f"CST {cst} não existe."}

    def test_contributions_by_rate_and_by_quantity_at_once_are_refused_by_the_xsd(
        self, signer: Signer, tax: str, of: str
    ) -> None:
        both = {"cst": "99", **BY_RATE, "quantity": 1, "unitRate": 1}
        paths = refused(issued_nfe(signer, items=[item(**{tax: both})]))
        assert all(path.startswith(f"items[0].{tax}") for path in paths), paths

    @pytest.mark.parametrize("regime", ["simples", "mei", "simplesExcess"])
    def test_contributions_outside_the_normal_regime_are_cst_49_with_zeros(
        self, tax: str, of: str, regime: str
    ) -> None:
        invoice = nfe(by=company(taxRegime=regime), items=[item(icms={"cst": "40"})])
        tag = tax.upper()
        assert text_at(invoice, f"det/imposto/{tag}/{tag}Outr/CST") == "49"
        assert text_at(invoice, f"det/imposto/{tag}/{tag}Outr/v{tag}") == "0.00"

    def test_contributions_require_the_regime_that_sets_the_general_rate(self, tax: str, of: str) -> None:
        given = {contribution: {"cst": "07"} for contribution, _ in CONTRIBUTIONS if contribution != tax}
        problems = composed_nfe(by=company(taxRegime="normal"), items=[item(**given)])
        assert set(refused(problems)) == {"company.pisCofinsRegime"}

    def test_contributions_need_no_regime_when_the_caller_gives_the_rate(self, tax: str, of: str) -> None:
        given = {contribution: {"rate": 3} for contribution, _ in CONTRIBUTIONS}
        invoice = nfe(by=company(taxRegime="normal"), items=[item(icms={"cst": "40"}, **given)])
        assert text_at(invoice, f"det/imposto/{tax.upper()}/{tax.upper()}Aliq/CST") == "01"


class TestIpi:
    @pytest.mark.parametrize("cst", ["00", "49", "50", "99"])
    @pytest.mark.parametrize("values", [BY_RATE, BY_QUANTITY])
    def test_ipi_that_is_due_has_its_amount(self, signer: Signer, cst: str, values: dict[str, Any]) -> None:
        written = group_in(signer, "IPI", ipi={"cst": cst, **values})
        assert local_names(written) == ["cEnq", "IPITrib"]
        assert written.findtext(f"{{{NAMESPACE}}}cEnq") == "999"

    @pytest.mark.parametrize(
        ("cst", "frame"),
        [
            *(("01", "301"), ("02", "301"), ("03", "301"), ("04", "001"), ("05", "101")),
            *(("51", "301"), ("52", "301"), ("53", "301"), ("54", "001"), ("55", "101")),
        ],
    )
    def test_ipi_that_is_not_due_has_only_its_reason(self, signer: Signer, cst: str, frame: str) -> None:
        written = group_in(signer, "IPI", ipi={"cst": cst, "frameworkCode": frame})
        assert local_names(written) == ["cEnq", "IPINT"]
        assert written.findtext(f"{{{NAMESPACE}}}cEnq") == frame

    def test_ipi_has_producer_and_seal_before_its_taxation(self, signer: Signer) -> None:
        seal = {"producerTaxId": "11222333000181", "sealCode": "ABC", "sealQuantity": 0}
        written = group_in(signer, "IPI", ipi={"cst": "53", **seal})
        assert local_names(written) == ["CNPJProd", "cSelo", "qSelo", "cEnq", "IPINT"]

    @pytest.mark.parametrize(
        ("given", "computed"),
        [
            ({"rate": 5}, {"base": 100, "amount": 5}),
            ({"rate": 5, "base": 80}, {"amount": 4}),
            ({"quantity": 10, "unitRate": 0.1234}, {"amount": 1.23}),
        ],
    )
    def test_ipi_computes_missing_values(self, given: dict[str, Any], computed: dict[str, Any]) -> None:
        assert group("ipi", {"cst": "50", **given}) == group("ipi", {"cst": "50", **given, **computed})

    @pytest.mark.parametrize("given", [{}, {"base": 1}, {"amount": 1}])
    def test_ipi_requires_a_rate(self, given: dict[str, Any]) -> None:
        assert refusal(ipi={"cst": "50", **given}) == {"items[0].ipi.rate": "Obrigatório com CST 50 do IPI."}

    @pytest.mark.parametrize("given", [{"quantity": 1}, {"unitRate": 1}])
    def test_ipi_requires_an_amount_that_cannot_be_computed(self, given: dict[str, Any]) -> None:
        assert refusal(ipi={"cst": "50", **given}) == {
            "items[0].ipi.amount": "Obrigatório com CST 50 do IPI."
        }

    def test_ipi_that_is_not_due_refuses_an_amount(self) -> None:
        assert refusal(ipi={"cst": "53", "amount": 1}) == {
            "items[0].ipi.amount": "Não se usa com CST 53 do IPI."
        }

    def test_ipi_with_a_cst_that_does_not_exist_is_refused_at_the_cst(self, signer: Signer) -> None:
        assert set(refused(issued_nfe(signer, items=[item(ipi={"cst": "77"})]))) == {"items[0].ipi.cst"}

    def test_returned_ipi_is_written_beside_the_taxes(self, signer: Signer) -> None:
        body = given_back(returnedIpi={"returnedShare": 100, "amount": 7.18})
        written = only_group(issued_nfe(signer, **body), "impostoDevol")
        assert [part.text for part in written.iter() if part.text] == ["100.00", "7.18"]
