"""The QR code of an NFC-e, written and read."""

import dataclasses
import re
from base64 import b64decode
from datetime import datetime
from decimal import Decimal

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.documents.nfce.qr import (
    Csc,
    InvalidQr,
    OfflineReceipt,
    QrCode,
    QrRecipient,
    offline_v2,
    offline_v3,
    online_v2,
    online_v3,
    read_qr,
    supplement_xml,
)
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate

ADDRESS = "https://www.homologacao.nfce.fazenda.sp.gov.br/qrcode"
HOMOLOGATION = Environment.HOMOLOGATION
ONLINE_KEY = "35261111222333000181650010000000091123456882"
OFFLINE_KEY = "35261111222333000181650010000000109123456897"
CSC = Csc("000001", "0123456789ABCDEF0123456789ABCDEF")
DIGEST = "+v72re9XME8qyjOjfFepeSOLJfk="
HEX_DIGEST = "2b763732726539584d453871796a4f6a6646657065534f4c4a666b3d"
RECEIPT = OfflineReceipt(
    OFFLINE_KEY, HOMOLOGATION, datetime.fromisoformat("2026-11-14T23:30:00-03:00"), Decimal(100)
)


def parameters_of(qr_code: str) -> str:
    assert qr_code.startswith(f"{ADDRESS}?p=")
    return qr_code.removeprefix(f"{ADDRESS}?p=")


class TestCsc:
    @pytest.mark.parametrize(
        ("given_id", "kept"), [("000001", "1"), ("12", "12"), ("100", "100"), ("000", "0")]
    )
    def test_csc_id_loses_its_leading_zeros(self, given_id: str, kept: str) -> None:
        assert Csc(given_id, "token").id == kept

    def test_csc_token_is_not_in_its_repr(self) -> None:
        assert CSC.token not in repr(CSC)


class TestVersion2:
    def test_online_code_of_version_2_is_sealed_with_the_csc(self) -> None:
        written = online_v2(ADDRESS, ONLINE_KEY, HOMOLOGATION, CSC)
        assert parameters_of(written) == f"{ONLINE_KEY}|2|2|1|7308AC95E3DFF66CB2307F48FD5C13CC91958F47"

    def test_offline_code_of_version_2_has_day_amount_and_digest(self) -> None:
        written = offline_v2(ADDRESS, RECEIPT, DIGEST, CSC)
        seal = "94B2F4B9949EEFC096248D370A399887CAE3E082"
        assert parameters_of(written) == f"{OFFLINE_KEY}|2|2|14|100.00|{HEX_DIGEST}|1|{seal}"

    def test_environment_changes_the_seal(self) -> None:
        production = online_v2(ADDRESS, ONLINE_KEY, Environment.PRODUCTION, CSC)
        assert parameters_of(production).startswith(f"{ONLINE_KEY}|2|1|1|")
        assert not production.endswith("7308AC95E3DFF66CB2307F48FD5C13CC91958F47")

    def test_amount_with_fractions_of_a_cent_is_refused(self) -> None:
        with pytest.raises(Unwritable):
            offline_v2(ADDRESS, dataclasses.replace(RECEIPT, amount=Decimal("1.005")), DIGEST, CSC)


class TestVersion3:
    def test_online_code_of_version_3_has_no_seal(self) -> None:
        written = online_v3(ADDRESS, ONLINE_KEY, HOMOLOGATION)
        assert parameters_of(written) == f"{ONLINE_KEY}|3|2"

    @pytest.mark.parametrize(
        ("recipient", "recipient_text"),
        [
            (QrRecipient.of(), "|"),
            (QrRecipient.of(cpf="52998224725"), "2|52998224725"),
            (QrRecipient.of(cnpj="12ABC34501DE35"), "1|12ABC34501DE35"),
            (QrRecipient.of(foreign="AB1234567"), "3|"),
        ],
    )
    def test_offline_code_of_version_3_has_the_recipient_and_is_signed(
        self,
        signer: Signer,
        company_certificate: SampleCertificate,
        recipient: QrRecipient,
        recipient_text: str,
    ) -> None:
        receipt = dataclasses.replace(RECEIPT, recipient=recipient)
        signed, _, signature = parameters_of(offline_v3(ADDRESS, receipt, signer)).rpartition("|")
        assert signed == f"{OFFLINE_KEY}|3|2|14|100.00|{recipient_text}"
        public_key = company_certificate.private_key.public_key()
        public_key.verify(b64decode(signature), signed.encode(), PKCS1v15(), hashes.SHA1())

    def test_day_is_that_of_the_offset_in_the_xml(self, signer: Signer) -> None:
        past_midnight_in_utc = datetime.fromisoformat("2026-11-30T23:59:59-05:00")
        receipt = dataclasses.replace(RECEIPT, issued_at=past_midnight_in_utc)
        assert "|3|2|30|" in offline_v3(ADDRESS, receipt, signer)


class TestAddress:
    @pytest.mark.parametrize("published", [ADDRESS, f"{ADDRESS}?", f"{ADDRESS}?p="])
    def test_query_is_written_once(self, published: str) -> None:
        assert online_v3(published, ONLINE_KEY, HOMOLOGATION) == f"{ADDRESS}?p={ONLINE_KEY}|3|2"


class TestSupplement:
    def test_supplement_is_canonical_text_without_cdata(self) -> None:
        written = supplement_xml("https://a.example/q?x=1&y=2?p=1|3|2", "www.a.example/<consulta>")
        assert written == (
            "<infNFeSupl><qrCode>https://a.example/q?x=1&amp;y=2?p=1|3|2</qrCode>"
            "<urlChave>www.a.example/&lt;consulta&gt;</urlChave></infNFeSupl>"
        )
        assert etree.tostring(etree.fromstring(written), method="c14n").decode() == written

    @pytest.mark.parametrize(
        ("qr_code", "consult"), [("a" * 1001, "b"), ("a", "b" * 86), ("", "b"), ("a\0", "b")]
    )
    def test_values_that_the_layout_cannot_hold_are_refused(self, qr_code: str, consult: str) -> None:
        with pytest.raises(Unwritable):
            supplement_xml(qr_code, consult)


