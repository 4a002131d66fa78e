"""Fates that are told late, oddly or not at all: what becomes of the document, its number and its history."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import (
    Cause,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Rejected,
    Throttled,
    Unavailable,
)
from carimbo.storage.work import WorkKey, WorkKind
from integration.issuing.floor import Floor
from integration.issuing.scripted import (
    DUPLICATE,
    LOST,
    UNKNOWN,
    Play,
    authorizing,
    canceling,
    playing,
)
from integration.issuing.shop import Shop, accepted, error_of, own_number
from toy.codes import HANGING
from toy.shop import KINDS

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
of_every_type = pytest.mark.parametrize("kind", KINDS)


async def history(play: Play, document: dict[str, object]) -> list[tuple[str, str | None]]:
    """What the history tells from the first question on."""
    told = [(event["type"], event["authorityCode"]) for event in await play.shop.events(document)]
    return told[next(at for at, (kind, _) in enumerate(told) if kind == "signed") + 1 :]


class TestDuplicate:
    @of_every_type
    async def test_of_our_own_is_adopted_after_a_consult(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with playing(floor, shop, DUPLICATE, authorizing()) as play:
            document = await play.perform(await shop.create(kind))
            assert (document["status"], own_number(document)) == ("authorized", 1)
            assert play.script.asked == ["send", "consult"]
            assert await history(play, document) == [
                ("transmitted", DUPLICATE.code),
                ("consulted", "100"),
                ("authorized", "100"),
            ]

    async def test_whose_digest_nobody_here_signed_costs_the_number_only(
        self, floor: Floor, shop: Shop
    ) -> None:
        lines = (DUPLICATE, authorizing(digest="AAAA"), authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create("toynote"))
            assert (document["status"], own_number(document)) == ("authorized", 2)
            assert (await shop.get(f"/toynote/{document['id']}/xml")).status_code == 200

    async def test_whose_key_only_we_can_have_made_is_not_issued_once_more(
        self, floor: Floor, shop: Shop
    ) -> None:
        """As after a restore: what was signed since the backup is not in the archive."""
        async with playing(floor, shop, LOST, authorizing(digest="AAAA"), authorizing()) as play:
            refused = await play.perform(await shop.create())
            assert play.script.asked == ["send", "consult"]
            status, rejection = refused["status"], refused["rejection"]
            assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "204", False)
            assert "backup" in rejection["hint"]
            emitted = await play.perform(accepted(await shop.emit(refused)))
            assert (emitted["status"], emitted["number"]) == ("authorized", 2)

    async def test_that_is_named_by_what_is_no_key_costs_the_number_only(
        self, floor: Floor, shop: Shop
    ) -> None:
        odd = Duplicate(code="539", message="Duplicidade", other_key="0" * 44)
        async with playing(floor, shop, odd, authorizing()) as play:
            document = await play.perform(await shop.create())
            assert (document["status"], document["number"]) == ("authorized", 2)

    @of_every_type
    async def test_of_nobody_after_all_is_sent_again(self, floor: Floor, shop: Shop, kind: str) -> None:
        lines = (DUPLICATE, UNKNOWN, authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create(kind))
            assert (document["status"], own_number(document)) == ("authorized", 1)
            assert play.script.asked == ["send", "consult", "send"]
            assert len(set(play.script.sent)) == 1


@of_every_type
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
        async with playing(floor, shop, LOST, UNKNOWN, authorizing()) as play:
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
            assert "<xMotivo>" in (await shop.get(f"/toy/{refused['id']}/rejection-xml")).text
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

    @of_every_type
    async def test_one_that_somebody_canceled_is_canceled(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with playing(floor, shop, LOST, canceling) as play:
            document = await play.perform(await shop.create(kind))
            assert document["status"] == "canceled"
            assert [kind for kind, _ in await history(play, document)][-2:] == ["authorized", "cancellation"]

    @of_every_type
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


@of_every_type
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
    @of_every_type
    async def test_lets_go_of_what_it_was_at(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with floor.standstill():
            document = await shop.create(kind, notes=HANGING)
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
