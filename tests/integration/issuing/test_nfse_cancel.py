"""Cancellation of an NFS-e: its reason, and the municipality's deadline."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.actions import cancel, filings
from integration.issuing.shop import CAMPINAS, Shop, error_of, provider_in
from integration.issuing.system import System
from support import data_of, fields_of

DAY = timedelta(days=1)


class TestCancel:
    @pytest.mark.parametrize(
        ("given", "reason_code"), [({}, "9"), ({"reasonCode": "1"}, "1"), ({"reasonCode": "2"}, "2")]
    )
    async def test_cancellation_contains_the_reason_code_and_the_justification(
        self, shop: Shop, given: dict[str, str], reason_code: str
    ) -> None:
        record = await shop.issue("nfse")
        data_of(await cancel(shop, record, {"justification": "Serviço não foi prestado", **given}))
        event = (await shop.events(record))[-1]
        xml = (await shop.get(f"/nfse/{record['id']}/events/{event['id']}/xml")).text
        assert f"<cMotivo>{reason_code}</cMotivo>" in xml
        assert "<xMotivo>Serviço não foi prestado</xMotivo>" in xml

    @pytest.mark.parametrize("code", ["3", "01", 3])
    async def test_unknown_reason_code_is_invalid(self, shop: Shop, code: Any) -> None:
        record = await shop.issue("nfse")
        assert set(fields_of(await cancel(shop, record, {"reasonCode": code}))) == {"reasonCode"}
        assert await filings(shop, record) == []

    async def test_reason_code_may_be_in_the_query(self, shop: Shop) -> None:
        record = await shop.issue("nfse")
        assert data_of(await cancel(shop, record, reasonCode="2"))["status"] == "canceled"
        error_of(await cancel(shop, record), 409, "INVALID_STATE")

    async def test_refused_cancellation_is_answered_with_the_authoritys_code_and_message(
        self, shop: Shop
    ) -> None:
        record = await shop.issue("nfse")
        reason = {"justification": "Engano no valor SIMULA:REJEICAO:E0840"}
        details = error_of(await cancel(shop, record, reason), 422, "AUTHORITY_REJECTED")
        assert details["authorityCode"] == "E0840"
        assert details["authorityMessage"]
        assert (await shop.read(record))["status"] == "authorized"


class TestTerm:
    """The deadline of a cancellation, which each municipality sets."""

    @pytest.fixture
    async def provider(self, system: System, certificate: A1Certificate) -> AsyncIterator[Shop]:
        yield await provider_in(system, certificate, CAMPINAS)
        await system.switch(clockOffsetSeconds=None)

    async def test_cancellation_after_the_deadline_is_answered_with_the_alternative(
        self, system: System, provider: Shop
    ) -> None:
        record = await provider.issue("nfse")
        await system.switch(clockOffsetSeconds=(40 * DAY).total_seconds())
        details = error_of(await cancel(provider, record), 422, "CANCELLATION_DEADLINE_EXCEEDED")
        assert (details["authorityCode"], details["deadline"]) == ("E0822", None)
        assert "prefeitura" in details["alternative"]
        await self.assert_refused(provider, record, "E0822")

    async def test_cancellation_above_the_municipalitys_amount_limit_is_refused(self, provider: Shop) -> None:
        record = await provider.issue("nfse", amount=60_000)
        details = error_of(await cancel(provider, record), 422, "AUTHORITY_REJECTED")
        assert (details["authorityCode"], bool(details["hint"])) == ("E0823", True)
        await self.assert_refused(provider, record, "E0823")

    async def assert_refused(self, provider: Shop, record: dict[str, Any], code: str) -> None:
        event = (await provider.events(record))[-1]
        assert (event["type"], event["status"], event["authorityCode"]) == ("cancellation", "rejected", code)
        assert (await provider.read(record))["status"] == "authorized"
