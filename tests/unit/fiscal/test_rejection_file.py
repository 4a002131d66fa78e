"""The file of a refusal."""

from lxml import etree

from carimbo.fiscal.rejection_file import rejection_file
from carimbo.fiscal.signature import Signer, verify

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
ANSWER = b"<erros></erros>"


class TestRejectionFile:
    def test_has_what_was_sent_and_what_came_back(self) -> None:
        joined = rejection_file(DECLARATION + b"<DPS></DPS>", DECLARATION + ANSWER)
        sent, received = b"<sent><DPS></DPS></sent>", b"<received><erros></erros></received>"
        assert joined == b"<rejection>" + sent + received + b"</rejection>"

    def test_of_what_was_refused_before_it_got_anywhere_has_no_answer(self) -> None:
        expected = b"<rejection><sent><DPS></DPS></sent><received></received></rejection>"
        assert rejection_file(b"<DPS></DPS>", None) == expected

    def test_leaves_the_signature_good(self, signer: Signer) -> None:
        part = b'<inf Id="A1"></inf>'
        signed = b"<doc>" + part + signer.sign(part, "A1").text + b"</doc>"
        assert verify(etree.fromstring(rejection_file(signed, ANSWER))[0][0]).reference_id == "A1"
