"""Sample certificates in the form of ICP-Brasil A1 ones, for tests, the demo and the local simulator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_VALIDITY = timedelta(days=30 * 365)
LEGACY_ITERATIONS = 2048
ICP_BRASIL = "ICP-Brasil"

_MAX_COMMON_NAME = 64
_OCTET_STRING = 0x04
_BIRTH_DATE = "01011980"
_SOCIAL_ID = "0" * 11
_IDENTITY_CARD = "0" * 15
_IDENTITY_ISSUER = "SSPSP "
_SOCIAL_SECURITY = "0" * 12
_VOTER = "0" * 19
_HOLDER_PURPOSES = (ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.EMAIL_PROTECTION)


@dataclass(frozen=True)
class SampleCertificate:
    """An issued certificate with its private key and the authority that signed it."""

    certificate: x509.Certificate
    authority_certificate: x509.Certificate
    private_key: rsa.RSAPrivateKey = field(repr=False, compare=False)

    def to_pfx(self, password: str, *, legacy: bool = False) -> bytes:
        """Returns an A1 file with AES, or 3DES if `legacy`; an empty password means no encryption."""
        encryption = _pfx_encryption(password.encode(), legacy)
        chain = [self.authority_certificate]
        return pkcs12.serialize_key_and_certificates(
            None, self.private_key, self.certificate, chain, encryption
        )

    def to_pem(self) -> bytes:
        """Returns the private key, the certificate and its authority as PEM, as TLS libraries load them."""
        certificates = (self.certificate, self.authority_certificate)
        return _key_pem(self.private_key) + b"".join(item.public_bytes(Encoding.PEM) for item in certificates)


@dataclass(frozen=True)
class SampleAuthority:
    """A certificate authority for samples, which no real system trusts."""

    certificate: x509.Certificate
    private_key: rsa.RSAPrivateKey = field(repr=False, compare=False)

    @classmethod
    def create(
        cls, now: datetime, *, name: str = "AC CARIMBO DE TESTE", organization: str = ICP_BRASIL
    ) -> Self:
        """Creates an authority that is valid for thirty years from `now`."""
        key = new_key()
        subject = _name(name, "Sem valor fiscal", organization)
        builder = _builder(subject, subject, key.public_key(), now, now + AUTHORITY_VALIDITY)
        builder = (
            builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(key_cert_sign=True, crl_sign=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        return cls(builder.sign(key, hashes.SHA256()), key)

    @classmethod
    def from_pem(cls, pem: bytes) -> Self:
        """Loads the result of `to_pem`."""
        key = load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True)
        if not isinstance(key, rsa.RSAPrivateKey):
            raise TypeError("a sample authority has an RSA key")
        return cls(x509.load_pem_x509_certificate(pem), key)

    def to_pem(self) -> bytes:
        """Returns the private key and the certificate as PEM."""
        return _key_pem(self.private_key) + self.certificate.public_bytes(Encoding.PEM)

    def issue_company(
        self,
        cnpj: str,
        name: str,
        not_before: datetime,
        not_after: datetime,
        *,
        responsible_cpf: str = "52998224725",
        responsible_name: str = "FULANO DE TAL",
        private_key: rsa.RSAPrivateKey | None = None,
    ) -> SampleCertificate:
        """Issues an e-CNPJ, with its four other names in the official order (DOC-ICP-04, 7.1.2.3 b)."""
        other_names = [
            _other_name("2.16.76.1.3.4", _person_data(responsible_cpf)),
            _other_name("2.16.76.1.3.2", responsible_name),
            _other_name("2.16.76.1.3.3", cnpj),
            _other_name("2.16.76.1.3.7", _SOCIAL_SECURITY),
        ]
        subject = _name(_holder(name, cnpj), "RFB e-CNPJ A1")
        key = private_key or new_key()
        return self._issue(subject, other_names, _HOLDER_PURPOSES, not_before, not_after, key)

    def issue_person(
        self,
        cpf: str,
        name: str,
        not_before: datetime,
        not_after: datetime,
        *,
        private_key: rsa.RSAPrivateKey | None = None,
    ) -> SampleCertificate:
        """Issues an e-CPF, with its three other names in the official order (DOC-ICP-04, 7.1.2.3 a)."""
        other_names = [
            _other_name("2.16.76.1.3.1", _person_data(cpf)),
            _other_name("2.16.76.1.3.6", _SOCIAL_SECURITY),
            _other_name("2.16.76.1.3.5", _VOTER),
        ]
        subject = _name(_holder(name, cpf), "RFB e-CPF A1")
        key = private_key or new_key()
        return self._issue(subject, other_names, _HOLDER_PURPOSES, not_before, not_after, key)

    def issue_server(
        self, names: Sequence[str], not_before: datetime, not_after: datetime
    ) -> SampleCertificate:
        """Issues the certificate of a TLS server with these names and addresses."""
        subject = _name(names[0], "Servidor de teste")
        purposes = (ExtendedKeyUsageOID.SERVER_AUTH,)
        return self._issue(subject, [*map(_server_name, names)], purposes, not_before, not_after, new_key())

    def reissue(
        self,
        issued: SampleCertificate,
        changes: Mapping[type[x509.ExtensionType], x509.ExtensionType | None],
    ) -> SampleCertificate:
        """Issues a certificate again with changed extensions; an extension changed to None is omitted."""
        old, key = issued.certificate, issued.private_key
        moments = (old.not_valid_before_utc, old.not_valid_after_utc)
        builder = _builder(old.subject, self.certificate.subject, key.public_key(), *moments)
        for extension in old.extensions:
            value = changes.get(type(extension.value), extension.value)
            if value is not None:
                builder = builder.add_extension(value, extension.critical)
        return SampleCertificate(builder.sign(self.private_key, hashes.SHA256()), self.certificate, key)

    def _issue(
        self,
        subject: x509.Name,
        names: Sequence[x509.GeneralName],
        purposes: Sequence[x509.ObjectIdentifier],
        not_before: datetime,
        not_after: datetime,
        key: rsa.RSAPrivateKey,
    ) -> SampleCertificate:
        builder = _builder(subject, self.certificate.subject, key.public_key(), not_before, not_after)
        issuer_key = self.private_key.public_key()
        for extension, critical in _leaf_extensions(key.public_key(), issuer_key, names, purposes):
            builder = builder.add_extension(extension, critical)
        return SampleCertificate(builder.sign(self.private_key, hashes.SHA256()), self.certificate, key)


def new_key() -> rsa.RSAPrivateKey:
    """Creates a key of the size of A1 certificates; takes some tenths of a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _pfx_encryption(password: bytes, legacy: bool) -> KeySerializationEncryption:
    if not password:
        return NoEncryption()
    if not legacy:
        return BestAvailableEncryption(password)
    builder = PrivateFormat.PKCS12.encryption_builder().kdf_rounds(LEGACY_ITERATIONS)
    builder = builder.key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC)
    # Software that writes 3DES files uses SHA-1 for their MAC too.
    return builder.hmac_hash(hashes.SHA1()).build(password)  # noqa: S303


