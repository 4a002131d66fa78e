"""The QR code of an NFC-e that was signed offline, compared with the XML that contains it."""

from datetime import timedelta
from decimal import Decimal

import pytest

from carimbo.fiscal.documents.nfce.qr import Csc, QrRecipient, offline_v2, offline_v3, online_v2, online_v3
from carimbo.fiscal.environment import Environment
from unit.fiscal.goods.support import CPF, ISSUED_AT
from unit.fiscal.keys import with_parts
from unit.fiscal.point_of_sale import ADDRESS, CSC, HOMOLOGATION, KEY, PointOfSale, codes, receipt


class TestQrCode:
    def test_qr_code_is_required(self, point_of_sale: PointOfSale) -> None:
        assert codes(point_of_sale.with_supplement("")) == {"394"}

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"access_key": str(with_parts(KEY, number=11))}, "397"),
            ({"environment": Environment.PRODUCTION}, "397"),
            ({"issued_at": ISSUED_AT + timedelta(days=1)}, "397"),
            ({"amount": Decimal("100.01")}, "397"),
        ],
    )
    def test_each_parameter_of_the_qr_code_must_be_that_of_the_xml(
        self, point_of_sale: PointOfSale, changes: dict[str, object], code: str
    ) -> None:
        assert codes(point_of_sale.v2(**changes)) == {code}  # type: ignore[arg-type]
        assert codes(point_of_sale.v3(**changes)) == {code}  # type: ignore[arg-type]

    def test_version_2_must_have_the_digest_of_this_signature(self, point_of_sale: PointOfSale) -> None:
        other = offline_v2(ADDRESS, receipt(), "+v72re9XME8qyjOjfFepeSOLJfk=", CSC)
        assert codes(point_of_sale.signed(other)) == {"397"}

    def test_version_2_must_be_sealed_with_the_csc(self, point_of_sale: PointOfSale) -> None:
        assert codes(point_of_sale.v2(csc=Csc("1", "OUTRO"))) == {"464"}

    @pytest.mark.parametrize("recipient", [QrRecipient.of(cpf=CPF), QrRecipient.of(foreign="AB123")])
    def test_version_3_must_not_name_a_recipient_that_the_xml_lacks(
        self, point_of_sale: PointOfSale, recipient: QrRecipient
    ) -> None:
        assert codes(point_of_sale.v3(recipient=recipient)) == {"397"}

    def test_version_3_must_be_signed_with_the_certificate_of_the_xml(
        self, point_of_sale: PointOfSale, other_companys_point_of_sale: PointOfSale
    ) -> None:
        foreign = offline_v3(ADDRESS, receipt(), other_companys_point_of_sale.signer)
        assert codes(point_of_sale.signed(foreign)) == {"583"}

    def test_version_3_must_have_its_signature(self, point_of_sale: PointOfSale) -> None:
        unsigned = f"{ADDRESS}?p={KEY}|3|2|14|100.00||"
        assert codes(point_of_sale.signed(unsigned)) == {"225", "474"}

    def test_code_of_an_online_receipt_lacks_parameters(self, point_of_sale: PointOfSale) -> None:
        for online in (
            online_v2(ADDRESS, str(KEY), HOMOLOGATION, CSC),
            online_v3(ADDRESS, str(KEY), HOMOLOGATION),
        ):
            assert codes(point_of_sale.signed(online)) == {"225", "396"}

    def test_invalid_qr_code_is_reported(self, point_of_sale: PointOfSale) -> None:
        assert codes(point_of_sale.signed(f"{ADDRESS}?p={KEY}|1|2|14|100.00||")) == {"225", "398"}

    def test_addresses_must_be_those_of_the_state(self, point_of_sale: PointOfSale) -> None:
        qr_code = offline_v3("https://outro.example/qrcode", receipt(), point_of_sale.signer)
        assert codes(point_of_sale.signed(qr_code)) == {"395"}
        xml = point_of_sale.signed(offline_v3(ADDRESS, receipt(), point_of_sale.signer), consult="a" * 30)
        assert codes(xml) == {"878"}
