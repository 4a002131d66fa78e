"""A certificate that the authority refuses in TLS is reported in the document and the company status."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.simulator.program.certificates import CertificateFolder
from integration.issuing.shop import BY_NUMBERING, Shop
from support import CNPJ, TIMEOUT_SECONDS, data_of

NOT_ACCEPTED = "CERTIFICATE_NOT_ACCEPTED"


@pytest.fixture(scope="session")
def foreign_certificate(tmp_path_factory: pytest.TempPathFactory) -> A1Certificate:
    """A certificate of a simulator in another folder, which has another certificate authority."""
    folder: Path = tmp_path_factory.mktemp("elsewhere")
    issued = CertificateFolder.open(folder, datetime.now(UTC)).issue(CNPJ, "LOJA LTDA", datetime.now(UTC))
    return A1Certificate.from_bundle(issued.to_pem())


async def status_from_own_requests(shop: Shop) -> dict[str, Any]:
    """Returns the status of a company once no authority's answer to another company counts for it any more.

    Answers of an authority count for all companies for some seconds, and earlier tests asked too.
    """
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            status: dict[str, Any] = data_of(await shop.get("/status"))
            if all(entry["authority"]["status"] != "available" for entry in status["types"]):
                return status
            await asyncio.sleep(0.2)


class TestRefusedCertificates:
    """Uses the real TLS of the simulator, which does not know the issuer of the certificate."""

    @pytest.mark.parametrize("document_type", BY_NUMBERING)
    async def test_document_shows_that_the_certificate_is_not_accepted(
        self, refused_shop: Shop, document_type: str
    ) -> None:
        document = await refused_shop.create(document_type)
        await refused_shop.system.until(
            f"(select attempts >= 2 from emissions where document_id = '{UUID(document['id'])}')"
        )
        read = await refused_shop.read(document)
        assert (read["status"], read["progress"]["lastAnswer"]["code"]) == ("processing", NOT_ACCEPTED)

    async def test_company_status_shows_that_the_certificate_is_not_accepted(
        self, refused_shop: Shop
    ) -> None:
        status = await status_from_own_requests(refused_shop)
        assert status["ready"] is False
        assert status["certificate"]["status"] == "notAccepted"
        for entry in status["types"]:
            assert (entry["ready"], entry["missing"]) == (False, ["certificate"])
            assert (entry["authority"]["status"], entry["authority"]["code"]) == ("unknown", NOT_ACCEPTED)
            assert "não aceita o certificado da empresa" in entry["authority"]["message"]

    async def test_document_is_issued_once_the_company_has_an_accepted_certificate(
        self, refused_shop: Shop, certificate: A1Certificate
    ) -> None:
        document = await refused_shop.create()
        await refused_shop.system.until(
            f"(select attempts >= 1 from emissions where document_id = '{UUID(document['id'])}')"
        )
        await refused_shop.set_certificate(certificate)
        assert (await refused_shop.settled(document))["status"] == "authorized"
