"""A1 files of users: modern, old, damaged, hostile and of others.

The files in tests/data were made once by `openssl pkcs12 -export -legacy` (certificates in RC2-40, key in
3DES) from a sample certificate of 11222333000181 that is valid until 2056-10-01; `a1_ber.pfx` is a 3DES one
rewritten with indefinite lengths and octet strings in pieces, as Java libraries write it.
"""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.identity.certificate import (
    MAX_FILE_BYTES,
    A1Certificate,
    OwnerKind,
    UnreadableCertificate,
    WeakKey,
    WrongPassword,
    is_expensive,
    open_a1,
)
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from support import CNPJ
from unit.fiscal.certificates.certificate_files import END, PASSWORD, START, packed, self_signed

DATA = Path(__file__).parents[3] / "data"
VERSION = bytes.fromhex("020103")
SHROUDED_KEY_BAG = bytes.fromhex("060b2a864886f70d010c0a0102")


def der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return bytes([tag, 0x82]) + len(content).to_bytes(2) + content


def with_iterations(*counts: int) -> bytes:
    """Makes a file that has nothing but salts with their iteration counts."""
    return der(0x30, VERSION, *[der(0x30, der(4, b"saltsalt"), der(2, n.to_bytes(4))) for n in counts])


class TestOpenFile:
    def test_modern_file_gives_owner_validity_and_key(
        self, opened: A1Certificate, company: SampleCertificate, key: rsa.RSAPrivateKey
    ) -> None:
        assert (opened.owner, opened.owner_kind) == (CNPJ, OwnerKind.CNPJ)
        assert opened.subject_name == "PADARIA SÃO JOÃO LTDA"
        assert (opened.not_before, opened.not_after) == (START, END)
        assert opened.serial_number == company.certificate.serial_number
        assert opened.fingerprint == company.certificate.fingerprint(hashes.SHA256()).hex()
        assert opened.certificate_pem == company.certificate.public_bytes(Encoding.PEM)
        assert opened.chain == (company.authority_certificate.public_bytes(Encoding.DER),)
        assert opened.private_key.private_numbers() == key.private_numbers()

    def test_key_signs_with_sha1_as_the_authorities_require(
        self, opened: A1Certificate, key: rsa.RSAPrivateKey
    ) -> None:
        signature = opened.private_key.sign(b"text", padding.PKCS1v15(), hashes.SHA1())
        key.public_key().verify(signature, b"text", padding.PKCS1v15(), hashes.SHA1())

    def test_file_with_3des_is_accepted(self, company: SampleCertificate) -> None:
        assert open_a1(company.to_pfx(PASSWORD, legacy=True), PASSWORD).owner == CNPJ

    def test_file_with_rc2_40_is_accepted(self) -> None:
        opened = open_a1((DATA / "a1_rc2_40.pfx").read_bytes(), PASSWORD)
        assert (opened.owner, len(opened.chain)) == (CNPJ, 1)

    def test_file_with_rc2_40_is_unsupported_where_openssl_lacks_the_cipher(self) -> None:
        script = (
            "import sys; from carimbo.fiscal.identity.certificate import UnsupportedCipher, open_a1\n"
            "try: open_a1(open(sys.argv[1], 'rb').read(), sys.argv[2])\n"
            "except UnsupportedCipher: sys.exit(42)"
        )
        environment = os.environ | {"CRYPTOGRAPHY_OPENSSL_NO_LEGACY": "1"}
        command = [sys.executable, "-c", script, str(DATA / "a1_rc2_40.pfx"), PASSWORD]
        assert subprocess.run(command, env=environment, check=False).returncode == 42

    def test_ber_with_indefinite_lengths_is_accepted(self) -> None:
        opened = open_a1((DATA / "a1_ber.pfx").read_bytes(), PASSWORD)
        assert (opened.owner, len(opened.chain)) == (CNPJ, 1)

    def test_bytes_after_the_end_are_ignored(self, pfx: bytes) -> None:
        assert open_a1(pfx + b"\r\n", PASSWORD).owner == CNPJ

    def test_certificate_of_the_key_is_found_among_several(
        self, authority: SampleAuthority, key: rsa.RSAPrivateKey
    ) -> None:
        mine = self_signed(key, f"MINHA:{CNPJ}")
        file = packed(key, None, [authority.certificate, mine])
        opened = open_a1(file, PASSWORD)
        assert opened.owner == CNPJ
        assert opened.chain == (authority.certificate.public_bytes(Encoding.DER),)

    def test_latest_of_two_certificates_of_the_key_is_used(self, key: rsa.RSAPrivateKey) -> None:
        old = self_signed(key, f"ANTIGA:{CNPJ}")
        renewed = self_signed(key, f"NOVA:{CNPJ}", end=END + timedelta(days=365))
        assert open_a1(packed(key, old, [renewed]), PASSWORD).subject_name == "NOVA"


