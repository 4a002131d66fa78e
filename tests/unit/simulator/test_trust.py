"""Certificates that others send, whatever is in them."""

import random

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.trust import Flaw, Trust, credential_of
from unit.fiscal.goods.support import ISSUED_AT


class TestCredentialOf:
    def test_bytes_that_are_none_are_none(self) -> None:
        assert credential_of(b"") is None
        assert credential_of(b"no certificate") is None

    @pytest.mark.filterwarnings("ignore:Parsed a serial number")
    def test_whatever_is_read_can_be_looked_at(
        self, lasting_certificate: SampleCertificate, trust: Trust
    ) -> None:
        """Every certificate with a few bytes changed is none, or is judged without an error."""
        good = lasting_certificate.certificate.public_bytes(Encoding.DER)
        chance, read = random.Random(1), 0
        for _ in range(2_000):
            der = bytearray(good)
            for _ in range(chance.randint(1, 3)):
                der[chance.randrange(len(der))] = chance.randrange(256)
            credential = credential_of(bytes(der))
            if credential:
                read += 1
                assert isinstance(credential.owner, str)
                assert trust.flaws_of(credential, ISSUED_AT) <= set(Flaw)
        assert read > 500
