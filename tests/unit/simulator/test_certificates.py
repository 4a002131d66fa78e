"""The simulator's certificate folder: creation, renewal, and issued certificates."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from carimbo.fiscal import sample_certificate
from carimbo.fiscal.identity.certificate import open_a1
from carimbo.simulator.program.certificates import CertificateFolder, CertificateProblem
from carimbo.simulator.trust import CertificateFlaw, JudgedCertificate
from support import CNPJ, OTHER_CNPJ

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
CPF = "52998224725"
PRIVATE = ("authority.pem", "outside.pem", "unlisted.pem", "server.pem")
FLAWS = [flaw for flaw in CertificateFlaw if flaw is not CertificateFlaw.NO_REVOCATION_LIST]


@pytest.fixture(scope="module")
def initial_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder after it was opened for the first time."""
    folder = tmp_path_factory.mktemp("made")
    CertificateFolder.open(folder, NOW)
    return folder


@pytest.fixture(scope="module", autouse=True)
def shared_new_key(initial_folder: Path) -> Iterator[None]:
    """Uses one RSA key for everything that is made later: generating one takes tenths of a second."""
    key = sample_certificate.new_key()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample_certificate, "new_key", lambda: key)
        yield


@pytest.fixture
def folder(initial_folder: Path, tmp_path: Path) -> Path:
    """A copy of the initial folder that may be damaged."""
    return shutil.copytree(initial_folder, tmp_path / "folder")


@pytest.fixture(scope="module")
def certificates(initial_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> CertificateFolder:
    copy = shutil.copytree(initial_folder, tmp_path_factory.mktemp("used"), dirs_exist_ok=True)
    return CertificateFolder.open(copy, NOW)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def server_in(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "server.pem").read_bytes())


def names_of(certificate: x509.Certificate) -> set[str]:
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = map(str, names.get_values_for_type(x509.IPAddress))
    return {*names.get_values_for_type(x509.DNSName), *addresses}


class TestOpen:
    def test_private_files_are_readable_only_by_their_owner(self, initial_folder: Path) -> None:
        assert {(initial_folder / name).stat().st_mode & 0o777 for name in PRIVATE} == {0o600}

    def test_ca_file_for_clients_has_no_private_key(self, certificates: CertificateFolder) -> None:
        assert b"PRIVATE" not in certificates.ca_file.read_bytes()

    def test_parent_folders_are_created(self, initial_folder: Path, tmp_path: Path) -> None:
        shutil.copytree(initial_folder, tmp_path / "a" / "b")
        assert CertificateFolder.open(tmp_path / "a" / "b", NOW).ca_file.exists()

    def test_opening_again_changes_nothing(self, folder: Path) -> None:
        before = contents(folder)
        CertificateFolder.open(folder, NOW)
        assert contents(folder) == before

    def test_server_certificate_has_the_local_names(self, initial_folder: Path) -> None:
        assert names_of(server_in(initial_folder)) == {"localhost", "127.0.0.1", "::1"}

    def test_another_server_name_makes_a_new_certificate(self, folder: Path) -> None:
        CertificateFolder.open(folder, NOW, ["simulador", "10.0.0.7"])
        assert names_of(server_in(folder)) >= {"localhost", "simulador", "10.0.0.7"}

    def test_impossible_server_name_is_reported(self, folder: Path) -> None:
        with pytest.raises(CertificateProblem, match="«são-paulo»"):
            CertificateFolder.open(folder, NOW, ["são-paulo"])

    @pytest.mark.parametrize(("days", "is_renewed"), [(300, False), (380, True), (500, True)])
    def test_expiring_server_certificate_is_renewed(self, folder: Path, days: int, is_renewed: bool) -> None:
        before = server_in(folder)
        CertificateFolder.open(folder, NOW + timedelta(days=days))
        assert (server_in(folder) != before) is is_renewed

    @pytest.mark.parametrize("content", [b"", b"garbage"])
    def test_damaged_server_certificate_is_replaced(self, folder: Path, content: bytes) -> None:
        (folder / "server.pem").write_bytes(content)
        CertificateFolder.open(folder, NOW)
        assert "localhost" in names_of(server_in(folder))

    def test_server_certificate_without_its_key_is_replaced(self, folder: Path) -> None:
        server = folder / "server.pem"
        server.write_bytes(server_in(folder).public_bytes(Encoding.PEM))
        CertificateFolder.open(folder, NOW)
        assert b"PRIVATE KEY" in server.read_bytes()

    def test_new_authority_gets_a_new_server_certificate_and_is_shown_to_clients(self, folder: Path) -> None:
        (folder / "authority.pem").unlink()
        CertificateFolder.open(folder, NOW)
        shown = x509.load_pem_x509_certificate((folder / "ca.pem").read_bytes())
        server_in(folder).verify_directly_issued_by(shown)

    @pytest.mark.parametrize("content", [b"", b"garbage"])
    def test_damaged_authority_is_reported(self, folder: Path, content: bytes) -> None:
        (folder / "authority.pem").write_bytes(content)
        with pytest.raises(CertificateProblem, match=r"authority\.pem está danificado"):
            CertificateFolder.open(folder, NOW)

    def test_unusable_folder_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(CertificateProblem, match="Não foi possível usar a pasta"):
            CertificateFolder.open(tmp_path / "file", NOW)

    def test_opening_twice_at_once_makes_one_authority(self, folder: Path) -> None:
        for name in PRIVATE:
            (folder / name).unlink()
        with ThreadPoolExecutor(2) as threads:
            first, second = threads.map(lambda _: CertificateFolder.open(folder, NOW), range(2))
        assert first.client_authorities == second.client_authorities


