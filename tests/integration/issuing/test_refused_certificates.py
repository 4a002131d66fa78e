"""A certificate that the authority does not accept in TLS is said as that wherever one looks."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.simulator.certificates import CertificateFolder
from integration.issuing.shop import BY_NUMBERING, Shop
from support import CNPJ, data_of

NOT_ACCEPTED = "CERTIFICATE_NOT_ACCEPTED"


@pytest.fixture(scope="session")
def foreign_certificate(tmp_path_factory: pytest.TempPathFactory) -> A1Certificate:
    """A certificate of a simulator in another folder, whose authority is another one."""
    folder: Path = tmp_path_factory.mktemp("elsewhere")
    issued = CertificateFolder.open(folder, datetime.now(UTC)).issue(CNPJ, "LOJA LTDA", datetime.now(UTC))
    return A1Certificate.from_bundle(issued.to_pem())


class TestRefusedCertificates:
    """With the real TLS of the simulator, which does not know the authority of the certificate."""

    @pytest.mark.parametrize("kind", BY_NUMBERING)
    async def test_the_document_says_so(self, refused_shop: Shop, kind: str) -> None:
        document = await refused_shop.create(kind)
        await refused_shop.floor.until(
            f"(select attempts >= 2 from emissions where document_id = '{UUID(document['id'])}')"
        )
        read = await refused_shop.read(document)
        assert (read["status"], read["progress"]["lastAnswer"]["code"]) == ("processing", NOT_ACCEPTED)

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
