"""Fates that are told late, oddly or not at all: what becomes of the document, its number and its history."""

import asyncio
import re
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import (
    Cause,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Processing,
    Rejected,
    Throttled,
    Unavailable,
)
from carimbo.service import outage_board
from carimbo.storage.work import WorkKey, WorkKind
from integration.issuing.floor import Floor
from integration.issuing.scripted import (
    DUPLICATE,
    LOST,
    UNKNOWN,
    Play,
    Script,
    after,
    authorizing,
    canceling,
    playing,
)
from integration.issuing.shop import Shop, accepted, error_of
from support import data_of

LONG = timedelta(minutes=5)
OUTAGE = Unavailable(code="109", message="Serviço Paralisado sem Previsão", outage=Outage.WITHOUT_FORECAST)
VOIDED = Rejected(
    code="206",
    message="NF-e já está inutilizada na Base de dados",
    answer_xml=b"<infProt><xMotivo>inutilizada</xMotivo></infProt>",
    spends_number=True,
)
REFUSED_BY_US = Throttled(code="656", message="Não enviado", was_asked=False)
NOT_SENT = NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False)
ISSUED_AT = re.compile(r"<dhEmi>([^<]+)</dhEmi>")


async def history(play: Play, document: dict[str, object]) -> list[tuple[str, str | None]]:
    """What the history tells from the first question on."""
    told = [(event["type"], event["authorityCode"]) for event in await play.shop.events(document)]
    return told[next(at for at, (kind, _) in enumerate(told) if kind == "signed") + 1 :]


class TestDuplicate:
    async def test_of_our_own_is_adopted_after_a_consult(self, floor: Floor, shop: Shop) -> None:
        async with playing(floor, shop, DUPLICATE, authorizing()) as play:
            document = await play.perform(await shop.create())
            assert document["status"] == "authorized"
            assert play.script.asked == ["send", "consult"]
            assert await history(play, document) == [
                ("transmitted", "204"),
                ("consulted", "100"),
                ("authorized", "100"),
            ]

    async def test_whose_digest_nobody_here_signed_costs_the_number_only(
        self, floor: Floor, shop: Shop
    ) -> None:
        async with playing(floor, shop, DUPLICATE, authorizing(digest="AAAA"), authorizing()) as play:
            document = await play.perform(await shop.create())
            assert (document["status"], document["number"]) == ("authorized", 2)
            assert (await shop.get(f"/nfe/{document['id']}/xml")).status_code == 200

    async def test_that_names_no_key_is_settled_by_sending_again(self, floor: Floor, shop: Shop) -> None:
        nameless = Duplicate(code="613", message="Chave de Acesso difere da existente", is_another=True)
        foreign = Duplicate(code="539", message="Duplicidade", other_key="35" + 42 * "1")
        async with playing(floor, shop, LOST, nameless, foreign, authorizing()) as play:
            document = await play.perform(await shop.create())
            assert (document["status"], document["number"]) == ("authorized", 2)
            assert play.script.asked == ["send", "consult", "send", "send"]


class TestVoidedNumber:
    async def test_is_left_and_the_next_one_taken(self, floor: Floor, shop: Shop) -> None:
        async with playing(floor, shop, VOIDED, authorizing()) as play:
            document = await play.perform(await shop.create())
            assert (document["status"], document["number"]) == ("authorized", 2)

    async def test_ten_in_a_row_are_a_refusal_that_emitting_again_may_cure(
        self, floor: Floor, shop: Shop
    ) -> None:
        async with playing(floor, shop, *[VOIDED] * 10, authorizing()) as play:
            refused = await play.perform(await shop.create())
            assert (refused["status"], refused["number"]) == ("rejected", 10)
            assert (refused["rejection"]["code"], refused["rejection"]["retryable"]) == ("206", True)
            told = [code for kind, code in await history(play, refused) if kind == "transmitted"]
            assert told == 10 * ["206"]
            assert "<xMotivo>" in (await shop.get(f"/nfe/{refused['id']}/rejection-xml")).text
            cured = await play.perform(accepted(await shop.emit(refused)))
            assert (cured["status"], cured["number"]) == ("authorized", 11)


