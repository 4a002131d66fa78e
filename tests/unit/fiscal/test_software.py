"""The issuing program, and the proof of its technical responsible."""

import base64
import dataclasses
import hashlib

import pytest
from lxml import etree

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Csrt, Software
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ
from unit.fiscal.goods.support import CSC, NFCE_BODY, NFE_BODY, issuance
from unit.fiscal.keys import with_parts

# The example of NT 2018.005.
KEY = AccessKey.parse("41180678393592000146558900000006041028190697")
CODE = Csrt("01", "G8063VRTNDMO886SFNK5LDUDEI24XJ22YIPO")
PROOF = "aWv6LeEM4X6u4+qBI2OYZ8grigw="
RESPONSIBLE = TechnicalResponsible(
    cnpj=CNPJ, contact="Suporte", email="suporte@example.com", phone="1133334444"
)


class TestResponsible:
    def test_responsible_is_proved_by_the_code_of_the_state(self) -> None:
        responsible = Software("carimbo", RESPONSIBLE, CODE).responsible_for(KEY)
        assert responsible == dataclasses.replace(RESPONSIBLE, csrt_id="01", csrt_hash=PROOF)

    def test_responsible_has_no_proof_without_a_code(self) -> None:
        assert Software("carimbo", RESPONSIBLE).responsible_for(KEY) == RESPONSIBLE

    @pytest.mark.parametrize("code", [None, CODE])
    def test_document_without_a_configured_responsible_has_none(self, code: Csrt | None) -> None:
        assert Software("carimbo", csrt=code).responsible_for(KEY) is None

    def test_proof_differs_for_another_document(self) -> None:
        other = with_parts(KEY, number=605)
        responsible = Software("carimbo", RESPONSIBLE, CODE).responsible_for(other)
        assert responsible
        assert responsible.csrt_hash != PROOF


class TestCode:
    def test_repr_of_the_software_does_not_show_the_code(self) -> None:
        assert CODE.token not in repr(Software("carimbo", RESPONSIBLE, CODE))


class TestDocument:
    @pytest.mark.parametrize(
        ("document_type", "body"), [(NFE, NFE_BODY), (NFCE, NFCE_BODY)], ids=["nfe", "nfce"]
    )
    def test_document_has_the_proof_of_its_own_key(
        self, signer: Signer, document_type: DocumentType, body: dict[str, object]
    ) -> None:
        settings = document_type.settings.model_validate(CSC if document_type is NFCE else {})
        under = dataclasses.replace(
            issuance(signer, settings), software=Software("carimbo", RESPONSIBLE, CODE)
        )
        document = document_type.issuing.issue(document_type.issuing.request.model_validate(body), under)
        assert isinstance(document, SignedDocument), document
        responsible = etree.fromstring(document.xml).find(f".//{{{NAMESPACE}}}infRespTec")
        assert responsible is not None
        digest = hashlib.sha1(f"{CODE.token}{document.access_key}".encode()).digest()
        assert [child.text for child in responsible] == [
            CNPJ,
            "Suporte",
            "suporte@example.com",
            "1133334444",
            "01",
            base64.b64encode(digest).decode(),
        ]
