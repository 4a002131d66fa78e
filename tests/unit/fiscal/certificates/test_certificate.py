"""The facts of an A1 certificate: its owner, its validity, and its stored form."""

from datetime import timedelta
from ssl import DER_cert_to_PEM_cert

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from carimbo.fiscal.identity.certificate import (
    A1Certificate,
    OwnerKind,
    UnreadableCertificate,
    open_a1,
    owner_of,
)
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.certificates.certificate_files import END, PASSWORD, START, self_signed

CPF = "52998224725"


def read(key: rsa.RSAPrivateKey, certificate: x509.Certificate) -> A1Certificate:
    """Reads a certificate and its key; not from an A1 file, which is slow to open."""
    return A1Certificate.from_bundle(SampleCertificate(certificate, certificate, key).to_pem())


def owner_read(key: rsa.RSAPrivateKey, certificate: x509.Certificate) -> tuple[str | None, OwnerKind]:
    opened = read(key, certificate)
    return opened.owner, opened.owner_kind


class TestOwner:
    # OCTET STRING, UTF8String, PrintableString and IA5String: certificate authorities use them all.
    @pytest.mark.parametrize("tag", [0x04, 0x0C, 0x13, 0x16])
    def test_cnpj_is_read_from_any_type_of_string(self, key: rsa.RSAPrivateKey, tag: int) -> None:
        names = [x509.OtherName(x509.ObjectIdentifier("2.16.76.1.3.3"), bytes([tag, 14]) + CNPJ.encode())]
        assert owner_read(key, self_signed(key, "EMPRESA", other_names=names)) == (CNPJ, OwnerKind.CNPJ)

    def test_cnpj_with_letters_is_kept_in_capitals(
        self, authority: SampleAuthority, key: rsa.RSAPrivateKey
    ) -> None:
        issued = authority.issue_company(OTHER_CNPJ, "LETRAS LTDA", START, END, private_key=key)
        opened = A1Certificate.from_bundle(issued.to_pem())
        assert (opened.owner, opened.subject_name) == (OTHER_CNPJ, "LETRAS LTDA")

    def test_person_is_the_owner_of_an_e_cpf(
        self, authority: SampleAuthority, key: rsa.RSAPrivateKey
    ) -> None:
        opened = open_a1(
            authority.issue_person(CPF, "MARIA", START, END, private_key=key).to_pfx(PASSWORD), PASSWORD
        )
        assert (opened.owner, opened.owner_kind, opened.subject_name) == (CPF, OwnerKind.CPF, "MARIA")

    @pytest.mark.parametrize(
        ("suffix", "owner"),
        [
            (CNPJ, (CNPJ, OwnerKind.CNPJ)),
            (OTHER_CNPJ, (OTHER_CNPJ, OwnerKind.CNPJ)),
            (CPF, (CPF, OwnerKind.CPF)),
        ],
    )
    def test_owner_comes_from_the_common_name_where_there_is_no_other_name(
        self, key: rsa.RSAPrivateKey, suffix: str, owner: tuple[str, OwnerKind]
    ) -> None:
        assert owner_read(key, self_signed(key, f"FULANO:{suffix}")) == owner

    def test_owner_comes_from_the_serial_number_attribute_last(self, key: rsa.RSAPrivateKey) -> None:
        certificate = self_signed(key, "EMPRESA", serial_number="11.222.333/0001-81")
        assert owner_read(key, certificate) == (CNPJ, OwnerKind.CNPJ)

    @pytest.mark.parametrize("name", ["EMPRESA", "DOIS: PONTOS", "EMPRESA:11222333000180"])
    def test_name_without_tax_id_is_kept_whole_and_has_no_owner(
        self, key: rsa.RSAPrivateKey, name: str
    ) -> None:
        opened = read(key, self_signed(key, name))
        assert (opened.owner, opened.owner_kind, opened.subject_name) == (None, OwnerKind.UNKNOWN, name)


class TestOwnerOf:
    def test_owner_is_read_from_the_certificate_alone(self, company: SampleCertificate) -> None:
        der = company.certificate.public_bytes(Encoding.DER)
        assert owner_of(der) == (CNPJ, OwnerKind.CNPJ)

    @pytest.mark.parametrize("der", [b"", b"\x30\x00", b"certificado"])
    def test_bytes_that_are_no_certificate_are_refused(self, der: bytes) -> None:
        with pytest.raises(UnreadableCertificate):
            owner_of(der)