class TestReceiptTooOldToBeSent:
    """An NFC-e is refused for its age five minutes after its issue (MOC 7.0, rule 704)."""

    async def test_after_an_outage_it_is_signed_anew(self, floor: Floor, shop: Shop) -> None:
        async with playing(floor, shop, after(LONG, OUTAGE), authorizing()) as play:
            document = await play.perform(await shop.create("nfce"))
            assert document["status"] == "authorized"
            first, second = play.script.sent
            assert first.access_key == second.access_key
            assert first.digest_value != second.digest_value

    async def test_an_nfe_that_goes_no_other_way_goes_out_as_it_was_signed(
        self, floor: Floor, shop: Shop
    ) -> None:
        data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forbidden"}))
        async with playing(floor, shop, after(LONG, OUTAGE), authorizing()) as play:
            assert (await play.perform(await shop.create()))["status"] == "authorized"
            first, second = play.script.sent
            assert first == second

    async def test_the_older_version_is_adopted_with_its_own_moment(self, floor: Floor, shop: Shop) -> None:
        lines = (LOST, after(LONG, UNKNOWN), DUPLICATE, authorizing(version=0))
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create("nfce"))
            xml = (await shop.get(f"/nfce/{document['id']}/xml")).text
            assert play.script.sent[0].digest_value in xml
            found = ISSUED_AT.search(xml)
            assert found
            assert datetime.fromisoformat(document["issuedAt"]) == datetime.fromisoformat(found[1])

    async def test_of_another_month_an_older_version_is_found_by_its_own_key(
        self, floor: Floor, shop: Shop
    ) -> None:
        def named(script: Script) -> Duplicate:
            return Duplicate(code="539", message="Duplicidade", other_key=script.sent[0].access_key)

        lines = (LOST, after(timedelta(days=31), UNKNOWN), named, authorizing(version=0))
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create("nfce"))
            first, second = play.script.sent
            assert first.access_key != second.access_key
            assert play.script.consulted[-1] == first.access_key
            assert (document["status"], document["number"]) == ("authorized", 1)
            assert document["accessKey"] == first.access_key

    async def test_of_another_month_the_newest_goes_out_under_its_own_key_if_the_older_is_unknown_after_all(
        self, floor: Floor, shop: Shop
    ) -> None:
        def named(script: Script) -> Duplicate:
            return Duplicate(code="539", message="Duplicidade", other_key=script.sent[0].access_key)

        lines = (LOST, after(timedelta(days=31), UNKNOWN), named, UNKNOWN, authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create("nfce"))
            first, second, third = play.script.sent
            assert third == second
            assert (document["status"], document["accessKey"]) == ("authorized", second.access_key)
            assert first.access_key != second.access_key


class TestOtherFates:
    async def test_a_denied_one_is_rejected_for_good(self, floor: Floor, shop: Shop) -> None:
        denied = Denied(code="302", message="Denegado", protocol="1", protocol_xml=b"<protNFe/>")
        async with playing(floor, shop, denied) as play:
            document = await play.perform(await shop.create())
            assert (document["status"], document["rejection"]["retryable"]) == ("rejected", False)
            error_of(await shop.emit(document), 409, "INVALID_STATE")
            error_of(await shop.patch(document, notes="x"), 409, "INVALID_STATE")

    async def test_one_that_somebody_canceled_is_canceled(self, floor: Floor, shop: Shop) -> None:
        async with playing(floor, shop, LOST, canceling) as play:
            document = await play.perform(await shop.create())
            assert document["status"] == "canceled"
            assert [kind for kind, _ in await history(play, document)][-2:] == ["authorized", "cancellation"]

    async def test_a_lot_is_asked_for_by_its_receipt(self, floor: Floor, shop: Shop) -> None:
        taken = Processing(code="103", message="Lote recebido", receipt="351230000000001", wait_seconds=0)
        async with playing(floor, shop, taken, authorizing()) as play:
            assert (await play.perform(await shop.create()))["status"] == "authorized"
            assert play.script.asked == ["send", "receipt"]

    async def test_what_was_sent_waits_for_a_certificate(
        self, floor: Floor, shop: Shop, certificate: A1Certificate
    ) -> None:
        async with playing(floor, shop, LOST, authorizing()) as play:
            document = await shop.create()
            await play.perform(document, steps=1)
            assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
            assert (await play.perform(document, steps=2))["status"] == "processing"
            assert play.script.asked == ["send"]
            await shop.certify(certificate)
            assert (await play.perform(document))["status"] == "authorized"


