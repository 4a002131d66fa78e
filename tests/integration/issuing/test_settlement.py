"""Fates that are told late, oddly or not at all: what becomes of the document, its number and its history."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.emission import EmissionType
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
    DUPLICATES,
    LOST,
    UNKNOWN,
    UNKNOWNS,
    Play,
    Script,
    after,
    authorizing,
    canceling,
    playing,
)
from integration.issuing.shop import BY_NUMBERING, GOODS, Shop, accepted, error_of, own_number
from integration.issuing.till import till_of
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
of_each_numbering = pytest.mark.parametrize("kind", BY_NUMBERING)


def taken_by_svc(script: Script) -> Duplicate:
    """What the authority of the state says of a number that the SVC authorised with the same code."""
    key = AccessKey.parse(script.sent[-1].access_key)
    whose = (key.state_code, key.year_month, key.tax_id, key.model, key.series, key.number)
    other = AccessKey(*whose, EmissionType.SVC_AN, key.numeric_code)
    return Duplicate(code="539", message="Duplicidade com diferença na chave", other_key=str(other))


async def history(play: Play, document: dict[str, object]) -> list[tuple[str, str | None]]:
    """What the history tells from the first question on."""
    told = [(event["type"], event["authorityCode"]) for event in await play.shop.events(document)]
    return told[next(at for at, (kind, _) in enumerate(told) if kind == "signed") + 1 :]


class TestDuplicate:
    @of_each_numbering
    async def test_of_our_own_is_adopted_after_a_consult(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with playing(floor, shop, DUPLICATES[kind], authorizing()) as play:
            document = await play.perform(await shop.create(kind))
            assert (document["status"], own_number(document)) == ("authorized", 1)
            assert play.script.asked == ["send", "consult"]
            assert await history(play, document) == [
                ("transmitted", DUPLICATES[kind].code),
                ("consulted", "100"),
                ("authorized", "100"),
            ]

    async def test_whose_digest_nobody_here_signed_costs_the_number_only(
        self, floor: Floor, shop: Shop
    ) -> None:
        lines = (DUPLICATES["nfse"], authorizing(digest="AAAA"), authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create("nfse"))
            assert (document["status"], own_number(document)) == ("authorized", 2)
            assert (await shop.get(f"/nfse/{document['id']}/xml")).status_code == 200

    @pytest.mark.parametrize("kind", GOODS)
    async def test_whose_key_only_we_can_have_made_is_not_issued_once_more(
        self, floor: Floor, shop: Shop, kind: str
    ) -> None:
        """As after a restore: what was signed since the backup is not in the archive."""
        async with playing(floor, shop, LOST, authorizing(digest="AAAA"), authorizing()) as play:
            refused = await play.perform(await shop.create(kind))
            assert play.script.asked == ["send", "consult"]
            status, rejection = refused["status"], refused["rejection"]
            assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "204", False)
            assert "backup" in rejection["hint"]
            emitted = await play.perform(accepted(await shop.emit(refused)))
            assert (emitted["status"], emitted["number"]) == ("authorized", 2)

    async def test_of_a_paper_says_nothing_of_backups(self, floor: Floor, shop: Shop) -> None:
        """Its key is the till's: who has sent other bytes under it was perhaps the till itself."""
        till = await till_of(shop)
        async with playing(floor, shop, LOST, authorizing(digest="AAAA")) as play:
            refused = await play.perform(await till.hand_over(till.paper(7)))
            status, rejection = refused["status"], refused["rejection"]
            assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "204", False)
            assert "backup" not in rejection["hint"]

    async def test_that_went_another_way_under_our_code_is_not_issued_once_more(
        self, floor: Floor, shop: Shop
    ) -> None:
        """The SVC has it, since the backup."""
        async with playing(floor, shop, taken_by_svc, authorizing()) as play:
            refused = await play.perform(await shop.create())
            status, rejection = refused["status"], refused["rejection"]
            assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "539", False)
            assert "backup" in rejection["hint"]

    async def test_that_is_named_by_what_is_no_key_costs_the_number_only(
        self, floor: Floor, shop: Shop
    ) -> None:
        odd = Duplicate(code="539", message="Duplicidade", other_key="0" * 44)
        async with playing(floor, shop, odd, authorizing()) as play:
            document = await play.perform(await shop.create())
            assert (document["status"], document["number"]) == ("authorized", 2)

    @of_each_numbering
    async def test_of_nobody_after_all_is_sent_again(self, floor: Floor, shop: Shop, kind: str) -> None:
        lines = (DUPLICATES[kind], UNKNOWNS[kind], authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create(kind))
            assert (document["status"], own_number(document)) == ("authorized", 1)
            assert play.script.asked == ["send", "consult", "send"]
            assert len(set(play.script.sent)) == 1


