"""The simulator's folder of certificates: what it makes, keeps, renews, and what it issues."""

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
from carimbo.fiscal.certificate import open_a1
from carimbo.simulator.certificates import CertificateFolder, CertificateProblem
from carimbo.simulator.trust import Credential, Flaw
from support import CNPJ, OTHER_CNPJ

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
CPF = "52998224725"
PRIVATE = ("authority.pem", "outside.pem", "unlisted.pem", "server.pem")
FLAWS = [flaw for flaw in Flaw if flaw is not Flaw.NO_REVOCATION_LIST]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the first opening leaves it."""
    folder = tmp_path_factory.mktemp("made")
    CertificateFolder.open(folder, NOW)
    return folder


@pytest.fixture(scope="module", autouse=True)
def one_new_key(made: Path) -> Iterator[None]:
    """Lets all that is made after that folder have one new RSA key: each takes tenths of a second."""
    key = sample_certificate.new_key()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample_certificate, "new_key", lambda: key)
        yield


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to spoil."""
    return shutil.copytree(made, tmp_path / "folder")


@pytest.fixture(scope="module")
def certificates(made: Path, tmp_path_factory: pytest.TempPathFactory) -> CertificateFolder:
    copy = shutil.copytree(made, tmp_path_factory.mktemp("used"), dirs_exist_ok=True)
    return CertificateFolder.open(copy, NOW)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def server_in(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "server.pem").read_bytes())


def names_of(certificate: x509.Certificate) -> set[str]:
    told = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = map(str, told.get_values_for_type(x509.IPAddress))
    return {*told.get_values_for_type(x509.DNSName), *addresses}


