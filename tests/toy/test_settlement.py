"""Answers that come late, oddly or never: what becomes of the document, its number and its history."""

import asyncio
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Denied, Duplicate, Rejected, Throttled
from carimbo.storage.work import WorkKey, WorkKind
from integration.issuing.floor import Floor
from integration.issuing.scripted import (
    DUPLICATE,
    LOST,
    NOT_SENT,
    OUT,
    UNKNOWN,
    Play,
    authorizing,
    canceling,
)
from integration.issuing.shop import Shop, accepted, error_of, own_number
from toy.codes import HANGING
from toy.shop import KINDS

VOIDED = Rejected(
    code="206",
    message="NF-e já está inutilizada na Base de dados",
    answer_xml=b"<infProt><xMotivo>inutilizada</xMotivo></infProt>",
    spends_number=True,
)
REFUSED_BY_US = Throttled(code="656", message="Não enviado", was_asked=False)
of_every_type = pytest.mark.parametrize("kind", KINDS)


async def history(play: Play, document: dict[str, object]) -> list[tuple[str, str | None]]:
    """Returns types and codes of the history after the signature."""
    steps = [(event["type"], event["authorityCode"]) for event in await play.shop.events(document)]
    return steps[next(at for at, (kind, _) in enumerate(steps) if kind == "signed") + 1 :]


class TestDuplicate:
    @of_every_type
    async def test_of_our_own_document_is_adopted_after_a_consult(
        self, play: Play, shop: Shop, kind: str
    ) -> None:
        play.script.begin(DUPLICATE, authorizing())
        document = await play.perform(await shop.create(kind))
        assert (document["status"], own_number(document)) == ("authorized", 1)
        assert play.script.asked == ["send", "consult"]
        assert await history(play, document) == [
            ("transmitted", DUPLICATE.code),
            ("consulted", "100"),
            ("authorized", "100"),
        ]

    async def test_with_a_digest_that_we_did_not_sign_costs_only_the_number(
        self, play: Play, shop: Shop
    ) -> None:
        lines = (DUPLICATE, authorizing(digest="AAAA"), authorizing())
        play.script.begin(*lines)
        document = await play.perform(await shop.create("toynote"))
        assert (document["status"], own_number(document)) == ("authorized", 2)
        assert (await shop.get(f"/toynote/{document['id']}/xml")).status_code == 200

    async def test_with_a_key_that_only_we_can_have_made_is_not_issued_again(
        self, play: Play, shop: Shop
    ) -> None:
        """As after a restore: what was signed since the backup is not in the archive."""
        play.script.begin(LOST, authorizing(digest="AAAA"), authorizing())
        refused = await play.perform(await shop.create())
        assert play.script.asked == ["send", "consult"]
        status, rejection = refused["status"], refused["rejection"]
        assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "204", False)
        assert "backup" in rejection["hint"]
        emitted = await play.perform(accepted(await shop.emit(refused)))
        assert (emitted["status"], emitted["number"]) == ("authorized", 2)

    async def test_that_names_an_invalid_key_costs_only_the_number(self, play: Play, shop: Shop) -> None:
        odd = Duplicate(code="539", message="Duplicidade", other_key="0" * 44)
        play.script.begin(odd, authorizing())
        document = await play.perform(await shop.create())
        assert (document["status"], document["number"]) == ("authorized", 2)

    @of_every_type
    async def test_that_the_authority_does_not_have_after_all_is_sent_again(
        self, play: Play, shop: Shop, kind: str
    ) -> None:
        lines = (DUPLICATE, UNKNOWN, authorizing())
        play.script.begin(*lines)
        document = await play.perform(await shop.create(kind))
        assert (document["status"], own_number(document)) == ("authorized", 1)
        assert play.script.asked == ["send", "consult", "send"]
        assert len(set(play.script.sent)) == 1


@of_every_type
class TestLostAnswer:
    async def test_is_asked_for_and_nothing_sent_again(self, play: Play, shop: Shop, kind: str) -> None:
        play.script.begin(LOST, LOST, authorizing())
        document = await play.perform(await shop.create(kind))
        assert (document["status"], own_number(document)) == ("authorized", 1)
        assert play.script.asked == ["send", "consult", "consult"]
        assert set(play.script.consulted) == {play.script.sent[0].access_key}

    async def test_of_what_never_arrived_is_sent_again_unchanged(
        self, play: Play, shop: Shop, kind: str
    ) -> None:
        play.script.begin(LOST, UNKNOWN, authorizing())
        document = await play.perform(await shop.create(kind))
        assert (document["status"], own_number(document)) == ("authorized", 1)
        assert play.script.asked == ["send", "consult", "send"]
        first, second = play.script.sent
        assert first == second


