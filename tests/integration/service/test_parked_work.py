"""Owners resume and dismiss their own parked work; what an operator holds waits for the operator."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.audit import AuditQuery, list_audit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.listing import PageRequest
from carimbo.service.maintenance import dismiss_document, resume_parked
from carimbo.service.parked_work import (
    Dismissal,
    ParkedWorkRecord,
    dismiss_parked_work,
    list_parked_page,
    list_parked_work,
    resume_parked_work,
)
from carimbo.storage.actors import OPERATOR_AT_TERMINAL, Actor, ActorKind
from carimbo.storage.database import Database
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import new_id
from carimbo.storage.parked_work import WorkOwner
from carimbo.storage.work import WorkKind, park
from integration.storage.document_rows import Shop, open_shop
from integration.storage.neighbours import create_neighbours
from integration.storage.parked_rows import REASON, held_document, park_row, parked_document
from support import OTHER_CNPJ, Caller, NewCaller

ANA = Actor(ActorKind.PERSON, new_id(), "Ana Souza")
NOW = datetime(2026, 11, 17, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
Act = Callable[[Database, WorkOwner, Document], Awaitable[ParkedWorkRecord]]


@pytest.fixture
async def shop(caller: Caller, database: Database) -> Shop:
    return await open_shop(database, caller.subscription_id)


@pytest.fixture
def owner(shop: Shop) -> WorkOwner:
    return WorkOwner(shop.subscription_id)


async def resume(database: Database, owner: WorkOwner, document: Document) -> ParkedWorkRecord:
    return await resume_parked_work(database, owner, document.id)


async def dismiss(
    database: Database, owner: WorkOwner, document: Document, reason: str | None = None
) -> ParkedWorkRecord:
    return await dismiss_parked_work(database, owner, document.id, Dismissal(reason=reason), NOW, MINUTE)


both_acts = pytest.mark.parametrize("act", [resume, dismiss])


async def refusal_of(act: Awaitable[ParkedWorkRecord]) -> Refusal:
    with pytest.raises(Refusal) as raised:
        await act
    return raised.value


async def listed_ids(database: Database, owner: WorkOwner) -> list[object]:
    page = await list_parked_work(database, owner, PageRequest())
    assert page.total == len(page.items)
    return [record.id for record in page.items]


async def newest_entry(database: Database, shop: Shop) -> tuple[str | None, str]:
    """Returns who is named by the newest entry of the audit, and its sentence."""
    page = await list_audit(database, shop.subscription_id, AuditQuery(), PageRequest())
    return page.items[0].actor.name, page.items[0].sentence


class TestResume:
    async def test_owner_resumes_a_document_and_is_named_in_history_and_audit(
        self, database: Database, shop: Shop, owner: WorkOwner
    ) -> None:
        document = await parked_document(shop)
        record = await resume(database.acting_as(ANA), owner, document)
        assert (record.id, record.reason, record.held_by_operator) == (document.id, REASON, False)
        row = await shop.row_of(document)
        assert (row["parked_reason"], row["attempts"], row["next_action_at"] is None) == (None, 0, False)
        async with database.autocommit(shop.subscription_id) as tenant:
            *_, queued = await tenant.document_events.all(document.id)
        assert (queued.type, queued.actor) == ("queued", ANA.as_json())
        name, sentence = await newest_entry(database, shop)
        assert (name, sentence) == ("Ana Souza", "Retomou o que estava posto de lado: NF-e sem número.")

    async def test_other_work_is_named_by_its_kind_in_the_audit(
        self, database: Database, authenticator: Authenticator
    ) -> None:
        neighbours = await create_neighbours(database, authenticator)
        await park_row(database, WorkKind.EVENT, neighbours.event_id)
        owner = WorkOwner(neighbours.owner)
        await resume_parked_work(database.acting_as(ANA), owner, neighbours.event_id)
        shop = Shop(database, neighbours.owner, neighbours.company_id)
        name, sentence = await newest_entry(database, shop)
        assert (name, sentence) == ("Ana Souza", "Retomou o que estava posto de lado: Evento.")

    async def test_work_that_is_not_parked_any_more_is_not_found(
        self, database: Database, shop: Shop, owner: WorkOwner
    ) -> None:
        document = await parked_document(shop)
        await resume(database, owner, document)
        assert (await refusal_of(resume(database, owner, document))).code is ErrorCode.NOT_FOUND


class TestDismiss:
    async def test_owner_dismisses_a_document_with_a_reason(
        self, database: Database, shop: Shop, owner: WorkOwner
    ) -> None:
        document = await parked_document(shop)
        await dismiss(database.acting_as(ANA), owner, document, "Emitida como 41")
        dismissed = await shop.read(document.id)
        assert dismissed.rejection is not None
        assert (dismissed.status, dismissed.rejection["message"]) == ("rejected", "Emitida como 41")
        name, sentence = await newest_entry(database, shop)
        assert (name, sentence) == (
            "Ana Souza",
            "Encerrou o documento NF-e sem número, que estava posto de lado.",
        )

    async def test_rejection_without_a_reason_does_not_name_the_operator(
        self, database: Database, shop: Shop, owner: WorkOwner
    ) -> None:
        document = await parked_document(shop)
        await dismiss(database, owner, document)
        rejection = (await shop.read(document.id)).rejection or {}
        assert rejection["message"].startswith("Encerrado pela empresa")


class TestScope:
    @both_acts
    async def test_work_of_another_subscription_is_not_found(
        self, database: Database, shop: Shop, new_caller: NewCaller, act: Act
    ) -> None:
        document = await parked_document(shop)
        stranger = WorkOwner((await new_caller()).subscription_id)
        assert await listed_ids(database, stranger) == []
        assert (await refusal_of(act(database, stranger, document))).code is ErrorCode.NOT_FOUND
        assert (await shop.read(document.id)).parked_reason == REASON

    @both_acts
    async def test_person_of_one_company_reaches_only_its_work(
        self, database: Database, shop: Shop, act: Act
    ) -> None:
        other = await open_shop(database, shop.subscription_id, OTHER_CNPJ)
        mine, theirs = await parked_document(shop), await parked_document(other)
        owner = WorkOwner(shop.subscription_id, frozenset({shop.company_id}))
        assert await listed_ids(database, owner) == [mine.id]
        assert (await refusal_of(act(database, owner, theirs))).code is ErrorCode.NOT_FOUND
        await act(database, owner, mine)
        assert (await other.read(theirs.id)).parked_reason == REASON

    async def test_person_without_companies_reaches_no_work(self, database: Database, shop: Shop) -> None:
        await parked_document(shop)
        nobody = WorkOwner(shop.subscription_id, frozenset())
        assert await listed_ids(database, nobody) == []
        assert await resume_parked(database, owner=nobody) == 0

    async def test_all_work_of_an_owner_is_resumed_and_no_other(
        self, database: Database, shop: Shop, owner: WorkOwner, new_caller: NewCaller
    ) -> None:
        neighbour = await open_shop(database, (await new_caller()).subscription_id)
        theirs = await parked_document(neighbour)
        mine = [await parked_document(shop) for _ in range(2)]
        assert await resume_parked(database, owner=owner) == 2
        assert [(await shop.read(document.id)).parked_reason for document in mine] == [None, None]
        assert (await neighbour.read(theirs.id)).parked_reason == REASON


class TestHeldByTheOperator:
    @both_acts
    @pytest.mark.parametrize("by_operator", [True, None], ids=["held", "parked-by-an-earlier-release"])
    async def test_owner_is_refused_and_learns_who_may(
        self, database: Database, shop: Shop, owner: WorkOwner, act: Act, by_operator: bool | None
    ) -> None:
        document = await held_document(shop, by_operator=by_operator)
        (record,) = (await list_parked_work(database, owner, PageRequest())).items
        assert record.held_by_operator
        refusal = await refusal_of(act(database, owner, document))
        assert refusal.code is ErrorCode.INVALID_STATE
        assert "restaurar um backup" in refusal.message
        assert "Só quem opera o serviço" in refusal.message
        assert await shop.read(document.id) == document

    async def test_resuming_all_leaves_it_parked(
        self, database: Database, shop: Shop, owner: WorkOwner
    ) -> None:
        held, failed = await held_document(shop), await parked_document(shop)
        assert await resume_parked(database, owner=owner) == 1
        assert (await shop.read(held.id)).parked_reason == held.parked_reason
        assert (await shop.read(failed.id)).parked_reason is None

    async def test_operator_resumes_and_dismisses_it(
        self, database: Database, shop: Shop, owner: WorkOwner
    ) -> None:
        resumed, dismissed = await held_document(shop), await held_document(shop)
        operator = database.acting_as(OPERATOR_AT_TERMINAL)
        assert await resume_parked(operator, resumed.id) == 1
        await dismiss_document(operator, dismissed.id, "Emitida como 41", NOW, MINUTE)
        assert await listed_ids(database, owner) == []
        assert (await shop.read(dismissed.id)).status == "rejected"

    async def test_document_that_fails_after_the_operator_resumed_it_is_its_owners_again(
        self, database: Database, shop: Shop, owner: WorkOwner
    ) -> None:
        document = await held_document(shop)
        await resume_parked(database, document.id)
        lease = await shop.claimed(document)
        async with database.transaction() as connection:
            await park(connection, lease, REASON)
        assert (await resume(database, owner, document)).id == document.id


class TestList:
    async def test_operator_sees_the_oldest_first_and_callers_the_newest(
        self, database: Database, shop: Shop, owner: WorkOwner
    ) -> None:
        older, newer = await parked_document(shop), await parked_document(shop)
        assert await listed_ids(database, owner) == [newer.id, older.id]
        page = await list_parked_page(database, PageRequest(), owner)
        assert [work.id for work in page.items] == [older.id, newer.id]

    async def test_each_kind_has_the_document_that_it_is_about(
        self, database: Database, authenticator: Authenticator
    ) -> None:
        neighbours = await create_neighbours(database, authenticator)
        rows = {
            "document": (WorkKind.DOCUMENT, neighbours.document_id, neighbours.document_id),
            "event": (WorkKind.EVENT, neighbours.event_id, neighbours.document_id),
            "supersededAttempt": (WorkKind.SUPERSEDED, neighbours.superseded_id, neighbours.document_id),
            "email": (WorkKind.EMAIL, neighbours.email_id, neighbours.document_id),
            "manifestation": (
                WorkKind.MANIFESTATION,
                neighbours.manifestation_id,
                neighbours.received_id,
            ),
            "inutilization": (WorkKind.INUTILIZATION, neighbours.range_id, None),
            "sale": (WorkKind.SALE, neighbours.sale_id, None),
            "reception": (WorkKind.RECEPTION, neighbours.reception_id, None),
        }
        for kind, work_id, _ in rows.values():
            await park_row(database, kind, work_id)
        page = await list_parked_work(database, WorkOwner(neighbours.owner), PageRequest())
        listed = {record.kind: (record.id, record.document_id) for record in page.items}
        assert listed == {name: (work_id, document_id) for name, (_, work_id, document_id) in rows.items()}
        assert await listed_ids(database, WorkOwner(neighbours.stranger)) == []