class TestPassword:
    def test_wrong_password_is_distinguished_from_a_damaged_file(self, pfx: bytes) -> None:
        with pytest.raises(WrongPassword):
            open_a1(pfx, "errada")

    @pytest.mark.parametrize("legacy", [False, True])
    def test_password_with_accents_is_accepted(self, company: SampleCertificate, legacy: bool) -> None:
        assert open_a1(company.to_pfx("coração€", legacy=legacy), "coração€").owner == CNPJ

    def test_password_with_accents_is_accepted_in_files_of_old_openssl(
        self, company: SampleCertificate
    ) -> None:
        misread = "coração".encode().decode("latin-1")
        assert open_a1(company.to_pfx(misread, legacy=True), "coração").owner == CNPJ

    def test_empty_password_opens_an_encrypted_file_that_has_it(self) -> None:
        assert open_a1((DATA / "a1_empty_password.pfx").read_bytes(), "").owner == CNPJ

    def test_empty_password_opens_an_unencrypted_file(self, company: SampleCertificate) -> None:
        assert open_a1(company.to_pfx(""), "").owner == CNPJ

    @pytest.mark.parametrize("password", ["", "segredo\0", "\ud800", "x" * 10_000])
    def test_odd_passwords_are_reported_as_wrong(self, pfx: bytes, password: str) -> None:
        with pytest.raises(WrongPassword):
            open_a1(pfx, password)

    def test_wrong_password_of_an_rc2_40_file_is_reported(self) -> None:
        with pytest.raises(WrongPassword):
            open_a1((DATA / "a1_rc2_40.pfx").read_bytes(), "errada")


