"""Signatures of the authorities, checked by another program."""

from pathlib import Path

import pytest
from lxml import etree

from carimbo.simulator.identifiers import is_cnpj
from carimbo.simulator.program.certificates import CertificateFolder
from carimbo.simulator.signatures import SEFIN_CNPJ, THROWAWAY_SIGNER, AuthoritySigner, signature_of
from unit.simulator.sample_family import NOW
from xmlsec1 import xmlsec1_accepts

MESSAGE = '<note xmlns="urn:x"><signed Id="N1"><text>ação &lt;1&gt;</text></signed></note>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder after it was opened for the first time."""
    folder = tmp_path_factory.mktemp("simulator")
    CertificateFolder.open(folder, NOW)
    return folder


class TestSignature:
    def test_signature_is_valid_and_names_the_signed_element(self) -> None:
        signature = signature_of(etree.fromstring(THROWAWAY_SIGNER.sign(MESSAGE)))
        assert signature
        assert signature.references_signed_element
        assert signature.verifies
        assert signature.credential
        assert signature.credential.owner == SEFIN_CNPJ
        assert is_cnpj(SEFIN_CNPJ)

    def test_signature_is_accepted_by_xmlsec1(self) -> None:
        assert xmlsec1_accepts(THROWAWAY_SIGNER.sign(MESSAGE), "signed")

    def test_signature_of_a_changed_message_is_invalid(self) -> None:
        changed = THROWAWAY_SIGNER.sign(MESSAGE).replace(b"&lt;1&gt;", b"&lt;2&gt;")
        signature = signature_of(etree.fromstring(changed))
        assert signature
        assert not signature.verifies

    def test_signing_does_not_change_the_message(self) -> None:
        signed = etree.fromstring(THROWAWAY_SIGNER.sign(MESSAGE))
        signed.remove(signed[-1])
        assert etree.tostring(signed, method="c14n") == etree.tostring(
            etree.fromstring(MESSAGE), method="c14n"
        )


class TestSeal:
    def test_key_is_read_when_a_message_is_signed(self) -> None:
        def unreadable() -> bytes:
            raise OSError

        signer = AuthoritySigner(unreadable)
        with pytest.raises(OSError):
            signer.sign(MESSAGE)

    def test_key_of_a_folder_stays_the_same(self, folder: Path) -> None:
        signed = [CertificateFolder.open(folder, NOW).signer.sign(MESSAGE) for _ in range(2)]
        assert signed[0] == signed[1]
        signature = signature_of(etree.fromstring(signed[0]))
        assert signature
        assert signature.verifies

    def test_key_of_a_folder_is_private_and_certified_by_the_simulators_authority(self, folder: Path) -> None:
        certificates = CertificateFolder.open(folder, NOW)
        signature = signature_of(etree.fromstring(certificates.signer.sign(MESSAGE)))
        assert signature
        assert signature.credential
        assert certificates.trust().flaws_of(signature.credential, NOW) == frozenset()
        assert (folder / "sefin.pem").stat().st_mode & 0o077 == 0
