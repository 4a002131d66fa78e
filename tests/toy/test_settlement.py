"""Answers that are late, unusual or lost: the outcome of the document, its number and its history."""

import asyncio
from uuid import UUID

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Denied, Duplicate, Rejected, Throttled
from carimbo.storage.work import WorkKey, WorkKind
from claimed_rows import advance_row
from integration.issuing.scripted import (
    DUPLICATE,
    LOST,
    NOT_SENT,
    OUT,
    UNKNOWN,
    ScriptedWorker,
    authorizing,
    canceling,
)
from integration.issuing.shop import Shop, accepted, error_of, own_number
from integration.issuing.system import System
from toy.codes import HANGING
from toy.shop import KINDS

INUTILIZED = Rejected(
    code="206",
    message="NF-e já está inutilizada na Base de dados",
    answer_xml=b"<infProt><xMotivo>inutilizada</xMotivo></infProt>",
    spends_number=True,
)
REFUSED_BY_US = Throttled(code="656", message="Não enviado", was_asked=False)
of_every_type = pytest.mark.parametrize("document_type", KINDS)


async def history(worker: ScriptedWorker, document: dict[str, object]) -> list[tuple[str, str | None]]:
    """Returns the types and codes of the history after the signature."""
    steps = [(event["type"], event["authorityCode"]) for event in await worker.shop.events(document)]
    return steps[next(at for at, (event_type, _) in enumerate(steps) if event_type == "signed") + 1 :]


class TestDuplicate:
    @of_every_type
    async def test_duplicate_of_our_own_document_is_adopted_after_a_consult(
        self, worker: ScriptedWorker, shop: Shop, document_type: str
    ) -> None:
        worker.script.begin(DUPLICATE, authorizing())
        document = await worker.advance(await shop.create(document_type))
        assert (document["status"], own_number(document)) == ("authorized", 1)
        assert worker.script.calls == ["send", "consult"]
        assert await history(worker, document) == [
            ("transmitted", DUPLICATE.code),
            ("consulted", "100"),
            ("authorized", "100"),
        ]

    async def test_duplicate_with_a_digest_that_we_did_not_sign_takes_another_number(
        self, worker: ScriptedWorker, shop: Shop
    ) -> None:
        lines = (DUPLICATE, authorizing(digest="AAAA"), authorizing())
        worker.script.begin(*lines)
        document = await worker.advance(await shop.create("toynote"))
        assert (document["status"], own_number(document)) == ("authorized", 2)
        assert (await shop.get(f"/toynote/{document['id']}/xml")).status_code == 200

    async def test_duplicate_with_a_key_that_only_we_can_have_made_is_not_issued_again(
        self, worker: ScriptedWorker, shop: Shop
    ) -> None:
        """This happens after a restore: documents signed since the backup are not in the archive."""
        worker.script.begin(LOST, authorizing(digest="AAAA"), authorizing())
        refused = await worker.advance(await shop.create())
        assert worker.script.calls == ["send", "consult"]
        status, rejection = refused["status"], refused["rejection"]
        assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "204", False)
        assert "backup" in rejection["hint"]
        emitted = await worker.advance(accepted(await shop.emit(refused)))
        assert (emitted["status"], emitted["number"]) == ("authorized", 2)

    async def test_duplicate_with_an_invalid_key_takes_another_number(
        self, worker: ScriptedWorker, shop: Shop
    ) -> None:
        odd = Duplicate(code="539", message="Duplicidade", other_key="0" * 44)
        worker.script.begin(odd, authorizing())
        document = await worker.advance(await shop.create())
        assert (document["status"], document["number"]) == ("authorized", 2)

    @of_every_type
    async def test_duplicate_that_the_authority_does_not_have_is_sent_again(
        self, worker: ScriptedWorker, shop: Shop, document_type: str
    ) -> None:
        lines = (DUPLICATE, UNKNOWN, authorizing())
        worker.script.begin(*lines)
        document = await worker.advance(await shop.create(document_type))
        assert (document["status"], own_number(document)) == ("authorized", 1)
        assert worker.script.calls == ["send", "consult", "send"]
        assert len(set(worker.script.sent)) == 1


@of_every_type
class TestLostAnswer:
    async def test_lost_answer_is_queried_and_the_document_is_not_sent_again(
        self, worker: ScriptedWorker, shop: Shop, document_type: str
    ) -> None:
        worker.script.begin(LOST, LOST, authorizing())
        document = await worker.advance(await shop.create(document_type))
        assert (document["status"], own_number(document)) == ("authorized", 1)
        assert worker.script.calls == ["send", "consult", "consult"]
        assert set(worker.script.consulted) == {worker.script.sent[0].access_key}

    async def test_document_that_never_arrived_is_sent_again_unchanged(
        self, worker: ScriptedWorker, shop: Shop, document_type: str
    ) -> None:
        worker.script.begin(LOST, UNKNOWN, authorizing())
        document = await worker.advance(await shop.create(document_type))
        assert (document["status"], own_number(document)) == ("authorized", 1)
        assert worker.script.calls == ["send", "consult", "send"]
        first, second = worker.script.sent
        assert first == second


