"""Which authorities of certificates are believed, and how OpenSSL finds them."""

import ssl
import tempfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.authorities.trust import Trust, TrustUnusable, subject_hash
from carimbo.fiscal.sample_certificate import SampleAuthority

# As OpenSSL tells them: `openssl x509 -subject_hash`.
KNOWN_HASHES = {
    "4042bcee": "ISRG Root X1",
    "a2502f15": "Autoridade Certificadora Raiz Brasileira v5",
    "022b7604": "Autoridade Certificadora Raiz Brasileira v10",
    "2ef4ef6b": "Autoridade Certificadora Raiz Brasileira v11",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.rglob("*") if file.is_file()}


class TestTrust:
    def test_has_public_authorities_and_those_of_icp_brasil(self, folder: Path) -> None:
        with Trust():
            assert {f"{name}.0" for name in KNOWN_HASHES} <= names(folder)

    def test_has_each_certificate_once(self, folder: Path) -> None:
        with Trust():
            files = [file.read_text(encoding="ascii") for file in folder.rglob("*") if file.is_file()]
        assert len(files) == len(set(files)) > 300

    def test_has_the_operators_authorities_too(
        self, folder: Path, tmp_path: Path, authority: SampleAuthority
    ) -> None:
        der = authority.certificate.public_bytes(Encoding.DER)
        file = tmp_path / "operator.pem"
        file.write_text(f"# Autoridade da prefeitura\n{ssl.DER_cert_to_PEM_cert(der)}", encoding="utf-8")
        with Trust(file):
            assert f"{subject_hash(der)}.0" in names(folder)
            assert {f"{name}.0" for name in KNOWN_HASHES} <= names(folder)

    def test_can_be_written_by_nobody_else(self, folder: Path) -> None:
        with Trust():
            (made,) = folder.iterdir()
            assert made.stat().st_mode & 0o777 == 0o700

    def test_takes_its_folder_along(self, folder: Path) -> None:
        with Trust():
            assert list(folder.iterdir()) != []
        assert list(folder.iterdir()) == []


class TestOperatorsFile:
    @pytest.mark.parametrize(
        "content",
        [
            "",
            "nothing of the kind",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nnot base64!\n-----END CERTIFICATE-----\n",
        ],
        ids=["empty", "text", "damaged", "not base64"],
    )
    def test_without_certificates_is_refused(self, folder: Path, tmp_path: Path, content: str) -> None:
        file = tmp_path / "operator.pem"
        file.write_text(content, encoding="utf-8")
        with pytest.raises(TrustUnusable) as told:
            Trust(file)
        assert str(told.value) == f"O arquivo de autoridades {file} não tem certificados em PEM."
        assert list(folder.iterdir()) == []

    def test_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(TrustUnusable, match="não pode ser lido"):
            Trust(tmp_path / "nowhere.pem")
