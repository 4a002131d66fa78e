"""Taxes of transport services, beside those that the examples have."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.cte.document import compose
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceIcms00
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.tables.taxes import ICMS_BASES, IcmsBase
from carimbo.fiscal.transport.icms import share_amounts
from carimbo.fiscal.transport.taxes import reform_amounts
from unit.fiscal.documents.cte.bodies import CARRIER, DEPOSIT, FREIGHT, RECIPIENT, SHIPPER, cte_key
from unit.fiscal.documents.cte.breaking import SETTINGS, emission
from unit.fiscal.goods.support import issuance

IN_2027 = emission(issued_at=datetime.fromisoformat("2027-01-04T08:30:00-03:00"))
CONSUMER = {name: value for name, value in RECIPIENT.items() if name != "stateRegistration"}
TO_CONSUMER: dict[str, Any] = {"taker": "recipient", "recipient": CONSUMER}
SUBSTITUTION = {"purpose": "substitution", "substitution": {"accessKey": cte_key(411)}}
COMPLEMENT = {"purpose": "complement", "complementedAccessKeys": [cte_key(412)]}

pytestmark = pytest.mark.usefixtures("cbs_of_2027")


class Carrier:
    """A carrier in São Paulo that composes CT-e."""

    def __init__(self, signer: Signer) -> None:
        self.issuance = issuance(signer, SETTINGS, by=Company.model_validate(CARRIER), under=emission())

    def in_2027(self) -> "Carrier":
        """Composes CT-e of January 2027 from now on."""
        self.issuance = replace(self.issuance, emission=IN_2027, now=IN_2027.issued_at)
        return self

    def of_regime(self, regime: str) -> "Carrier":
        """Has another tax regime from now on."""
        company = Company.model_validate(CARRIER | {"taxRegime": regime})
        self.issuance = replace(self.issuance, company=company)
        return self

    def composed(self, **changes: Any) -> Composition[Waybill | None]:
        """Returns the CT-e of a body, with problems and warnings; a field that is None is not sent."""
        body = {name: value for name, value in (FREIGHT | changes).items() if value is not None}
        return compose(CteRequest.model_validate(body), self.issuance)

    def cte(self, **changes: Any) -> Waybill:
        """Returns the CT-e of a body, which must have no problems."""
        composition = self.composed(**changes)
        assert composition.document is not None
        assert composition.problems == ()
        return composition.document


@pytest.fixture
def carrier(signer: Signer) -> Carrier:
    return Carrier(signer)


class TestStateShare:
    def test_share_is_due_to_the_state_of_a_consumer(self, carrier: Carrier) -> None:
        assert share_amounts(carrier.cte(**TO_CONSUMER).taxes.state_share) == Decimal("100.00")

    def test_carrier_beyond_the_limit_of_simples_owes_the_share(self, carrier: Carrier) -> None:
        taxes = carrier.of_regime("simplesExcess").cte(**TO_CONSUMER).taxes
        assert share_amounts(taxes.state_share) == Decimal("100.00")

    @pytest.mark.parametrize(
        "payer",
        [
            {"taker": "shipper", "shipper": SHIPPER | {"stateRegistration": None}},
            {"taker": "dispatcher", "dispatcher": DEPOSIT},
        ],
        ids=lambda payer: payer["taker"],
    )
    def test_party_that_sends_the_cargo_owes_no_share(self, payer: dict[str, Any], carrier: Carrier) -> None:
        cte = carrier.cte(**payer)
        assert cte.identification.taker_contribution == "9"
        assert cte.taxes.state_share is None


@pytest.fixture
def without_new_taxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """States that leave IBS and CBS out of the base of their ICMS."""
    rows = {key: IcmsBase(*key, None, False, "lei do estado") for key in ICMS_BASES.rows}
    monkeypatch.setattr(ICMS_BASES, "rows", rows)


class TestIn2027:
    """From 2027 on, the price includes IBS and CBS."""

    @pytest.mark.usefixtures("without_new_taxes")
    def test_base_of_icms_is_the_price_without_ibs_and_cbs_where_the_state_says_so(
        self, carrier: Carrier
    ) -> None:
        taxes = carrier.in_2027().cte().taxes
        assert isinstance(taxes.icms, ServiceIcms00)
        assert reform_amounts(taxes.ibs_cbs) > 0
        assert taxes.icms.base == 1000 - reform_amounts(taxes.ibs_cbs)

    def test_base_of_icms_is_the_whole_price_elsewhere(self, carrier: Carrier) -> None:
        taxes = carrier.in_2027().cte().taxes
        assert isinstance(taxes.icms, ServiceIcms00)
        assert taxes.icms.base == 1000

    def test_complement_of_2026_leaves_out_ibs_and_cbs(self, carrier: Carrier) -> None:
        composition = carrier.in_2027().composed(**COMPLEMENT)
        assert composition.document is not None
        assert composition.document.taxes.ibs_cbs is None
        assert any(warning.startswith("ibsCbs: O CT-e sai sem IBS e CBS") for warning in composition.warnings)

    def test_complement_of_2026_and_2027_has_ibs_and_cbs(self, carrier: Carrier) -> None:
        keys = [cte_key(412, month="2612"), cte_key(7, month="2701")]
        taxes = carrier.in_2027().cte(**COMPLEMENT | {"complementedAccessKeys": keys}).taxes
        assert reform_amounts(taxes.ibs_cbs) > 0

    def test_substitution_has_the_taxes_of_the_replaced_cte(self, carrier: Carrier) -> None:
        replaced = carrier.cte().taxes
        taxes = carrier.in_2027().cte(**SUBSTITUTION).taxes
        assert (taxes.icms, taxes.ibs_cbs) == (replaced.icms, replaced.ibs_cbs)
