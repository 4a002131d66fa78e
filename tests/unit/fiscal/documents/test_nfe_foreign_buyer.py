"""NF-e and NFC-e of foreigners who buy in the shop, and of exports."""

from typing import Any

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import (
    LISBON,
    NORMAL,
    PRODUCTION,
    RIO_DE_JANEIRO,
    buyer,
    issued_nfce,
    issued_nfe,
    item,
    nfe,
    refused,
    text_at,
)

TOURIST = buyer(taxId=None, foreignId="AB-12345", address=LISBON)
IN_SHOP: dict[str, Any] = {"recipient": TOURIST, "presence": "inPerson"}
EXIT = {"state": "SP", "exitPlace": "Porto de Santos"}


def destination(**changes: Any) -> str | None:
    return text_at(nfe(**IN_SHOP | changes), "ide/idDest")


class TestSaleInTheShop:
    def test_sale_in_the_shop_is_issued_without_export_data(self, signer: Signer) -> None:
        document = issued_nfe(signer, under=PRODUCTION, **IN_SHOP)
        assert isinstance(document, SignedDocument), document
        assert b"<exporta>" not in document.xml

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("ide/idDest", "1"),
            ("ide/indFinal", "1"),
            ("ide/indPres", "1"),
            ("dest/idEstrangeiro", "AB-12345"),
            ("dest/indIEDest", "9"),
            ("dest/enderDest/UF", "EX"),
            ("det/prod/CFOP", "5102"),
            ("transp/modFrete", "9"),
        ],
    )
    def test_sale_in_the_shop_is_an_internal_sale_to_a_consumer(self, path: str, value: str) -> None:
        assert text_at(nfe(**IN_SHOP), path) == value

    def test_sale_in_the_shop_pays_the_icms_of_the_shops_state(self) -> None:
        document = nfe(by=NORMAL, items=[item(quantity=1, unitValue=100)], **IN_SHOP)
        assert text_at(document, "det/imposto/ICMS/ICMS00/vICMS") == "18.00"

    def test_sale_in_the_shop_to_a_brazilian_living_abroad_is_internal(self, signer: Signer) -> None:
        document = issued_nfe(signer, recipient=buyer(address=LISBON), presence="inPerson")
        assert isinstance(document, SignedDocument), document
        assert b"<idDest>1</idDest>" in document.xml

    def test_sale_in_the_shop_to_a_foreigner_living_in_another_state_is_internal(self) -> None:
        assert destination(recipient=TOURIST | {"address": RIO_DE_JANEIRO}) == "1"

    def test_sale_to_another_state_is_interstate_unless_the_presence_is_given(self) -> None:
        document = nfe(recipient=TOURIST | {"address": RIO_DE_JANEIRO})
        assert text_at(document, "ide/idDest") == "2"


class TestExport:
    @pytest.mark.parametrize(
        "changes",
        [
            {"export": EXIT},
            {"cfop": "7102"},
            {"items": [item(cfop="7101")]},
            {"destination": "abroad"},
            {"freight": {"mode": "sender"}},
            {"items": [item(exportDetails=[{"drawbackNumber": "20260001234"}])]},
            {"presence": "internet"},
            {"presence": "internet", "cfop": "5102"},
            {"cfop": "5102", "freight": {"mode": "sender"}},
            {"cfop": "6102"},
            {"operation": "inbound"},
        ],
        ids=[
            "exit",
            "cfop",
            "cfop of an item",
            "destination",
            "freight",
            "drawback",
            "at a distance",
            "internal cfop at a distance",
            "internal cfop with freight",
            "cfop of another state",
            "import",
        ],
    )
    def test_export_is_recognized_by_what_the_body_says(self, changes: dict[str, Any]) -> None:
        assert destination(**changes) == "3"

    @pytest.mark.parametrize("presence", [{"presence": "internet"}, {}], ids=["internet", "not given"])
    def test_export_without_its_exit_is_refused(self, signer: Signer, presence: dict[str, Any]) -> None:
        problems = issued_nfe(signer, recipient=TOURIST, **presence)
        assert "export" in refused(problems)


class TestCfop:
    def test_internal_cfop_makes_a_sale_to_a_foreigner_internal(self) -> None:
        assert text_at(nfe(recipient=TOURIST, cfop="5102"), "ide/idDest") == "1"

    def test_return_by_a_tourist_is_internal(self) -> None:
        body = {"operation": "inbound", "purpose": "return", "cfop": "1202"}
        assert destination(items=[item(icms={"csosn": "102"})], **body) == "1"

    def test_contradicting_cfops_leave_the_decision_to_the_address(self) -> None:
        items = [item(cfop="5102"), item(cfop="7102")]
        assert destination(presence="other", items=items) == "3"


class TestReceipt:
    @pytest.mark.parametrize("address", [None, LISBON])
    def test_nfce_of_a_foreigner_needs_no_export_data(
        self, signer: Signer, address: dict[str, Any] | None
    ) -> None:
        document = issued_nfce(signer, recipient=buyer(taxId=None, foreignId="AB-12345", address=address))
        assert isinstance(document, SignedDocument), document
        assert b"<idDest>1</idDest>" in document.xml
        assert b"<CFOP>5102</CFOP>" in document.xml