class TestReadQr:
    def test_online_code_of_version_2_is_read(self) -> None:
        assert read_qr(online_v2(ADDRESS, ONLINE_KEY, HOMOLOGATION, CSC)) == QrCode(
            address=ADDRESS,
            access_key=ONLINE_KEY,
            version="2",
            environment="2",
            csc_id="1",
            seal="7308AC95E3DFF66CB2307F48FD5C13CC91958F47",
            sealed=f"{ONLINE_KEY}|2|2|1",
        )

    def test_offline_code_of_version_2_is_read(self) -> None:
        assert read_qr(offline_v2(ADDRESS, RECEIPT, DIGEST, CSC)) == QrCode(
            address=ADDRESS,
            access_key=OFFLINE_KEY,
            version="2",
            environment="2",
            day="14",
            amount="100.00",
            digest=HEX_DIGEST,
            csc_id="1",
            seal="94B2F4B9949EEFC096248D370A399887CAE3E082",
            sealed=f"{OFFLINE_KEY}|2|2|14|100.00|{HEX_DIGEST}|1",
        )

    def test_online_code_of_version_3_is_read(self) -> None:
        qr = read_qr(online_v3(ADDRESS, ONLINE_KEY, HOMOLOGATION))
        assert (qr.access_key, qr.version, qr.environment) == (ONLINE_KEY, "3", "2")
        assert (qr.is_offline, qr.seal) == (False, "")

    def test_offline_code_of_version_3_is_read(self, signer: Signer) -> None:
        receipt = dataclasses.replace(RECEIPT, recipient=QrRecipient.of(cpf="52998224725"))
        qr = read_qr(offline_v3(ADDRESS, receipt, signer))
        assert (qr.version, qr.day, qr.amount, qr.is_offline) == ("3", "14", "100.00", True)
        assert (qr.recipient_kind, qr.recipient) == ("2", "52998224725")
        assert qr.sealed == f"{OFFLINE_KEY}|3|2|14|100.00|2|52998224725"

    def test_missing_signature_is_read_as_empty(self) -> None:
        qr = read_qr(f"{ADDRESS}?p={OFFLINE_KEY}|3|2|14|100.00||")
        assert (qr.is_offline, qr.seal) == (True, "")

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("", "396"),
            (ADDRESS, "396"),
            (f"{ADDRESS}?p=", "396"),
            (f"{ADDRESS}?p={ONLINE_KEY}|2", "396"),
            (f"{ADDRESS}?chNFe={ONLINE_KEY}&nVersao=100&tpAmb=2", "396"),
            (f"{ADDRESS}?p={ONLINE_KEY}|1|2", "398"),
            (f"{ADDRESS}?p={ONLINE_KEY}|4|2", "398"),
            (f"{ADDRESS}?p={ONLINE_KEY}|2|2", "396"),
            (f"{ADDRESS}?p={ONLINE_KEY}|3|2|14", "396"),
            (f"{ADDRESS}?p={ONLINE_KEY}|3|2" + "|" * 900, "396"),
        ],
    )
    def test_invalid_qr_code_is_refused_with_the_authoritys_code(self, text: str, code: str) -> None:
        with pytest.raises(InvalidQr) as refusal:
            read_qr(text)
        assert refusal.value.code == code

    @given(st.text() | st.from_regex(re.compile(r"\A[a-z]*\?p=[0-9|]{0,40}\Z")))
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        try:
            qr = read_qr(text)
        except InvalidQr:
            return
        assert qr.version in ("2", "3")


class TestSeals:
    def test_hash_agrees_with_its_csc_in_upper_and_lower_case(self) -> None:
        qr = read_qr(offline_v2(ADDRESS, RECEIPT, DIGEST, CSC))
        assert qr.is_sealed_with(CSC)
        assert dataclasses.replace(qr, seal=qr.seal.lower()).is_sealed_with(CSC)

    def test_hash_does_not_agree_with_another_csc_or_amount(self) -> None:
        written = offline_v2(ADDRESS, RECEIPT, DIGEST, CSC)
        assert not read_qr(written).is_sealed_with(Csc("1", "FEDCBA9876543210"))
        assert not read_qr(written.replace("|100.00|", "|100.01|")).is_sealed_with(CSC)

    def test_signature_agrees_with_its_certificate_only(
        self, signer: Signer, company_certificate: SampleCertificate, authority: SampleAuthority
    ) -> None:
        written = offline_v3(ADDRESS, RECEIPT, signer)
        der = A1Certificate.from_bundle(company_certificate.to_pem()).certificate_der
        other = A1Certificate.from_bundle(authority.to_pem()).certificate_der
        assert read_qr(written).is_signed_by(der)
        assert not read_qr(written).is_signed_by(other)
        assert not read_qr(written.replace("|100.00|", "|100.01|")).is_signed_by(der)

    @pytest.mark.parametrize("seal", ["", "=", "AAAA", "ção", "A" * 344])
    def test_invalid_signature_does_not_agree(
        self, company_certificate: SampleCertificate, seal: str
    ) -> None:
        der = A1Certificate.from_bundle(company_certificate.to_pem()).certificate_der
        assert not read_qr(f"{ADDRESS}?p={OFFLINE_KEY}|3|2|14|100.00|||{seal}").is_signed_by(der)