class TestIssue:
    @pytest.mark.parametrize(
        ("written", "owner"),
        [(CNPJ, CNPJ), ("11.222.333/0001-81", CNPJ), (OTHER_CNPJ, OTHER_CNPJ), ("529.982.247-25", CPF)],
    )
    def test_certificate_without_flaw_is_trusted(
        self, certificates: CertificateFolder, written: str, owner: str
    ) -> None:
        issued = JudgedCertificate.of(certificates.issue(written, "LOJA MODELO LTDA", NOW).certificate)
        assert issued.owner == owner
        assert certificates.trust().flaws_of(issued, NOW) == frozenset()
        assert issued.end == NOW + timedelta(days=365)

    @pytest.mark.parametrize("days", [1, 7])
    def test_certificate_that_ends_soon_is_valid_until_then(
        self, certificates: CertificateFolder, days: int
    ) -> None:
        issued = JudgedCertificate.of(
            certificates.issue(CNPJ, "LOJA MODELO LTDA", NOW, days_left=days).certificate
        )
        assert certificates.trust().flaws_of(issued, NOW) == frozenset()
        assert issued.end == NOW + timedelta(days=days)
        assert issued.end - issued.begin == timedelta(days=366)

    @pytest.mark.parametrize("flaw", FLAWS)
    @pytest.mark.parametrize("tax_id", [CNPJ, CPF])
    def test_certificate_with_a_flaw_has_only_that_flaw(
        self, certificates: CertificateFolder, tax_id: str, flaw: CertificateFlaw
    ) -> None:
        issued = JudgedCertificate.of(certificates.issue(tax_id, "LOJA MODELO LTDA", NOW, flaw).certificate)
        assert certificates.trust().flaws_of(issued, NOW) == {flaw}

    def test_certificate_contains_the_name(self, certificates: CertificateFolder) -> None:
        issued = certificates.issue(CNPJ, "Padaria do Zé", NOW).certificate
        (name,) = issued.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        assert name.value == f"Padaria do Zé:{CNPJ}"

    def test_certificate_opens_as_an_a1_file(self, certificates: CertificateFolder) -> None:
        pfx = certificates.issue(CNPJ, "LOJA", NOW).to_pfx("senha")
        assert open_a1(pfx, "senha").owner == CNPJ

    @pytest.mark.parametrize(
        "wrong",
        [
            "",
            "1",
            "0" * 11,
            "0" * 14,
            "11222333000180",
            "11222333000191",
            "52998224724",
            "52998224715",
            "12ABC34501DE36",
            "12ABC34501DE25",
            "12ABC34501DEÉÉ",
            "１１222333000181",
        ],
    )
    def test_invalid_tax_id_is_reported(self, certificates: CertificateFolder, wrong: str) -> None:
        with pytest.raises(CertificateProblem, match=f"«{wrong}» não é um CNPJ nem um CPF"):
            certificates.issue(wrong, "LOJA", NOW)


class TestTrust:
    def test_certificate_revoked_by_another_process_is_revoked(self, folder: Path) -> None:
        here, there = CertificateFolder.open(folder, NOW), CertificateFolder.open(folder, NOW)
        assert here.trust().revoked == frozenset()
        serials = {
            there.issue(CNPJ, "X", NOW, CertificateFlaw.REVOKED).certificate.serial_number for _ in range(2)
        }
        assert here.trust().revoked == serials

    def test_deleted_revocation_list_is_empty(self, folder: Path) -> None:
        certificates = CertificateFolder.open(folder, NOW)
        (folder / "revoked.txt").unlink()
        assert certificates.trust().revoked == frozenset()

    def test_trust_is_the_same_object_while_nothing_changes(self, certificates: CertificateFolder) -> None:
        assert certificates.trust() is certificates.trust()

    def test_invalid_lines_of_the_revocation_list_are_ignored(self, folder: Path) -> None:
        (folder / "revoked.txt").write_bytes(b"0A1f\n\n# a note\n  ff  \nxyz\n\xff\n")
        assert CertificateFolder.open(folder, NOW).trust().revoked == {0x0A1F, 0xFF}
