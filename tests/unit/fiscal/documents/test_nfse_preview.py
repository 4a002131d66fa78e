"""The totals of an NFS-e before it is issued, by provider and taxation."""

from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.nfse.totals import iss_base, net_amount
from carimbo.fiscal.parties.company import Company
from unit.fiscal.documents.nfse_support import (
    APART,
    EXCESS,
    FIRM,
    FOREIGNER,
    MEI,
    NBS,
    NORMAL,
    SIMPLES,
    TRADE,
    body,
    reviewed,
    totals,
)

PRICE = Decimal(150)
WITHHELD = {"iss": {"rate": 2, "isWithheld": True}, "borrower": FIRM}
BENEFIT = {"number": "35503080400001"}
BOUGHT = {"kind": "2", "issuedOn": "2026-11-01"}
NO_ISS = {"amount": PRICE, "netAmount": PRICE}
OWN_DEBIT = {"pis", "cofins", "ibsCbsBase"}
"""Totals of the provider's own debit, which have tests of their own."""


def reais(**amounts: float | str) -> dict[str, Decimal]:
    return {name: Decimal(str(amount)) for name, amount in amounts.items()}


def iss_totals(payload: dict[str, Any], **circumstances: Any) -> dict[str, Decimal]:
    """Returns the totals without those of the own debit."""
    sums = totals(payload, **circumstances)
    return {name: amount for name, amount in sums.items() if name not in OWN_DEBIT}


class TestIss:
    @pytest.mark.parametrize("by", [NORMAL, APART, EXCESS])
    def test_iss_is_the_rate_times_the_price_where_the_city_taxes_the_note(self, by: Company) -> None:
        totals = iss_totals(body(), by=by)
        assert totals == reais(amount=150, issBase=150, issAmount=3, netAmount=150)

    @pytest.mark.parametrize("by", [NORMAL, APART, EXCESS, SIMPLES])
    def test_withheld_iss_is_not_paid_to_the_provider(self, by: Company) -> None:
        totals = iss_totals(body(**WITHHELD), by=by)
        assert totals == reais(amount=150, issBase=150, issAmount=3, issWithheld=3, netAmount=147)

    @pytest.mark.parametrize(
        ("by", "changes", "settings"),
        [
            (SIMPLES, {}, {}),
            (MEI, {}, {}),
            (NORMAL, {}, {"specialRegime": "6"}),
            (NORMAL, {"natureOfOperation": "3", "benefit": BENEFIT}, {}),
            (NORMAL, {"natureOfOperation": "4", "immunityType": "1"}, {}),
            (NORMAL, {"natureOfOperation": "5", "suspension": {"processNumber": "1" * 30}}, {}),
            (NORMAL, {"federalServiceCode": "99.01.01"}, {}),
            (
                NORMAL,
                {"resultCountryCode": "US", "borrower": FOREIGNER, "nbs": NBS, "foreignTrade": TRADE},
                {},
            ),
        ],
        ids=["simples", "mei", "special", "exempt", "immune", "suspended", "not taxed", "exported"],
    )
    def test_iss_is_zero_where_the_note_has_none(
        self, by: Company, changes: dict[str, Any], settings: dict[str, str]
    ) -> None:
        assert iss_totals(body(**changes), by=by, settings=settings) == NO_ISS

    @pytest.mark.parametrize(
        ("amount", "rate", "iss"),
        [
            (950, 2.79, "26.50"),
            (1950, 2.79, "54.40"),
            (50, 2.79, "1.40"),
            (150, 2.79, "4.18"),
            (10, 0, "0.00"),
        ],
    )
    def test_iss_rounds_half_a_cent_to_even(self, amount: float, rate: float, iss: str) -> None:
        totals = iss_totals(body(amount=amount, iss={"rate": rate}), by=NORMAL)
        assert totals.get("issAmount", Decimal(0)) == Decimal(iss)

    def test_totals_contain_the_rate(self) -> None:
        preview = reviewed(body(iss={"rate": 2.5})).preview
        assert preview
        assert preview.totals["issRate"] == Decimal("2.5")


class TestBase:
    @pytest.mark.parametrize(
        ("changes", "base"),
        [
            ({"discounts": {"unconditional": 50}}, 100),
            ({"discounts": {"conditional": 50}}, 150),
            ({"deductions": {"amount": 30}}, 120),
            ({"deductions": {"rate": 10}}, 135),
            ({"natureOfOperation": "3", "benefit": BENEFIT | {"reductionRate": 20}}, 120),
            ({"natureOfOperation": "3", "benefit": BENEFIT | {"reductionAmount": 15}}, 135),
            ({"discounts": {"unconditional": 50}, "deductions": {"amount": 30}}, 70),
        ],
    )
    def test_iss_base_is_the_price_less_discounts_and_deductions(
        self, changes: dict[str, Any], base: float
    ) -> None:
        assert iss_totals(body(**changes), by=NORMAL)["issBase"] == base

    def test_iss_base_is_reduced_by_every_document(self) -> None:
        documents = [
            BOUGHT | {"invoiceKey": "1" * 44, "deductibleAmount": 40, "amount": 30},
            BOUGHT | {"serviceNoteKey": "1" * 50, "deductibleAmount": 25, "amount": 25},
        ]
        totals = iss_totals(body(deductions={"proof": {"documents": documents}}), by=NORMAL)
        assert totals == reais(amount=150, issBase=95, issAmount=1.9, netAmount=150)

    def test_iss_base_is_never_below_zero(self) -> None:
        assert iss_base(Decimal(10), Decimal(4), Decimal(7)) == 0


class TestNetAmount:
    def test_net_amount_is_the_price_less_discounts_and_withholdings(self) -> None:
        taxes = {
            name: {"rate": rate, "isWithheld": True}
            for name, rate in (("ir", 1.5), ("inss", 11), ("csll", 1))
        }
        totals = iss_totals(
            body(**WITHHELD, taxes=taxes, discounts={"unconditional": 10, "conditional": 5}), by=NORMAL
        )
        assert totals == reais(
            amount=140,
            discount=10,
            issBase=140,
            issAmount=2.8,
            issWithheld=2.8,
            federalWithheld="18.90",
            netAmount="113.30",
        )

    def test_net_amount_is_not_reduced_by_the_own_debit(self) -> None:
        taxes = {"pis": {"rate": 0.65}, "cofins": {"rate": 3}}
        assert iss_totals(body(taxes=taxes), by=NORMAL)["netAmount"] == PRICE

    def test_net_amount_is_a_plain_difference(self) -> None:
        assert net_amount(Decimal(100), Decimal(10), Decimal("4.65")) == Decimal("85.35")


class TestPreview:
    def test_preview_has_no_lines_and_amounts_to_the_price(self) -> None:
        preview = reviewed(body()).preview
        assert preview
        assert (preview.lines, preview.amount) == ((), PRICE)

    def test_preview_is_not_signed(self) -> None:
        preview = reviewed(body()).preview
        assert preview
        assert preview.xml.endswith(b"</infDPS></DPS>")
        assert b"infDPS" not in repr(preview).encode()
