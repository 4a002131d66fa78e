"""The file of a refusal."""

from lxml import etree

from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.signed_documents import rejection_file

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
ANSWER = b"<erros></erros>"


class TestRejectionFile:
    def test_rejection_file_has_the_request_and_the_answer(self) -> None:
        joined = rejection_file(DECLARATION + b"<DPS></DPS>", DECLARATION + ANSWER)
        sent, received = b"<sent><DPS></DPS></sent>", b"<received><erros></erros></received>"
        assert joined == b"<rejection>" + sent + received + b"</rejection>"

    def test_rejection_file_without_an_answer_has_an_empty_one(self) -> None:
        expected = b"<rejection><sent><DPS></DPS></sent><received></received></rejection>"
        assert rejection_file(b"<DPS></DPS>", None) == expected

    def test_signature_in_a_rejection_file_stays_valid(self, signer: Signer) -> None:
        part = b'<inf Id="A1"></inf>'
        signed = b"<doc>" + part + signer.sign(part, "A1").text + b"</doc>"
        assert verify(etree.fromstring(rejection_file(signed, ANSWER))[0][0]).reference_id == "A1"