@of_each_numbering
class TestLostAnswer:
    async def test_is_asked_for_and_nothing_sent_again(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with playing(floor, shop, LOST, LOST, authorizing()) as play:
            document = await play.perform(await shop.create(kind))
            assert (document["status"], own_number(document)) == ("authorized", 1)
            assert play.script.asked == ["send", "consult", "consult"]
            assert set(play.script.consulted) == {play.script.sent[0].access_key}

    async def test_of_what_never_arrived_is_sent_again_unchanged(
        self, floor: Floor, shop: Shop, kind: str
    ) -> None:
        async with playing(floor, shop, LOST, UNKNOWNS[kind], authorizing()) as play:
            document = await play.perform(await shop.create(kind))
            assert (document["status"], own_number(document)) == ("authorized", 1)
            assert play.script.asked == ["send", "consult", "send"]
            first, second = play.script.sent
            assert first == second


class TestDuplicateOfAnotherKey:
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


class TestOtherFates:
    async def test_a_denied_one_is_rejected_for_good(self, floor: Floor, shop: Shop) -> None:
        denied = Denied(code="302", message="Denegado", protocol="1", protocol_xml=b"<protNFe/>")
        async with playing(floor, shop, denied) as play:
            document = await play.perform(await shop.create())
            assert (document["status"], document["rejection"]["retryable"]) == ("rejected", False)
            error_of(await shop.emit(document), 409, "INVALID_STATE")
            error_of(await shop.patch(document, notes="x"), 409, "INVALID_STATE")

    @of_each_numbering
    async def test_one_that_somebody_canceled_is_canceled(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with playing(floor, shop, LOST, canceling) as play:
            document = await play.perform(await shop.create(kind))
            assert document["status"] == "canceled"
            assert [kind for kind, _ in await history(play, document)][-2:] == ["authorized", "cancellation"]

    async def test_a_lot_is_asked_for_by_its_receipt(self, floor: Floor, shop: Shop) -> None:
        taken = Processing(code="103", message="Lote recebido", receipt="351230000000001", wait_seconds=0)
        async with playing(floor, shop, taken, authorizing()) as play:
            assert (await play.perform(await shop.create()))["status"] == "authorized"
            assert play.script.asked == ["send", "receipt"]

    @of_each_numbering
    async def test_what_was_sent_waits_for_a_certificate(
        self, floor: Floor, shop: Shop, certificate: A1Certificate, kind: str
    ) -> None:
        async with playing(floor, shop, LOST, authorizing()) as play:
            document = await shop.create(kind)
            await play.perform(document, steps=1)
            assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
            assert (await play.perform(document, steps=2))["status"] == "processing"
            assert play.script.asked == ["send"]
            await shop.certify(certificate)
            assert (await play.perform(document))["status"] == "authorized"


@of_each_numbering
class TestHistory:
    async def test_an_answered_outage_is_told_in_the_authority_s_words(
        self, floor: Floor, shop: Shop, kind: str
    ) -> None:
        async with playing(floor, shop, OUTAGE, authorizing()) as play:
            document = await play.perform(await shop.create(kind))
            assert await history(play, document) == [
                ("transmitted", "109"),
                ("transmitted", None),
                ("authorized", "100"),
            ]

    async def test_what_did_not_leave_the_house_is_not_told(
        self, floor: Floor, shop: Shop, kind: str
    ) -> None:
        lines = (NOT_SENT, REFUSED_BY_US, LOST, REFUSED_BY_US, authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create(kind))
            assert await history(play, document) == [
                ("transmitted", None),
                ("consulted", "100"),
                ("authorized", "100"),
            ]

    async def test_our_own_refusal_puts_no_words_into_the_authority_s_mouth(
        self, floor: Floor, shop: Shop, kind: str
    ) -> None:
        async with playing(floor, shop) as play:
            document = await shop.create(kind)
            assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
            refused = await play.perform(document)
            assert refused["rejection"]["code"] == "CERTIFICATE_MISSING"
            last = (await shop.events(refused))[-1]
            assert (last["type"], last["authorityCode"], last["authorityMessage"]) == ("rejected", None, None)


class TestWorkerThatIsStopped:
    @of_each_numbering
    async def test_lets_go_of_what_it_was_at(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with floor.standstill():
            document = await shop.create(kind, notes="SIMULA:DEMORA:20s")
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
        lines = (self.closing, self.TOO_EARLY, after(LONG, self.TOO_EARLY), authorizing())
        async with playing(floor, shop, *lines) as play:
            # Not before the worker is at rest: what it still has to do may tell of an outage.
            await floor.fetch("delete from outages")
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