class TestDuplicateOfAnotherKey:
    async def test_that_names_no_key_is_settled_by_sending_again(self, play: Play, shop: Shop) -> None:
        nameless = Duplicate(code="613", message="Chave de Acesso difere da existente", is_another=True)
        foreign = Duplicate(code="539", message="Duplicidade", other_key="35" + 42 * "1")
        play.script.begin(LOST, nameless, foreign, authorizing())
        document = await play.perform(await shop.create())
        assert (document["status"], document["number"]) == ("authorized", 2)
        assert play.script.asked == ["send", "consult", "send", "send"]


class TestVoidedNumber:
    async def test_is_skipped_and_the_next_number_is_taken(self, play: Play, shop: Shop) -> None:
        play.script.begin(VOIDED, authorizing())
        document = await play.perform(await shop.create())
        assert (document["status"], document["number"]) == ("authorized", 2)

    async def test_ten_in_a_row_are_a_refusal_that_emitting_again_may_cure(
        self, play: Play, shop: Shop
    ) -> None:
        play.script.begin(*[VOIDED] * 10, authorizing())
        refused = await play.perform(await shop.create())
        assert (refused["status"], refused["number"]) == ("rejected", 10)
        assert (refused["rejection"]["code"], refused["rejection"]["retryable"]) == ("206", True)
        codes = [code for kind, code in await history(play, refused) if kind == "transmitted"]
        assert codes == 10 * ["206"]
        assert "<xMotivo>" in (await shop.get(f"/toy/{refused['id']}/rejection-xml")).text
        cured = await play.perform(accepted(await shop.emit(refused)))
        assert (cured["status"], cured["number"]) == ("authorized", 11)


class TestOtherFates:
    async def test_a_denied_document_is_rejected_for_good(self, play: Play, shop: Shop) -> None:
        denied = Denied(code="302", message="Denegado", protocol="1", protocol_xml=b"<protNFe/>")
        play.script.begin(denied)
        document = await play.perform(await shop.create())
        assert (document["status"], document["rejection"]["retryable"]) == ("rejected", False)
        error_of(await shop.emit(document), 409, "INVALID_STATE")
        error_of(await shop.patch(document, notes="x"), 409, "INVALID_STATE")

    @of_every_type
    async def test_a_document_that_was_canceled_elsewhere_is_canceled(
        self, play: Play, shop: Shop, kind: str
    ) -> None:
        play.script.begin(LOST, canceling)
        document = await play.perform(await shop.create(kind))
        assert document["status"] == "canceled"
        assert [kind for kind, _ in await history(play, document)][-2:] == ["authorized", "cancellation"]

    @of_every_type
    async def test_a_document_that_was_sent_waits_for_a_certificate(
        self, play: Play, shop: Shop, certificate: A1Certificate, kind: str
    ) -> None:
        play.script.begin(LOST, authorizing())
        document = await shop.create(kind)
        await play.perform(document, steps=1)
        assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
        assert (await play.perform(document, steps=2))["status"] == "processing"
        assert play.script.asked == ["send"]
        await shop.certify(certificate)
        assert (await play.perform(document))["status"] == "authorized"


@of_every_type
class TestHistory:
    async def test_shows_an_outage_in_the_words_of_the_authority(
        self, play: Play, shop: Shop, kind: str
    ) -> None:
        play.script.begin(OUT, authorizing())
        document = await play.perform(await shop.create(kind))
        assert await history(play, document) == [
            ("transmitted", "109"),
            ("transmitted", None),
            ("authorized", "100"),
        ]

    async def test_does_not_show_what_was_never_sent(self, play: Play, shop: Shop, kind: str) -> None:
        lines = (NOT_SENT, REFUSED_BY_US, LOST, REFUSED_BY_US, authorizing())
        play.script.begin(*lines)
        document = await play.perform(await shop.create(kind))
        assert await history(play, document) == [
            ("transmitted", None),
            ("consulted", "100"),
            ("authorized", "100"),
        ]

    async def test_shows_our_own_refusal_without_words_of_the_authority(
        self, play: Play, shop: Shop, kind: str
    ) -> None:
        document = await shop.create(kind)
        assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
        refused = await play.perform(document)
        assert refused["rejection"]["code"] == "CERTIFICATE_MISSING"
        last = (await shop.events(refused))[-1]
        assert (last["type"], last["authorityCode"], last["authorityMessage"]) == ("rejected", None, None)


class TestWorkerThatIsStopped:
    @of_every_type
    async def test_lets_go_of_its_document(self, floor: Floor, play: Play, kind: str) -> None:
        document = await play.shop.create(kind, notes=HANGING)
        key = WorkKey(WorkKind.DOCUMENT, play.shop.caller.subscription_id, UUID(document["id"]))
        working = asyncio.create_task(floor.advancer.advance(key))
        await floor.until(f"exists (select from emissions where document_id = '{key.id}' and state = 'sent')")
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await floor.until(
            f"exists (select from documents where id = '{key.id}' and lease_until is null"
            " and next_action_at <= now())"
        )
