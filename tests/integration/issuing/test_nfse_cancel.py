"""Taking an NFS-e back: with its reason, and as long as its municipality lets it be."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.actions import cancel, filings
from integration.issuing.floor import Floor
from integration.issuing.shop import CAMPINAS, Shop, error_of, provider_in
from support import data_of, fields_of

DAY = timedelta(days=1)


class TestCancel:
    @pytest.mark.parametrize(
        ("given", "told"), [({}, "9"), ({"reasonCode": "1"}, "1"), ({"reasonCode": "2"}, "2")]
    )
    async def test_tells_why(self, shop: Shop, given: dict[str, str], told: str) -> None:
        record = await shop.issue("nfse")
        data_of(await cancel(shop, record, {"justification": "Serviço não foi prestado", **given}))
        event = (await shop.events(record))[-1]
        xml = (await shop.get(f"/nfse/{record['id']}/events/{event['id']}/xml")).text
        assert f"<cMotivo>{told}</cMotivo>" in xml
        assert "<xMotivo>Serviço não foi prestado</xMotivo>" in xml

    @pytest.mark.parametrize("code", ["3", "01", 3])
    async def test_takes_no_other_reason(self, shop: Shop, code: Any) -> None:
        record = await shop.issue("nfse")
        assert set(fields_of(await cancel(shop, record, {"reasonCode": code}))) == {"reasonCode"}
        assert await filings(shop, record) == []

    async def test_may_be_told_in_the_query(self, shop: Shop) -> None:
        record = await shop.issue("nfse")
        assert data_of(await cancel(shop, record, reasonCode="2"))["status"] == "canceled"
        error_of(await cancel(shop, record), 409, "INVALID_STATE")

    async def test_that_the_authority_refuses_is_told_with_its_words(self, shop: Shop) -> None:
        record = await shop.issue("nfse")
        reason = {"justification": "Engano no valor SIMULA:REJEICAO:E0840"}
        details = error_of(await cancel(shop, record, reason), 422, "AUTHORITY_REJECTED")
        assert details["authorityCode"] == "E0840"
        assert details["authorityMessage"]
        assert (await shop.read(record))["status"] == "authorized"


class TestTerm:
    """Of a cancellation, which each municipality sets for itself."""

    @pytest.fixture
    async def provider(self, floor: Floor, certificate: A1Certificate) -> AsyncIterator[Shop]:
        yield await provider_in(floor, certificate, CAMPINAS)
        await floor.switch(clockOffsetSeconds=None)

    async def test_that_is_over_is_told_with_what_is_left_to_do(self, floor: Floor, provider: Shop) -> None:
        record = await provider.issue("nfse")
        await floor.switch(clockOffsetSeconds=(40 * DAY).total_seconds())
        details = error_of(await cancel(provider, record), 422, "CANCELLATION_DEADLINE_EXCEEDED")
        assert (details["authorityCode"], details["deadline"]) == ("E0822", None)
        assert "prefeitura" in details["alternative"]
        await self.assert_refused(provider, record, "E0822")

    async def test_is_none_for_an_amount_above_the_municipality_s_limit(self, provider: Shop) -> None:
        record = await provider.issue("nfse", amount=60_000)
        details = error_of(await cancel(provider, record), 422, "AUTHORITY_REJECTED")
        assert (details["authorityCode"], bool(details["hint"])) == ("E0823", True)
        await self.assert_refused(provider, record, "E0823")

    async def assert_refused(self, provider: Shop, record: dict[str, Any], code: str) -> None:
        told = (await provider.events(record))[-1]
        assert (told["type"], told["status"], told["authorityCode"]) == ("cancellation", "rejected", code)
        assert (await provider.read(record))["status"] == "authorized"