class TestUnreadableFile:
    def test_file_cut_anywhere_is_unreadable(self, pfx: bytes) -> None:
        for size in range(0, len(pfx), 7):
            with pytest.raises(UnreadableCertificate):
                open_a1(pfx[:size], PASSWORD)

    @pytest.mark.parametrize(
        "content",
        [b"", b"0", b"0\x80", b"\x30\x00", b"not a certificate", bytes(range(256)) * 8, b"\x30\x80" * 1000],
        ids=["empty", "one byte", "open", "hollow", "text", "garbage", "deep"],
    )
    def test_garbage_is_unreadable(self, content: bytes) -> None:
        with pytest.raises(UnreadableCertificate):
            open_a1(content, PASSWORD)

    @pytest.mark.parametrize("encoding", [Encoding.PEM, Encoding.DER])
    def test_bare_certificate_is_unreadable(self, company: SampleCertificate, encoding: Encoding) -> None:
        with pytest.raises(UnreadableCertificate):
            open_a1(company.certificate.public_bytes(encoding), PASSWORD)

    def test_file_without_contents_is_unreadable(self) -> None:
        with pytest.raises(UnreadableCertificate):
            open_a1(bytes.fromhex("3003020103"), PASSWORD)

    def test_file_without_key_is_unreadable(self, company: SampleCertificate) -> None:
        with pytest.raises(UnreadableCertificate, match="chave privada"):
            open_a1(packed(None, None, [company.certificate]), PASSWORD)

    def test_file_without_the_certificate_of_its_key_is_unreadable(
        self, key: rsa.RSAPrivateKey, authority: SampleAuthority
    ) -> None:
        with pytest.raises(UnreadableCertificate, match="certificado válido"):
            open_a1(packed(key, None, [authority.certificate]), PASSWORD)

    def test_huge_file_is_refused_unread(self, pfx: bytes) -> None:
        with pytest.raises(UnreadableCertificate):
            open_a1(pfx + bytes(MAX_FILE_BYTES), PASSWORD)

    @pytest.mark.parametrize("levels", [14, 40, 3000])
    def test_deeply_nested_octet_strings_are_unreadable(self, levels: int) -> None:
        content = b""
        for _ in range(levels):
            content = der(0x24, der(0x24, der(0x04, content)))
        with pytest.raises(UnreadableCertificate):
            open_a1(der(0x30, VERSION, content), PASSWORD)

    def test_file_of_very_many_elements_is_unreadable(self) -> None:
        with pytest.raises(UnreadableCertificate):
            open_a1(der(0x30, VERSION, der(0x04, der(0x30, b"\x30\x00" * 30_000))), PASSWORD)

    def test_absurd_iteration_count_is_refused_untried(self) -> None:
        parameters = der(0x30, der(0x04, b"saltsalt"), der(0x02, (2**31 - 1).to_bytes(4)))
        with pytest.raises(UnreadableCertificate, match="lento demais de decifrar"):
            open_a1(der(0x30, VERSION, der(0x04, der(0x30, parameters))), PASSWORD)

    def test_many_iteration_counts_are_added_up(self) -> None:
        with pytest.raises(UnreadableCertificate, match="de novo com as opções padrão"):
            open_a1(with_iterations(*[600_000] * 4), PASSWORD)

    def test_iteration_counts_of_firefox_are_allowed(self) -> None:
        with pytest.raises(UnreadableCertificate, match="corrompido"):
            open_a1(with_iterations(*[600_000] * 3), PASSWORD)

    def test_oversized_key_is_refused_untried(self) -> None:
        with pytest.raises(UnreadableCertificate, match="lento demais de decifrar"):
            open_a1(der(0x30, VERSION, der(0x30, SHROUDED_KEY_BAG, der(0xA0, bytes(4000)))), PASSWORD)


class TestIsExpensive:
    def test_files_written_by_real_software_are_not_expensive(self, company: SampleCertificate) -> None:
        files = [company.to_pfx(PASSWORD), company.to_pfx(PASSWORD, legacy=True)]
        files += [path.read_bytes() for path in sorted(DATA.glob("*.pfx"))]
        assert not any(map(is_expensive, files))

    def test_iterations_of_java_before_16_are_not_expensive(self) -> None:
        assert not is_expensive(with_iterations(50_000, 50_000, 100_000))

    def test_iterations_of_firefox_are_expensive(self) -> None:
        assert is_expensive(with_iterations(600_000))

    def test_key_of_4096_bits_is_expensive(self) -> None:
        assert is_expensive(der(0x30, VERSION, der(0x30, SHROUDED_KEY_BAG, der(0xA0, bytes(2400)))))

    def test_file_that_is_no_certificate_is_not_expensive(self) -> None:
        assert not is_expensive(b"no certificate")


class TestWeakKey:
    def test_rsa_below_2048_bits_is_refused(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=1024)
        with pytest.raises(WeakKey, match="1024 bits"):
            open_a1(packed(key, self_signed(key, f"FRACA:{CNPJ}")), PASSWORD)

    def test_key_that_is_not_rsa_is_refused(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        with pytest.raises(WeakKey, match="RSA"):
            open_a1(packed(key, self_signed(key, f"CURVA:{CNPJ}")), PASSWORD)