class TestDuplicateOfAnotherKey:
    async def test_duplicate_that_names_no_key_is_settled_by_sending_again(
        self, worker: ScriptedWorker, shop: Shop
    ) -> None:
        nameless = Duplicate(code="613", message="Chave de Acesso difere da existente", is_another=True)
        foreign = Duplicate(code="539", message="Duplicidade", other_key="35" + 42 * "1")
        worker.script.begin(LOST, nameless, foreign, authorizing())
        document = await worker.advance(await shop.create())
        assert (document["status"], document["number"]) == ("authorized", 2)
        assert worker.script.calls == ["send", "consult", "send", "send"]


class TestInutilizedNumber:
    async def test_voided_number_is_skipped_and_the_next_one_is_taken(
        self, worker: ScriptedWorker, shop: Shop
    ) -> None:
        worker.script.begin(INUTILIZED, authorizing())
        document = await worker.advance(await shop.create())
        assert (document["status"], document["number"]) == ("authorized", 2)

    async def test_ten_voided_numbers_are_a_refusal_that_can_be_emitted_again(
        self, worker: ScriptedWorker, shop: Shop
    ) -> None:
        worker.script.begin(*[INUTILIZED] * 10, authorizing())
        refused = await worker.advance(await shop.create())
        assert (refused["status"], refused["number"]) == ("rejected", 10)
        assert (refused["rejection"]["code"], refused["rejection"]["retryable"]) == ("206", True)
        codes = [code for event_type, code in await history(worker, refused) if event_type == "transmitted"]
        assert codes == 10 * ["206"]
        assert "<xMotivo>" in (await shop.get(f"/toy/{refused['id']}/rejection-xml")).text
        cured = await worker.advance(accepted(await shop.emit(refused)))
        assert (cured["status"], cured["number"]) == ("authorized", 11)


class TestOtherOutcomes:
    async def test_denied_document_can_not_be_emitted_or_corrected(
        self, worker: ScriptedWorker, shop: Shop
    ) -> None:
        denied = Denied(code="302", message="Denegado", protocol="1", protocol_xml=b"<protNFe/>")
        worker.script.begin(denied)
        document = await worker.advance(await shop.create())
        assert (document["status"], document["rejection"]["retryable"]) == ("rejected", False)
        error_of(await shop.emit(document), 409, "INVALID_STATE")
        error_of(await shop.patch(document, notes="x"), 409, "INVALID_STATE")

    @of_every_type
    async def test_document_that_was_canceled_elsewhere_is_canceled(
        self, worker: ScriptedWorker, shop: Shop, document_type: str
    ) -> None:
        worker.script.begin(LOST, canceling)
        document = await worker.advance(await shop.create(document_type))
        assert document["status"] == "canceled"
        assert [event_type for event_type, _ in await history(worker, document)][-2:] == [
            "authorized",
            "cancellation",
        ]

    @of_every_type
    async def test_sent_document_waits_for_a_certificate(
        self, worker: ScriptedWorker, shop: Shop, certificate: A1Certificate, document_type: str
    ) -> None:
        worker.script.begin(LOST, authorizing())
        document = await shop.create(document_type)
        await worker.advance(document, steps=1)
        assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
        assert (await worker.advance(document, steps=2))["status"] == "processing"
        assert worker.script.calls == ["send"]
        await shop.set_certificate(certificate)
        assert (await worker.advance(document))["status"] == "authorized"


@of_every_type
class TestHistory:
    async def test_history_shows_an_outage_with_the_authoritys_code(
        self, worker: ScriptedWorker, shop: Shop, document_type: str
    ) -> None:
        worker.script.begin(OUT, authorizing())
        document = await worker.advance(await shop.create(document_type))
        assert await history(worker, document) == [
            ("transmitted", "109"),
            ("transmitted", None),
            ("authorized", "100"),
        ]

    async def test_history_does_not_show_requests_that_were_never_sent(
        self, worker: ScriptedWorker, shop: Shop, document_type: str
    ) -> None:
        lines = (NOT_SENT, REFUSED_BY_US, LOST, REFUSED_BY_US, authorizing())
        worker.script.begin(*lines)
        document = await worker.advance(await shop.create(document_type))
        assert await history(worker, document) == [
            ("transmitted", None),
            ("consulted", "100"),
            ("authorized", "100"),
        ]

    async def test_history_shows_our_own_refusal_without_an_authority_code(
        self, worker: ScriptedWorker, shop: Shop, document_type: str
    ) -> None:
        document = await shop.create(document_type)
        assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
        refused = await worker.advance(document)
        assert refused["rejection"]["code"] == "CERTIFICATE_MISSING"
        last = (await shop.events(refused))[-1]
        assert (last["type"], last["authorityCode"], last["authorityMessage"]) == ("rejected", None, None)


class TestStoppedWorker:
    @of_every_type
    async def test_stopped_worker_releases_its_document(
        self, system: System, worker: ScriptedWorker, document_type: str
    ) -> None:
        document = await worker.shop.create(document_type, notes=HANGING)
        key = WorkKey(WorkKind.DOCUMENT, worker.shop.caller.subscription_id, UUID(document["id"]))
        working = asyncio.create_task(advance_row(system.advancer, key))
        await system.until(
            f"exists (select from emissions where document_id = '{key.id}' and state = 'sent')"
        )
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await system.until(
            f"exists (select from documents where id = '{key.id}' and lease_until is null"
            " and next_action_at <= now())"
        )
