"""A certificate that the authority does not accept in TLS is said as that wherever one looks."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.simulator.certificates import CertificateFolder
from integration.issuing.shop import KINDS, Shop
from support import CNPJ, data_of

NOT_ACCEPTED = "CERTIFICATE_NOT_ACCEPTED"
WORK_TABLES = ("documents", "event_filings", "inutilizations")


@pytest.fixture(scope="session")
def foreign_certificate(tmp_path_factory: pytest.TempPathFactory) -> A1Certificate:
    """A certificate of a simulator in another folder, whose authority is another one."""
    folder: Path = tmp_path_factory.mktemp("elsewhere")
    issued = CertificateFolder.open(folder, datetime.now(UTC)).issue(CNPJ, "LOJA LTDA", datetime.now(UTC))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
async def refused_shop(shop: Shop, foreign_certificate: A1Certificate) -> AsyncIterator[Shop]:
    """A shop whose certificate no authority accepts; what it leaves unfinished is ended."""
    await shop.certify(foreign_certificate)
    yield shop
    for table in WORK_TABLES:
        await shop.floor.fetch(
            f"update {table} set next_action_at = null where company_id = $1", UUID(shop.id)
        )


class TestRefusedCertificates:
    """With the real TLS of the simulator, which does not know the authority of the certificate."""

    @pytest.mark.parametrize("kind", KINDS)
    async def test_the_document_and_its_history_say_so_once(self, refused_shop: Shop, kind: str) -> None:
        shop = refused_shop
        document = await shop.create(kind)
        await shop.floor.until(
            f"(select attempts >= 3 from emissions where document_id = '{UUID(document['id'])}')"
        )
        read = await shop.read(document)
        answer = read["progress"]["lastAnswer"]
        assert (read["status"], answer["code"]) == ("processing", NOT_ACCEPTED)
        assert "não aceita o certificado da empresa" in answer["message"]
        told = [event for event in await shop.events(document) if event["authorityCode"]]
        assert [(event["type"], event["authorityCode"]) for event in told] == [("transmitted", NOT_ACCEPTED)]
        assert told[0]["authorityMessage"] == answer["message"]

    async def test_the_status_of_the_company_says_so(self, refused_shop: Shop) -> None:
        status = data_of(await refused_shop.get("/status"))
        assert status["ready"] is False
        assert status["certificate"]["status"] == "notAccepted"
        for one in status["types"]:
            assert (one["ready"], one["missing"]) == (False, ["certificate"])
            assert (one["authority"]["status"], one["authority"]["code"]) == ("unknown", NOT_ACCEPTED)
            assert "não aceita o certificado da empresa" in one["authority"]["message"]

    async def test_the_document_goes_on_with_a_certificate_that_is_accepted(
        self, refused_shop: Shop, certificate: A1Certificate
    ) -> None:
        document = await refused_shop.create()
        await refused_shop.floor.until(
            f"(select attempts >= 1 from emissions where document_id = '{UUID(document['id'])}')"
        )
        await refused_shop.certify(certificate)
        assert (await refused_shop.settled(document))["status"] == "authorized"