class TestOpen:
    def test_what_is_private_is_for_its_owner_only(self, made: Path) -> None:
        assert {(made / name).stat().st_mode & 0o777 for name in PRIVATE} == {0o600}

    def test_what_clients_trust_has_no_key(self, certificates: CertificateFolder) -> None:
        assert b"PRIVATE" not in certificates.ca_file.read_bytes()

    def test_makes_folders_on_the_way(self, made: Path, tmp_path: Path) -> None:
        shutil.copytree(made, tmp_path / "a" / "b")
        assert CertificateFolder.open(tmp_path / "a" / "b", NOW).ca_file.exists()

    def test_again_changes_nothing(self, folder: Path) -> None:
        before = contents(folder)
        CertificateFolder.open(folder, NOW)
        assert contents(folder) == before

    def test_the_server_is_known_by_the_names_of_this_machine(self, made: Path) -> None:
        assert names_of(server_in(made)) == {"localhost", "127.0.0.1", "::1"}

    def test_another_name_of_the_server_makes_another_certificate(self, folder: Path) -> None:
        CertificateFolder.open(folder, NOW, ["simulador", "10.0.0.7"])
        assert names_of(server_in(folder)) >= {"localhost", "simulador", "10.0.0.7"}

    def test_a_name_that_cannot_be_is_told(self, folder: Path) -> None:
        with pytest.raises(CertificateProblem, match="«são-paulo»"):
            CertificateFolder.open(folder, NOW, ["são-paulo"])

    @pytest.mark.parametrize(("days", "is_renewed"), [(300, False), (380, True), (500, True)])
    def test_a_server_certificate_about_to_end_is_renewed(
        self, folder: Path, days: int, is_renewed: bool
    ) -> None:
        before = server_in(folder)
        CertificateFolder.open(folder, NOW + timedelta(days=days))
        assert (server_in(folder) != before) is is_renewed

    @pytest.mark.parametrize("content", [b"", b"garbage"])
    def test_a_damaged_server_certificate_is_made_anew(self, folder: Path, content: bytes) -> None:
        (folder / "server.pem").write_bytes(content)
        CertificateFolder.open(folder, NOW)
        assert "localhost" in names_of(server_in(folder))

    def test_a_server_certificate_without_its_key_is_made_anew(self, folder: Path) -> None:
        server = folder / "server.pem"
        server.write_bytes(server_in(folder).public_bytes(Encoding.PEM))
        CertificateFolder.open(folder, NOW)
        assert b"PRIVATE KEY" in server.read_bytes()

    def test_a_new_authority_gets_a_new_server_and_is_shown_to_clients(self, folder: Path) -> None:
        (folder / "authority.pem").unlink()
        CertificateFolder.open(folder, NOW)
        shown = x509.load_pem_x509_certificate((folder / "ca.pem").read_bytes())
        server_in(folder).verify_directly_issued_by(shown)

    @pytest.mark.parametrize("content", [b"", b"garbage"])
    def test_a_damaged_authority_is_told(self, folder: Path, content: bytes) -> None:
        (folder / "authority.pem").write_bytes(content)
        with pytest.raises(CertificateProblem, match=r"authority\.pem está danificado"):
            CertificateFolder.open(folder, NOW)

    def test_a_folder_that_is_none_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(CertificateProblem, match="Não foi possível usar a pasta"):
            CertificateFolder.open(tmp_path / "file", NOW)

    def test_by_two_at_once_makes_one_authority(self, folder: Path) -> None:
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
    def test_for_a_taxpayer_without_flaw(
        self, certificates: CertificateFolder, written: str, owner: str
    ) -> None:
        issued = Credential.of(certificates.issue(written, "LOJA MODELO LTDA", NOW).certificate)
        assert issued.owner == owner
        assert certificates.trust().flaws_of(issued, NOW) == frozenset()
        assert issued.end == NOW + timedelta(days=365)

    @pytest.mark.parametrize("days", [1, 7])
    def test_that_ends_soon_is_good_until_then(self, certificates: CertificateFolder, days: int) -> None:
        issued = Credential.of(certificates.issue(CNPJ, "LOJA MODELO LTDA", NOW, days_left=days).certificate)
        assert certificates.trust().flaws_of(issued, NOW) == frozenset()
        assert issued.end == NOW + timedelta(days=days)
        assert issued.end - issued.begin == timedelta(days=366)

    @pytest.mark.parametrize("flaw", FLAWS)
    @pytest.mark.parametrize("tax_id", [CNPJ, CPF])
    def test_with_a_flaw_has_that_one_alone(
        self, certificates: CertificateFolder, tax_id: str, flaw: Flaw
    ) -> None:
        issued = Credential.of(certificates.issue(tax_id, "LOJA MODELO LTDA", NOW, flaw).certificate)
        assert certificates.trust().flaws_of(issued, NOW) == {flaw}

    def test_the_name_stands_in_the_certificate(self, certificates: CertificateFolder) -> None:
        issued = certificates.issue(CNPJ, "Padaria do Zé", NOW).certificate
        (name,) = issued.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        assert name.value == f"Padaria do Zé:{CNPJ}"

    def test_opens_as_an_a1_file(self, certificates: CertificateFolder) -> None:
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
    def test_a_tax_id_that_is_none_is_told(self, certificates: CertificateFolder, wrong: str) -> None:
        with pytest.raises(CertificateProblem, match=f"«{wrong}» não é um CNPJ nem um CPF"):
            certificates.issue(wrong, "LOJA", NOW)


class TestTrust:
    def test_what_another_process_revokes_is_revoked_here(self, folder: Path) -> None:
        here, there = CertificateFolder.open(folder, NOW), CertificateFolder.open(folder, NOW)
        assert here.trust().revoked == frozenset()
        serials = {there.issue(CNPJ, "X", NOW, Flaw.REVOKED).certificate.serial_number for _ in range(2)}
        assert here.trust().revoked == serials

    def test_a_list_that_somebody_took_away_is_empty(self, folder: Path) -> None:
        certificates = CertificateFolder.open(folder, NOW)
        (folder / "revoked.txt").unlink()
        assert certificates.trust().revoked == frozenset()

    def test_is_the_same_while_nothing_changes(self, certificates: CertificateFolder) -> None:
        assert certificates.trust() is certificates.trust()

    def test_lines_that_are_no_serial_number_say_nothing(self, folder: Path) -> None:
        (folder / "revoked.txt").write_bytes(b"0A1f\n\n# a note\n  ff  \nxyz\n\xff\n")
        assert CertificateFolder.open(folder, NOW).trust().revoked == {0x0A1F, 0xFF}
