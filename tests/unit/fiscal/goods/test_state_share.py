"""The share of the buyer's state in the ICMS of an item: given and computed."""

from typing import Any

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import StateShare
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import LISBON, NORMAL, RIO_DE_JANEIRO, buyer, issued_nfe, item, nfe, refused

ABROAD = {"foreignId": "PASS12345", "name": "John Smith", "address": LISBON}

# Of 100.00 from São Paulo to a consumer in Rio de Janeiro.
WHOLE = {
    "base": 100,
    "fcpBase": 100,
    "fcpRate": 2,
    "internalRate": 20,
    "interstateRate": 12,
    "destinationShare": 100,
    "fcpAmount": 2,
    "destinationAmount": 8,
    "originAmount": 0,
}


def sale(share: dict[str, Any] | None) -> dict[str, Any]:
    given = {} if share is None else {"stateShare": share}
    goods = item(quantity=1, unitValue=100, **given)
    return {
        "by": NORMAL,
        "recipient": buyer(address=RIO_DE_JANEIRO),
        "presence": "internet",
        "items": [goods],
    }


def share(given: dict[str, Any] | None) -> StateShare | None:
    return nfe(**sale(given)).items[0].taxes.state_share


class TestStateShare:
    @pytest.mark.parametrize("given", [None, {}, WHOLE], ids=["nothing", "empty", "whole"])
    def test_state_share_is_accepted_by_the_xsd_whether_given_or_not(
        self, signer: Signer, given: dict[str, Any] | None
    ) -> None:
        document = issued_nfe(signer, **sale(given))
        assert isinstance(document, SignedDocument), document
        assert b"</ICMSUFDest>" in document.xml

    @pytest.mark.parametrize("given", [None, {}], ids=["nothing", "empty"])
    def test_state_share_is_computed_when_none_of_it_is_given(self, given: dict[str, Any] | None) -> None:
        assert share(given) == share(WHOLE)

    @pytest.mark.parametrize("name", [name for name in WHOLE if name != "fcpRate"])
    def test_state_share_computes_each_missing_value(self, name: str) -> None:
        assert share({field: value for field, value in WHOLE.items() if field != name}) == share(WHOLE)

    def test_state_share_of_goods_that_leave_the_country_is_refused(self, signer: Signer) -> None:
        exit_place = {"state": "SP", "exitPlace": "Porto de Santos"}
        shared = [item(stateShare={"internalRate": 18})]
        problems = issued_nfe(signer, recipient=ABROAD, export=exit_place, items=shared)
        assert set(refused(problems)) == {"items[0].stateShare"}

    def test_state_share_has_the_general_fund_only_beside_the_general_rate(self) -> None:
        own = share({"internalRate": 20})
        assert own
        assert (own.fcp_rate, own.fcp_amount) == (None, None)