class TestBelongsToBase:
    def test_branch_has_the_same_base(self, opened: A1Certificate) -> None:
        assert opened.belongs_to_base("11.222.333/0002-62")

    def test_certificate_does_not_belong_to_the_base_of_another_company(self, opened: A1Certificate) -> None:
        assert not opened.belongs_to_base(OTHER_CNPJ)

    def test_person_has_no_base(self, authority: SampleAuthority, key: rsa.RSAPrivateKey) -> None:
        issued = authority.issue_person(CPF, "MARIA", START, END, private_key=key)
        assert not A1Certificate.from_bundle(issued.to_pem()).belongs_to_base(CPF)


class TestIsValidAt:
    def test_certificate_is_valid_at_both_ends(self, opened: A1Certificate) -> None:
        assert opened.is_valid_at(START)
        assert opened.is_valid_at(END)

    def test_certificate_is_not_valid_before_or_after(self, opened: A1Certificate) -> None:
        assert not opened.is_valid_at(START - timedelta(seconds=1))
        assert not opened.is_valid_at(END + timedelta(seconds=1))


class TestBundle:
    def test_bundle_gives_back_the_same_certificate_and_key(self, opened: A1Certificate) -> None:
        restored = A1Certificate.from_bundle(opened.to_bundle())
        assert restored == opened
        assert restored.private_key.private_numbers() == opened.private_key.private_numbers()

    def test_damaged_bundle_is_refused(self, opened: A1Certificate) -> None:
        bundle = opened.to_bundle()
        for damaged in (b"", bundle[:500], bundle[: bundle.index(b"-----BEGIN CERTIFICATE")]):
            with pytest.raises(UnreadableCertificate):
                A1Certificate.from_bundle(damaged)

    def test_certificate_of_an_unknown_version_is_refused(self, opened: A1Certificate) -> None:
        altered = opened.certificate_der.replace(bytes.fromhex("a003020102"), bytes.fromhex("a00302017f"))
        bundle = opened.to_bundle().partition(b"-----BEGIN CERTIFICATE")[0]
        with pytest.raises(UnreadableCertificate):
            A1Certificate.from_bundle(bundle + DER_cert_to_PEM_cert(altered).encode())


class TestRepresentation:
    def test_repr_of_a_certificate_does_not_show_the_key(
        self, opened: A1Certificate, key: rsa.RSAPrivateKey
    ) -> None:
        shown = repr(opened)
        assert CNPJ in shown
        assert "PrivateKey" not in shown
        assert "private_key" not in shown
        assert str(key.private_numbers().d) not in shown


class TestSampleAuthority:
    def test_authority_is_the_same_after_a_round_trip(self, authority: SampleAuthority) -> None:
        restored = SampleAuthority.from_pem(authority.to_pem())
        assert restored == authority
        assert restored.private_key.private_numbers() == authority.private_key.private_numbers()

    def test_issued_certificates_authenticate_a_client(
        self, authority: SampleAuthority, company: SampleCertificate
    ) -> None:
        company.certificate.verify_directly_issued_by(authority.certificate)
        usage = company.certificate.extensions.get_extension_for_class(x509.KeyUsage).value
        assert usage.digital_signature
        assert usage.content_commitment
        assert usage.key_encipherment
        purposes = company.certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        assert ExtendedKeyUsageOID.CLIENT_AUTH in purposes

    def test_long_name_is_cut_and_the_tax_id_kept(
        self, authority: SampleAuthority, key: rsa.RSAPrivateKey
    ) -> None:
        issued = authority.issue_company(CNPJ, "N" * 100, START, END, private_key=key)
        common_name = issued.certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value
        assert common_name == f"{'N' * 49}:{CNPJ}"

    def test_pem_has_key_certificate_and_authority(self, company: SampleCertificate) -> None:
        restored = A1Certificate.from_bundle(company.to_pem())
        assert (restored.owner, len(restored.chain)) == (CNPJ, 1)
