"""A certificate that the authority does not accept is shown as the reason everywhere."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleAuthority
from integration.issuing.actions import cancel
from integration.issuing.number_ledger import inutilize_numbers
from integration.issuing.shop import Shop, accepted
from support import CNPJ, data_of
from toy.authority import Register
from toy.shop import KINDS

NOT_ACCEPTED = "CERTIFICATE_NOT_ACCEPTED"
WORK_TABLES = ("documents", "event_filings", "inutilizations")


@pytest.fixture(scope="module")
def certificate_of_no_authority(authority: SampleAuthority) -> A1Certificate:
    now = datetime.now(UTC)
    issued = authority.issue_company(CNPJ, "LOJA LTDA", now - timedelta(days=1), now + timedelta(days=9))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
def foreign_certificate(certificate_of_no_authority: A1Certificate, register: Register) -> A1Certificate:
    """A certificate that the authority of the toys does not accept."""
    register.unaccepted.add(certificate_of_no_authority.certificate_der)
    return certificate_of_no_authority


async def wait_for_refusals(shop: Shop) -> None:
    """Waits until all work in process of the company was refused for its certificate."""
    attempts = f"select answer_code from emissions where company_id = '{shop.id}' and state <> 'authorized'"
    filings = [
        f"select authority_code from {table} where company_id = '{shop.id}'" for table in WORK_TABLES[1:]
    ]
    codes = " union all ".join((attempts, *filings))
    await shop.system.until(
        f"(select bool_and(answer_code = '{NOT_ACCEPTED}') is true from ({codes}) as codes)"
    )


class TestRefusedCertificates:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_document_and_its_history_name_the_certificate_once(
        self, refused_shop: Shop, document_type: str
    ) -> None:
        shop = refused_shop
        document = await shop.create(document_type)
        await shop.system.until(
            f"(select attempts >= 3 from emissions where document_id = '{UUID(document['id'])}')"
        )
        read = await shop.read(document)
        answer = read["progress"]["lastAnswer"]
        assert (read["status"], answer["code"]) == ("processing", NOT_ACCEPTED)
        assert "não aceita o certificado da empresa" in answer["message"]
        answered = [event for event in await shop.events(document) if event["authorityCode"]]
        assert [(event["type"], event["authorityCode"]) for event in answered] == [
            ("transmitted", NOT_ACCEPTED)
        ]
        assert answered[0]["authorityMessage"] == answer["message"]

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_document_is_signed_again_whatever_the_last_answer_was(
        self, refused_shop: Shop, certificate: A1Certificate, document_type: str
    ) -> None:
        document = await refused_shop.create(document_type)
        await wait_for_refusals(refused_shop)
        async with refused_shop.system.worker_stopped():
            await refused_shop.system.fetch(
                "update emissions set state = 'sent', answer_code = null where document_id = $1",
                UUID(document["id"]),
            )
            await refused_shop.set_certificate(certificate)
        assert (await refused_shop.settled(document))["status"] == "authorized"

    @pytest.mark.usefixtures("short_wait")
    async def test_event_and_inutilization_name_the_certificate(
        self, refused_shop: Shop, certificate: A1Certificate, foreign_certificate: A1Certificate
    ) -> None:
        shop = refused_shop
        await shop.set_certificate(certificate)
        document = await shop.issue()
        await shop.set_certificate(foreign_certificate)
        event = accepted(await cancel(shop, document))["cancellation"]
        numbers = accepted(await inutilize_numbers(shop, 1, 1, series=9))
        await wait_for_refusals(shop)
        shown = (await shop.events(document))[-1]
        assert (shown["id"], shown["status"]) == (event["id"], "processing")
        numbers = data_of(await shop.get(f"/toy/inutilizations/{numbers['id']}"))
        for record in (shown, numbers):
            assert record["authorityCode"] == NOT_ACCEPTED
            assert "não aceita o certificado da empresa" in record["authorityMessage"]

    @pytest.mark.usefixtures("short_wait")
    async def test_accepted_certificate_ends_the_pause_of_all_refused_work(
        self, refused_shop: Shop, certificate: A1Certificate, foreign_certificate: A1Certificate
    ) -> None:
        shop = refused_shop
        await shop.set_certificate(certificate)
        issued = await shop.issue()
        await shop.set_certificate(foreign_certificate)
        document = await shop.create()
        accepted(await cancel(shop, issued))
        numbers = accepted(await inutilize_numbers(shop, 1, 1, series=9))
        await wait_for_refusals(shop)
        async with shop.system.worker_stopped():
            for table in WORK_TABLES:
                await shop.system.fetch(
                    f"update {table} set next_action_at = now() + interval '1 hour'"
                    f" where company_id = '{shop.id}' and next_action_at is not null"
                )
        await shop.set_certificate(certificate)
        assert (await shop.settled(document))["status"] == "authorized"
        for table in WORK_TABLES[1:]:
            await shop.system.until(
                f"(select state in ('registered', 'refused') from {table} where company_id = '{shop.id}')"
            )
        assert (await shop.read(issued))["status"] == "canceled"
        numbers = data_of(await shop.get(f"/toy/inutilizations/{numbers['id']}"))
        assert (numbers["status"], numbers["authorityCode"]) == ("authorized", "102")
