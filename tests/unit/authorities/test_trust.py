"""Which certificate authorities are trusted, and how OpenSSL finds them."""

import ssl
import tempfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.authorities.tls import CaFileUnusable, TrustStore, subject_hash
from carimbo.fiscal.sample_certificate import SampleAuthority

# As printed by `openssl x509 -subject_hash`.
KNOWN_HASHES = {
    "4042bcee": "ISRG Root X1",
    "a2502f15": "Autoridade Certificadora Raiz Brasileira v5",
    "022b7604": "Autoridade Certificadora Raiz Brasileira v10",
    "2ef4ef6b": "Autoridade Certificadora Raiz Brasileira v11",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the folder in which temporary folders are created."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return temporary


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.rglob("*") if file.is_file()}


class TestTrust:
    def test_trust_has_public_authorities_and_those_of_icp_brasil(self, folder: Path) -> None:
        with TrustStore():
            assert {f"{name}.0" for name in KNOWN_HASHES} <= names(folder)

    def test_trust_has_each_certificate_once(self, folder: Path) -> None:
        with TrustStore():
            files = [file.read_text(encoding="ascii") for file in folder.rglob("*") if file.is_file()]
        assert len(files) == len(set(files)) > 300

    def test_trust_has_the_operators_authorities_too(
        self, folder: Path, tmp_path: Path, authority: SampleAuthority
    ) -> None:
        der = authority.certificate.public_bytes(Encoding.DER)
        file = tmp_path / "operator.pem"
        file.write_text(f"# Autoridade da prefeitura\n{ssl.DER_cert_to_PEM_cert(der)}", encoding="utf-8")
        with TrustStore(file):
            assert f"{subject_hash(der)}.0" in names(folder)
            assert {f"{name}.0" for name in KNOWN_HASHES} <= names(folder)

    def test_trust_folder_is_writable_by_its_owner_only(self, folder: Path) -> None:
        with TrustStore():
            (trust_folder,) = folder.iterdir()
            assert trust_folder.stat().st_mode & 0o777 == 0o700

    def test_trust_removes_its_folder_when_it_ends(self, folder: Path) -> None:
        with TrustStore():
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
    def test_operators_file_without_certificates_is_refused(
        self, folder: Path, tmp_path: Path, content: str
    ) -> None:
        file = tmp_path / "operator.pem"
        file.write_text(content, encoding="utf-8")
        with pytest.raises(CaFileUnusable) as raised:
            TrustStore(file)
        assert str(raised.value) == f"O arquivo de autoridades {file} não tem certificados em PEM."
        assert list(folder.iterdir()) == []

    def test_missing_operators_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(CaFileUnusable, match="não pode ser lido"):
            TrustStore(tmp_path / "nowhere.pem")
