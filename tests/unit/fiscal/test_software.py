"""The program that issues, and the proof of who answers for it."""

import base64
import dataclasses
import hashlib

import pytest
from lxml import etree

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Csrt, Software
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
    def test_is_proved_by_the_code_of_the_state(self) -> None:
        found = Software("carimbo", RESPONSIBLE, CODE).responsible_for(KEY)
        assert found == dataclasses.replace(RESPONSIBLE, csrt_id="01", csrt_hash=PROOF)

    def test_stands_without_proof_where_no_code_was_given(self) -> None:
        assert Software("carimbo", RESPONSIBLE).responsible_for(KEY) == RESPONSIBLE

    @pytest.mark.parametrize("code", [None, CODE])
    def test_is_nobody_unless_it_is_told(self, code: Csrt | None) -> None:
        assert Software("carimbo", csrt=code).responsible_for(KEY) is None

    def test_has_another_proof_for_another_document(self) -> None:
        other = with_parts(KEY, number=605)
        found = Software("carimbo", RESPONSIBLE, CODE).responsible_for(other)
        assert found
        assert found.csrt_hash != PROOF


class TestCode:
    def test_shows_nothing_of_itself_in_a_log(self) -> None:
        assert CODE.token not in repr(Software("carimbo", RESPONSIBLE, CODE))


class TestDocument:
    @pytest.mark.parametrize(("kind", "body"), [(NFE, NFE_BODY), (NFCE, NFCE_BODY)], ids=["nfe", "nfce"])
    def test_carries_the_proof_of_its_own_key(
        self, signer: Signer, kind: DocumentType, body: dict[str, object]
    ) -> None:
        settings = kind.settings.model_validate(CSC if kind is NFCE else {})
        under = dataclasses.replace(
            issuance(signer, settings), software=Software("carimbo", RESPONSIBLE, CODE)
        )
        made = kind.issuing.issue(kind.issuing.request.model_validate(body), under)
        assert isinstance(made, SignedDocument), made
        told = etree.fromstring(made.xml).find(f".//{{{NAMESPACE}}}infRespTec")
        assert told is not None
        digest = hashlib.sha1(f"{CODE.token}{made.access_key}".encode()).digest()
        assert [one.text for one in told] == [
            CNPJ,
            "Suporte",
            "suporte@example.com",
            "1133334444",
            "01",
            base64.b64encode(digest).decode(),
        ]
