"""The amount that the taker of an NFS-e pays: net amount, IBS and CBS together from 2027 on."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.nfse.totals import read_authorized_amounts
from carimbo.fiscal.issuance import AuthorizedAmounts
from carimbo.fiscal.parties.company import Company
from unit.fiscal.documents.nfse_support import FIRM, MEI, NBS, NORMAL, SIMPLES, body, provider, reviewed
from unit.fiscal.layouts.test_dps_v1_nfse import NOTE

JANUARY = datetime.fromisoformat("2027-01-04T10:00:00-03:00")
LAST_DAY, FIRST_DAY = "2026-12-31", "2027-01-01"
REGULAR = provider(ibsCbsRegime=[{"halfYear": "2027-1", "regime": "regular"}])
WARNING = "IBS e CBS são somados ao valor da nota"


def body_on(day: str, **changes: Any) -> dict[str, Any]:
    return body(**{"nbs": NBS, "borrower": FIRM, "amount": 1000, "issueDate": day} | changes)


def estimated(payload: dict[str, Any], by: Company = NORMAL) -> Decimal | None:
    preview = reviewed(payload, by=by, issued_at=JANUARY).preview
    assert preview
    total: Decimal | None = preview.totals["totalDue"]
    return total


def warned(payload: dict[str, Any], by: Company = NORMAL) -> str | None:
    warnings = [
        warning
        for warning in reviewed(payload, by=by, issued_at=JANUARY).warnings
        if warning.startswith(WARNING)
    ]
    return warnings[0] if warnings else None


def authorized(competence: str, total: str = "1109.76", rate: str = "11.11") -> AuthorizedAmounts:
    """Returns the amounts that are read from an authorized note."""
    note = NOTE.replace("<dCompet>2026-11-14<", f"<dCompet>{competence}<")
    note = note.replace("<vTotNF>1000.00<", f"<vTotNF>{total}<").replace("<pCBS>0.90<", f"<pCBS>{rate}<")
    return read_authorized_amounts(note.encode())


@pytest.mark.usefixtures("cbs_of_2027")
class TestEstimate:
    def test_estimate_adds_ibs_and_cbs_to_the_net_amount(self) -> None:
        """Base 1000.00 - 20.00 of ISS; IBS 0.49 + 0.49, CBS 108.88 (980 x 11.11 % = 108.878)."""
        assert estimated(body_on(FIRST_DAY)) == Decimal("1109.86")

    def test_estimate_starts_from_the_net_amount_after_withholdings(self) -> None:
        """The CSLL of 10.00 and the ISS of 20.00 are withheld; the base stays 980.00."""
        taxes = {"csll": {"rate": 1, "isWithheld": True}}
        payload = body_on(FIRST_DAY, taxes=taxes, iss={"rate": 2, "isWithheld": True})
        assert estimated(payload) == Decimal("970.00") + Decimal("109.86")

    def test_iss_is_not_subtracted_for_simples_in_the_regular_regime(self) -> None:
        """The ISS is in the DAS: base 1000.00; IBS 0.50 + 0.50, CBS 111.10."""
        assert estimated(body_on(FIRST_DAY), REGULAR) == Decimal("1112.10")

    def test_tax_class_reduces_each_rate(self) -> None:
        """A reduction of 60 %: IBS 0.02 + 0.02 %, CBS 4.44 %; of 980.00 it is 0.20 + 0.20 + 43.51."""
        payload = body_on(FIRST_DAY, ibsCbs={"cst": "200", "taxClassCode": "200028"})
        assert estimated(payload) == Decimal("1043.91")

    def test_exempt_service_adds_nothing(self) -> None:
        payload = body_on(FIRST_DAY, ibsCbs={"cst": "410", "taxClassCode": "410004"})
        assert estimated(payload) == Decimal("1000.00")
        assert warned(payload) is None

    @pytest.mark.parametrize(
        ("payload", "by"),
        [(body_on(LAST_DAY), NORMAL), (body_on(FIRST_DAY), SIMPLES), (body_on(FIRST_DAY, ibsCbs={}), MEI)],
        ids=["2026", "das", "mei"],
    )
    def test_estimate_is_none_where_nothing_is_added(self, payload: dict[str, Any], by: Company) -> None:
        assert estimated(payload, by) is None

    def test_estimate_of_an_unknown_class_is_none(self) -> None:
        assert estimated(body_on(FIRST_DAY, ibsCbs={"cst": "999", "taxClassCode": "999999"})) is None

    def test_estimate_is_in_the_warning(self) -> None:
        assert "cerca de R$ 1.109,86, e não os R$ 1.000,00" in (warned(body_on(FIRST_DAY)) or "")


class TestUnknownRate:
    def test_unknown_rate_gives_no_estimate_and_still_warns(self) -> None:
        assert estimated(body_on(FIRST_DAY)) is None
        assert "mais que os R$ 1.000,00" in (warned(body_on(FIRST_DAY)) or "")

    def test_unknown_rate_does_not_prevent_issuing(self) -> None:
        assert reviewed(body_on(FIRST_DAY), by=NORMAL, issued_at=JANUARY).problems == ()

    def test_unknown_rate_is_not_warned_of_where_the_total_adds_nothing(self) -> None:
        assert warned(body_on(LAST_DAY)) is None
        assert warned(body_on(FIRST_DAY), SIMPLES) is None


class TestAuthorizedNote:
    def test_authorized_note_has_a_total_due_from_2027(self) -> None:
        assert authorized(FIRST_DAY).total_due == Decimal("1109.76")
        assert authorized(LAST_DAY).total_due is None

    def test_authorized_rate_is_read_beside_that_of_the_table(self) -> None:
        amounts = authorized(FIRST_DAY)
        assert (amounts.cbs_rate, amounts.expected_cbs_rate) == (Decimal("11.11"), None)
        amounts = authorized(LAST_DAY, rate="0.90")
        assert amounts.cbs_rate == amounts.expected_cbs_rate == Decimal("0.9")

    def test_authorized_note_of_an_untaxed_service_has_no_rate(self) -> None:
        assert authorized(FIRST_DAY, rate="0.00").cbs_rate is None

    @pytest.mark.parametrize("total", ["", "NaN", "1E99", "-1.00", "12345678901234.00"])
    def test_unreadable_total_gives_no_amounts(self, total: str) -> None:
        assert authorized(FIRST_DAY, total) == AuthorizedAmounts()

    @pytest.mark.parametrize("file", [b"", b"<NFSe/>", b"<html>"])
    def test_file_that_is_no_note_gives_no_amounts(self, file: bytes) -> None:
        assert read_authorized_amounts(file) == AuthorizedAmounts()