def _key_pem(key: rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _name(common_name: str, unit: str, organization: str = ICP_BRASIL) -> x509.Name:
    attributes = [
        (NameOID.COUNTRY_NAME, "BR"),
        (NameOID.ORGANIZATION_NAME, organization),
        (NameOID.ORGANIZATIONAL_UNIT_NAME, unit),
        (NameOID.COMMON_NAME, common_name),
    ]
    return x509.Name([x509.NameAttribute(oid, value) for oid, value in attributes])


def _holder(name: str, tax_id: str) -> str:
    """Joins name and tax id; the name is cut to the limit of RFC 5280, as real authorities do."""
    return f"{name[: _MAX_COMMON_NAME - len(tax_id) - 1]}:{tax_id}"


def _person_data(cpf: str) -> str:
    return _BIRTH_DATE + cpf + _SOCIAL_ID + _IDENTITY_CARD + _IDENTITY_ISSUER


def _other_name(object_id: str, text: str) -> x509.OtherName:
    content = text.encode()
    return x509.OtherName(x509.ObjectIdentifier(object_id), bytes([_OCTET_STRING, len(content)]) + content)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    public_key: rsa.RSAPublicKey,
    not_before: datetime,
    not_after: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(not_before)
        .not_valid_after(not_after)
    )


def _leaf_extensions(
    public_key: rsa.RSAPublicKey,
    issuer_key: rsa.RSAPublicKey,
    names: Sequence[x509.GeneralName],
    purposes: Sequence[x509.ObjectIdentifier],
) -> list[tuple[x509.ExtensionType, bool]]:
    return [
        (x509.SubjectAlternativeName(names), False),
        (_key_usage(digital_signature=True, content_commitment=True, key_encipherment=True), True),
        (x509.ExtendedKeyUsage(purposes), False),
        (x509.BasicConstraints(ca=False, path_length=None), False),
        (x509.SubjectKeyIdentifier.from_public_key(public_key), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key), False),
    ]


def _server_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _key_usage(
    *,
    digital_signature: bool = False,
    content_commitment: bool = False,
    key_encipherment: bool = False,
    key_cert_sign: bool = False,
    crl_sign: bool = False,
) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        content_commitment=content_commitment,
        key_encipherment=key_encipherment,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        encipher_only=False,
        decipher_only=False,
    )
