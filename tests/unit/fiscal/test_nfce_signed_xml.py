"""NFC-e that a point of sale signed offline: checked, and never changed."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from carimbo.fiscal.documents.nfce.qr import (
    Csc,
    QrRecipient,
    offline_v3,
    online_v3,
)
from carimbo.fiscal.documents.nfce.signed_xml import CheckedXml, ExpectedReceipt, check_signed_xml
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.goods.support import CPF, ISSUED_AT, SCHEMAS, signer_of
from unit.fiscal.keys import with_parts
from unit.fiscal.point_of_sale import (
    ADDRESS,
    CONSULT,
    CONTINGENCY,
    HOMOLOGATION,
    KEY,
    RECIPIENT,
    SIGNED_PART,
    PointOfSale,
    check,
    codes,
    problems_of,
    receipt,
)


class TestGoodDocuments:
    def test_checked_xml_has_the_same_bytes_and_their_facts(self, point_of_sale: PointOfSale) -> None:
        xml = point_of_sale.v2()
        checked = check(xml)
        assert isinstance(checked, CheckedXml)
        assert checked.xml is xml
        assert (checked.access_key, checked.issued_at) == (KEY, ISSUED_AT)
        assert f"<DigestValue>{checked.digest_value}</DigestValue>".encode() in xml

    def test_document_with_version_3_is_accepted(self, point_of_sale: PointOfSale) -> None:
        xml = point_of_sale.v3()
        checked = check(xml)
        assert isinstance(checked, CheckedXml)
        assert checked.xml is xml

    def test_version_3_names_the_recipient(self, point_of_sale: PointOfSale) -> None:
        signed_part = SIGNED_PART.replace("<det ", f"{RECIPIENT}<det ")
        recipient = QrRecipient.of(cpf=CPF)
        assert isinstance(check(point_of_sale.v3(signed_part, recipient=recipient)), CheckedXml)

    def test_facts_that_the_caller_does_not_give_are_not_compared(self, point_of_sale: PointOfSale) -> None:
        qr_code = offline_v3("https://outro.example/qrcode", receipt(), point_of_sale.signer)
        xml = point_of_sale.signed(qr_code, consult="www.outro.example/consulta")
        assert isinstance(check_signed_xml(xml, ExpectedReceipt(CNPJ, HOMOLOGATION), SCHEMAS), CheckedXml)

    def test_branch_may_sign_with_the_certificate_of_the_head_office(
        self, authority: SampleAuthority
    ) -> None:
        now = datetime.now(UTC)
        branch = authority.issue_company("11222333000262", "LOJA", now, now + timedelta(days=9))
        assert isinstance(check(PointOfSale(signer_of(branch)).v2()), CheckedXml)

    def test_cnpj_with_letters_is_accepted(self, other_companys_point_of_sale: PointOfSale) -> None:
        key = with_parts(KEY, tax_id=OTHER_CNPJ)
        signed_part = reissued(key, f"<CNPJ>{OTHER_CNPJ}</CNPJ>")
        xml = other_companys_point_of_sale.v2(signed_part, access_key=str(key))
        assert isinstance(check(xml, tax_id=OTHER_CNPJ, access_key=str(key)), CheckedXml)

    def test_rural_producer_signs_with_an_e_cpf_and_version_3(self, authority: SampleAuthority) -> None:
        now = datetime.now(UTC)
        person = authority.issue_person(CPF, "FULANO", now, now + timedelta(days=9))
        point_of_sale = PointOfSale(signer_of(person))
        key = with_parts(KEY, tax_id=f"000{CPF}", series=920)
        signed_part = reissued(key, f"<CPF>{CPF}</CPF>")
        expected = {"tax_id": CPF, "access_key": str(key), "series": 920}
        assert isinstance(check(point_of_sale.v3(signed_part, access_key=str(key)), **expected), CheckedXml)
        assert codes(point_of_sale.v2(signed_part, access_key=str(key)), **expected) == {"444"}

    def test_second_csc_that_we_do_not_have_is_left_to_the_authority(
        self, point_of_sale: PointOfSale
    ) -> None:
        assert isinstance(check(point_of_sale.v2(csc=Csc("2", "OUTRO"))), CheckedXml)

    def test_key_may_be_given_in_groups(self, point_of_sale: PointOfSale) -> None:
        groups = " ".join(re.findall("....", str(KEY)))
        assert isinstance(check(point_of_sale.v2(), access_key=groups), CheckedXml)

    def test_protocol_and_last_slash_of_an_address_do_not_matter(self, point_of_sale: PointOfSale) -> None:
        qr_code = offline_v3(ADDRESS.replace("https:", "http:"), receipt(), point_of_sale.signer)
        xml = point_of_sale.signed(qr_code, consult=CONSULT.removeprefix("https://") + "/")
        assert isinstance(check(xml), CheckedXml)

    def test_qr_code_may_be_in_cdata(self, point_of_sale: PointOfSale) -> None:
        qr_code = offline_v3(ADDRESS, receipt(), point_of_sale.signer)
        text = (
            f"<infNFeSupl><qrCode><![CDATA[{qr_code}]]></qrCode><urlChave>{CONSULT}</urlChave></infNFeSupl>"
        )
        assert isinstance(check(point_of_sale.with_supplement(text)), CheckedXml)


class TestElement:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (b"", b""),
            (b'<?xml version="1.0" encoding="UTF-8"?>', b""),
            (b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\r\n', b"\n\n"),
        ],
    )
    def test_element_for_a_batch_has_neither_declaration_nor_white_space(
        self, point_of_sale: PointOfSale, before: bytes, after: bytes
    ) -> None:
        xml = point_of_sale.v2()
        checked = check(before + xml + after)
        assert isinstance(checked, CheckedXml)
        assert checked.xml == before + xml + after
        assert checked.element == xml


class TestSignature:
    def test_changed_document_is_refused(self, point_of_sale: PointOfSale) -> None:
        assert codes(point_of_sale.v2().replace(b"CANETA", b"CANETO")) == {"297"}

    def test_document_without_signature_is_refused(self, point_of_sale: PointOfSale) -> None:
        xml = re.sub(rb"<Signature.*</Signature>", b"", point_of_sale.v3())
        assert codes(xml) == {"225", "297"}

    def test_certificate_of_another_company_is_refused(
        self, other_companys_point_of_sale: PointOfSale
    ) -> None:
        assert codes(other_companys_point_of_sale.v3()) == {"213"}

    def test_certificate_of_a_person_does_not_sign_for_a_company(self, authority: SampleAuthority) -> None:
        now = datetime.now(UTC)
        person = authority.issue_person(CPF, "FULANO", now, now + timedelta(days=9))
        assert codes(PointOfSale(signer_of(person)).v3()) == {"213"}

    def test_certificate_without_owner_is_refused(self, authority: SampleAuthority) -> None:
        nobody = A1Certificate.from_bundle(authority.to_pem())
        assert codes(PointOfSale(Signer.of(nobody)).v3()) == {"292"}


class TestKey:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("<cUF>35</cUF>", "<cUF>33</cUF>"),
            ("<dhEmi>2026-11-14", "<dhEmi>2026-10-14"),
            ("<serie>1</serie>", "<serie>2</serie>"),
            ("<nNF>10</nNF>", "<nNF>11</nNF>"),
            ("<cNF>12345689</cNF>", "<cNF>12345680</cNF>"),
            ("<cDV>", "<cDV>1</cDV><cDV>"),
        ],
    )
    def test_every_part_of_the_key_must_be_that_of_its_field(
        self, point_of_sale: PointOfSale, old: str, new: str
    ) -> None:
        xml = point_of_sale.v3(SIGNED_PART.replace(old, new))
        assert "502" in {code for code, _ in problems_of(xml, number=None, series=None, issued_at=None)}

    def test_wrong_check_digit_is_reported(self, point_of_sale: PointOfSale) -> None:
        right = str(KEY)
        wrong = right[:-1] + str((int(right[-1]) + 1) % 10)
        signed_part = SIGNED_PART.replace(right, wrong)
        signed_part = signed_part.replace(f"<cDV>{right[-1]}</cDV>", f"<cDV>{wrong[-1]}</cDV>")
        assert codes(point_of_sale.v3(signed_part, access_key=wrong), access_key=wrong) == {"253"}

    def test_another_model_is_refused(self, point_of_sale: PointOfSale) -> None:
        xml = point_of_sale.v3(SIGNED_PART.replace("<mod>65</mod>", "<mod>55</mod>"))
        assert codes(xml) == {"775", "502"}

    def test_date_that_only_the_schema_allows_is_refused(self, point_of_sale: PointOfSale) -> None:
        signed_part = SIGNED_PART.replace(
            "<dhEmi>2026-11-14T10:00:00-03:00", "<dhEmi>2026-11-14T10:00:00,03:00"
        )
        assert codes(point_of_sale.v3(signed_part), issued_at=None) == {"225"}


class TestContingency:
    def test_receipt_that_was_not_issued_offline_is_refused(self, point_of_sale: PointOfSale) -> None:
        key = with_parts(KEY, emission_type="1")
        signed_part = reissued(key, f"<CNPJ>{CNPJ}</CNPJ>").replace(CONTINGENCY, "")
        xml = point_of_sale.signed(online_v3(ADDRESS, str(key), HOMOLOGATION), signed_part)
        assert codes(xml, access_key=str(key)) == {"SIGNED_XML_NOT_OFFLINE"}

    def test_date_and_reason_of_the_contingency_are_required(self, point_of_sale: PointOfSale) -> None:
        assert codes(point_of_sale.v3(SIGNED_PART.replace(CONTINGENCY, ""))) == {"557"}


class TestPrintedFields:
    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"access_key": str(with_parts(KEY, number=11))}, ("SIGNED_XML_DIFFERS", "accessKey")),
            ({"access_key": ""}, ("SIGNED_XML_DIFFERS", "accessKey")),
            ({"number": 11}, ("SIGNED_XML_DIFFERS", "number")),
            ({"number": 0}, ("SIGNED_XML_DIFFERS", "number")),
            ({"series": 2}, ("SIGNED_XML_DIFFERS", "series")),
            ({"issued_at": ISSUED_AT + timedelta(seconds=1)}, ("SIGNED_XML_DIFFERS", "issuedAt")),
            ({"tax_id": OTHER_CNPJ}, ("SIGNED_XML_DIFFERS", "company.taxId")),
            ({"tax_id": "11222333000262"}, ("SIGNED_XML_DIFFERS", "company.taxId")),
            ({"environment": Environment.PRODUCTION}, ("252", "company.environment")),
        ],
    )
    def test_each_printed_field_must_be_that_of_the_xml(
        self, point_of_sale: PointOfSale, changes: dict[str, object], problem: tuple[str, str]
    ) -> None:
        assert problems_of(point_of_sale.v2(), **changes) == {problem}

    def test_same_moment_in_another_zone_is_accepted(self, point_of_sale: PointOfSale) -> None:
        assert isinstance(check(point_of_sale.v2(), issued_at=ISSUED_AT.astimezone(UTC)), CheckedXml)


class TestAllTogether:
    def test_all_problems_are_reported_at_once(self, other_companys_point_of_sale: PointOfSale) -> None:
        signed_part = SIGNED_PART.replace("<NCM>96081000</NCM>", "<NCM>1</NCM>").replace(CONTINGENCY, "")
        xml = other_companys_point_of_sale.v2(signed_part, csc=Csc("1", "OUTRO"), amount=Decimal(1))
        assert problems_of(xml + b"<!---->", number=7, environment=Environment.PRODUCTION) == {
            ("588", "signedXml"),
            ("225", "signedXml"),
            ("213", "signedXml"),
            ("557", "signedXml"),
            ("397", "signedXml"),
            ("464", "signedXml"),
            ("252", "company.environment"),
            ("SIGNED_XML_DIFFERS", "number"),
        }


def reissued(key: AccessKey, issuer: str) -> str:
    """Returns the same receipt with another key and issuer."""
    return (
        SIGNED_PART.replace(str(KEY), str(key))
        .replace(f"<CNPJ>{CNPJ}</CNPJ>", issuer)
        .replace("<serie>1<", f"<serie>{key.series}<")
        .replace("<tpEmis>9<", f"<tpEmis>{key.emission_type}<")
        .replace(f"<cDV>{str(KEY)[-1]}<", f"<cDV>{str(key)[-1]}<")
    )
