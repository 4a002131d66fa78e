"""Signatures of NFS-e that are imported by hand: which notes are refused, and which are not."""

import re

import pytest

from carimbo.fiscal.identity.signature import BadSignature
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE
from carimbo.fiscal.received_signatures import check_note_signatures
from carimbo.fiscal.xml_reading import root_alone
from carimbo.simulator.signatures import THROWAWAY_SIGNER
from unit.golden_documents import golden_document

SIGNED_BY_ISSUER = root_alone(golden_document("nfse/minimal.json").xml).decode()
UNSIGNED = re.sub("<Signature.*</Signature>", "", SIGNED_BY_ISSUER, flags=re.DOTALL)
"""As the web emitter sends it."""
OTHER_METHOD = THROWAWAY_SIGNER.sign(UNSIGNED).decode()
"""With RSA-SHA256 and exclusive C14N."""
CHANGED = re.sub("<vServ>[^<]*", "<vServ>1.00", SIGNED_BY_ISSUER)
SHA256 = "xmldsig-more#rsa-sha256"
ELLIPTIC = "xmldsig-more#ecdsa-sha256"


def note(declaration: str = SIGNED_BY_ISSUER, root: str = "") -> str:
    """Returns an NFS-e as the national environment signs it."""
    inside = f'<infNFSe Id="NFS1"><nNFSe>1</nNFSe>{declaration}</infNFSe>'
    return THROWAWAY_SIGNER.sign(f'<NFSe xmlns="{NAMESPACE}"{root} versao="1.01">{inside}</NFSe>').decode()


def refusal(xml: str) -> str:
    """Returns why a note is refused; empty if it is not."""
    try:
        check_note_signatures(xml.encode(), "")
    except BadSignature as error:
        return str(error)
    return ""


def outer_replaced(xml: str, pattern: str, text: str) -> str:
    """Returns a note with a change in the signature of the authority."""
    start = xml.rindex("<Signature ")
    changed = re.sub(pattern, text, xml[start:], count=1, flags=re.DOTALL)
    assert changed != xml[start:]
    return xml[:start] + changed


@pytest.mark.parametrize(
    "declaration", [SIGNED_BY_ISSUER, UNSIGNED, OTHER_METHOD], ids=["issuer", "web", "other method"]
)
@pytest.mark.parametrize("root", ["", ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'])
def test_note_that_was_not_changed_is_accepted(declaration: str, root: str) -> None:
    """The DPS was signed before the note with its namespaces was written around it."""
    assert refusal(note(declaration, root)) == ""


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("<nNFSe>1<", "<nNFSe>2<"),
        ("<vServ>[^<]*", "<vServ>1.00"),
        ("<Signature .*</Signature></DPS>", "</DPS>"),
        ("<X509Certificate>MII", "<X509Certificate>MIJ"),
    ],
)
def test_note_that_was_changed_is_refused(pattern: str, text: str) -> None:
    changed = re.sub(pattern, text, note(), count=1, flags=re.DOTALL)
    assert changed != note()
    reason = "O conteúdo do documento não é o que foi assinado. Envie o XML como foi autorizado."
    assert refusal(changed) == reason


def test_changed_declaration_is_refused_though_the_note_was_signed_with_it() -> None:
    assert "não é o que foi assinado" in refusal(note(CHANGED))
    assert "não é o que foi assinado" in refusal(note(re.sub("<vServ>[^<]*", "<vServ>1.00", OTHER_METHOD)))


def test_signature_of_another_key_is_refused() -> None:
    (certificate,) = re.findall("<X509Certificate>([^<]*)", SIGNED_BY_ISSUER)
    changed = outer_replaced(note(), "<X509Certificate>[^<]*", f"<X509Certificate>{certificate}")
    assert "não é da chave do certificado" in refusal(changed)


@pytest.mark.parametrize(
    "pattern", ["<Signature .*</Signature>", "<SignedInfo>.*</SignedInfo>", "<KeyInfo>.*</KeyInfo>"]
)
def test_note_without_a_whole_signature_is_refused(pattern: str) -> None:
    assert "assinatura" in refusal(outer_replaced(note(), pattern, ""))


def test_unknown_method_of_a_key_is_not_checked_but_the_content_is() -> None:
    by_other_key = outer_replaced(note(), SHA256, ELLIPTIC)
    assert refusal(by_other_key) == ""
    assert "não é o que foi assinado" in refusal(by_other_key.replace("<nNFSe>1<", "<nNFSe>2<"))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ('URI="#NFS1"', 'URI=""'),
        (
            '(<Transform Algorithm=")[^"]*#enveloped-signature',
            r"\1http://www.w3.org/TR/1999/REC-xpath-19991116",
        ),
        ("xmlenc#sha256", "xmlenc#ripemd160"),
        (
            '(WithComments")/></Transforms>',
            r'\1><InclusiveNamespaces xmlns="http://www.w3.org/2001/10/xml-exc-c14n#"/></Transform></Transforms>',
        ),
    ],
)
def test_note_whose_signature_is_of_an_unknown_form_is_accepted(pattern: str, text: str) -> None:
    """A city may sign as it likes; to refuse its notes is worse than to accept a changed one."""
    assert refusal(outer_replaced(note(), pattern, text)) == ""
