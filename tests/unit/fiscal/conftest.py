"""Fixtures for many tests of the library: signers, signed documents and the official schemas."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from golden import example_rates

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.schemas import Schemas
from support import OTHER_CNPJ
from unit.fiscal.command_files import InputFiles, lasting_pfx
from unit.fiscal.goods.support import SCHEMAS, signer_of
from unit.fiscal.point_of_sale import PointOfSale
from unit.fiscal.signed_texts import signed_document


@pytest.fixture
def cbs_of_2027() -> Iterator[None]:
    """The fictitious rate of CBS that the examples have."""
    with example_rates():
        yield


@pytest.fixture(scope="session")
def schemas() -> Schemas:
    return SCHEMAS


@pytest.fixture(scope="session")
def signer(company_certificate: SampleCertificate) -> Signer:
    return signer_of(company_certificate)


@pytest.fixture(scope="session")
def certificate(company_certificate: SampleCertificate) -> A1Certificate:
    return A1Certificate.from_bundle(company_certificate.to_pem())


@pytest.fixture(scope="session")
def lasting_a1_file(authority: SampleAuthority) -> bytes:
    return lasting_pfx(authority)


@pytest.fixture
def inputs(tmp_path: Path, lasting_a1_file: bytes) -> InputFiles:
    """A folder with the files that `python -m carimbo.fiscal` reads."""
    return InputFiles(tmp_path, lasting_a1_file)


@pytest.fixture(scope="session")
def nfe(signer: Signer) -> str:
    return signed_document(signer)


@pytest.fixture(scope="session")
def point_of_sale(signer: Signer) -> PointOfSale:
    return PointOfSale(signer)


@pytest.fixture(scope="session")
def other_companys_point_of_sale(authority: SampleAuthority) -> PointOfSale:
    now = datetime.now(UTC)
    return PointOfSale(
        signer_of(authority.issue_company(OTHER_CNPJ, "OUTRA LTDA", now, now + timedelta(days=9)))
    )