class TestHistory:
    async def test_an_answered_outage_is_told_in_the_authority_s_words(
        self, floor: Floor, shop: Shop
    ) -> None:
        async with playing(floor, shop, OUTAGE, authorizing()) as play:
            document = await play.perform(await shop.create())
            assert await history(play, document) == [
                ("transmitted", "109"),
                ("transmitted", None),
                ("authorized", "100"),
            ]

    async def test_what_did_not_leave_the_house_is_not_told(self, floor: Floor, shop: Shop) -> None:
        lines = (NOT_SENT, REFUSED_BY_US, LOST, REFUSED_BY_US, authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create())
            assert await history(play, document) == [
                ("transmitted", None),
                ("consulted", "100"),
                ("authorized", "100"),
            ]

    async def test_our_own_refusal_puts_no_words_into_the_authority_s_mouth(
        self, floor: Floor, shop: Shop
    ) -> None:
        async with playing(floor, shop) as play:
            document = await shop.create()
            assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
            refused = await play.perform(document)
            assert refused["rejection"]["code"] == "CERTIFICATE_MISSING"
            last = (await shop.events(refused))[-1]
            assert (last["type"], last["authorityCode"], last["authorityMessage"]) == ("rejected", None, None)


class TestWorkerThatIsStopped:
    async def test_lets_go_of_what_it_was_at(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            document = await shop.create("nfce", notes="SIMULA:DEMORA:20s")
            key = WorkKey(WorkKind.DOCUMENT, shop.caller.subscription_id, UUID(document["id"]))
            working = asyncio.create_task(floor.advancer.advance(key))
            await floor.until(
                f"exists (select from emissions where document_id = '{key.id}' and state = 'sent')"
            )
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
            await floor.until(
                f"exists (select from documents where id = '{key.id}' and lease_until is null"
                " and next_action_at <= now())"
            )


class TestAtTheStandIn:
    """A document that was sent to an SVC, which closes before anybody knows what became of it."""

    TOO_EARLY = replace(UNKNOWN, may_come=True)

    async def test_is_not_sent_again_under_its_number(self, floor: Floor, shop: Shop) -> None:
        """The state's own authority gets the SVC's documents later: that it has none says nothing."""
        data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forced"}))
        await floor.fetch("delete from outages")
        lines = (self.closing, self.TOO_EARLY, after(LONG, self.TOO_EARLY), authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create())
        assert [signed.access_key[25:35] for signed in play.script.sent] == ["0000000016", "0000000021"]
        assert (document["status"], document["number"], document["contingency"]) == ("authorized", 2, None)
        (row,) = await floor.fetch("select emission from strays where document_id = $1", document["id"])
        assert row["emission"] == 1

    async def test_what_the_normal_authority_may_still_get_keeps_its_way(
        self, floor: Floor, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Contingency is forced while it does not have the document yet: another key could be a second."""
        monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
        async with playing(floor, shop, LOST) as play:
            document = await play.perform(await shop.create())
            await floor.fetch("delete from outages")
            play.script.begin(UNKNOWN, authorizing())
            data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forced"}))
            document = await play.perform(document)
        assert [signed.access_key[34] for signed in play.script.sent] == ["1"]
        assert (document["status"], document["number"], document["contingency"]) == ("authorized", 1, None)

    @staticmethod
    def closing(script: Script) -> Outcome:
        """An answer that is lost, after which the SVC does not serve any more."""
        script.stand_in = LOST
        return LOST
