"""What an authority signs with, as another program checks it."""

from pathlib import Path

import pytest
from lxml import etree

from carimbo.simulator.certificates import CertificateFolder
from carimbo.simulator.seal import OWNER, THROWAWAY, Seal
from carimbo.simulator.signature import signature_of
from carimbo.simulator.tax_ids import is_cnpj
from unit.simulator.front_desk import NOW
from xmlsec1 import xmlsec1_accepts

MESSAGE = '<note xmlns="urn:x"><told Id="N1"><text>ação &lt;1&gt;</text></told></note>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the first opening leaves it."""
    folder = tmp_path_factory.mktemp("simulator")
    CertificateFolder.open(folder, NOW)
    return folder


class TestSignature:
    def test_is_good_and_names_what_is_signed(self) -> None:
        signature = signature_of(etree.fromstring(THROWAWAY.sign(MESSAGE)))
        assert signature
        assert signature.names_what_is_signed
        assert signature.is_good
        assert signature.credential
        assert signature.credential.owner == OWNER
        assert is_cnpj(OWNER)

    def test_is_good_for_xmlsec1(self) -> None:
        assert xmlsec1_accepts(THROWAWAY.sign(MESSAGE), "told")

    def test_is_no_longer_good_when_something_is_changed(self) -> None:
        changed = THROWAWAY.sign(MESSAGE).replace(b"&lt;1&gt;", b"&lt;2&gt;")
        signature = signature_of(etree.fromstring(changed))
        assert signature
        assert not signature.is_good

    def test_leaves_what_is_signed_as_it_was(self) -> None:
        sealed = etree.fromstring(THROWAWAY.sign(MESSAGE))
        sealed.remove(sealed[-1])
        assert etree.tostring(sealed, method="c14n") == etree.tostring(
            etree.fromstring(MESSAGE), method="c14n"
        )


class TestSeal:
    def test_is_read_when_something_is_signed(self) -> None:
        def unreadable() -> bytes:
            raise OSError

        seal = Seal(unreadable)
        with pytest.raises(OSError):
            seal.sign(MESSAGE)

    def test_of_a_folder_is_the_same_the_next_time(self, folder: Path) -> None:
        sealed = [CertificateFolder.open(folder, NOW).seal.sign(MESSAGE) for _ in range(2)]
        assert sealed[0] == sealed[1]
        signature = signature_of(etree.fromstring(sealed[0]))
        assert signature
        assert signature.is_good

    def test_of_a_folder_is_of_the_simulators_own_authority_and_private(self, folder: Path) -> None:
        certificates = CertificateFolder.open(folder, NOW)
        signature = signature_of(etree.fromstring(certificates.seal.sign(MESSAGE)))
        assert signature
        assert signature.credential
        assert certificates.trust().flaws_of(signature.credential, NOW) == frozenset()
        assert (folder / "sefin.pem").stat().st_mode & 0o077 == 0
