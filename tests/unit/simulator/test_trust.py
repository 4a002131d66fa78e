"""Certificates from clients, with any content."""

import random

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.trust import CertificateFlaw, TrustedAuthorities, judged_certificate
from unit.fiscal.goods.support import ISSUED_AT


class TestCredentialOf:
    def test_invalid_bytes_are_no_certificate(self) -> None:
        assert judged_certificate(b"") is None
        assert judged_certificate(b"no certificate") is None

    @pytest.mark.filterwarnings("ignore:Parsed a serial number")
    def test_damaged_certificate_is_judged_without_an_error(
        self, lasting_certificate: SampleCertificate, trust: TrustedAuthorities
    ) -> None:
        """Every certificate with a few changed bytes is unreadable, or is judged without an error."""
        good = lasting_certificate.certificate.public_bytes(Encoding.DER)
        rng, read = random.Random(1), 0
        for _ in range(2_000):
            der = bytearray(good)
            for _ in range(rng.randint(1, 3)):
                der[rng.randrange(len(der))] = rng.randrange(256)
            credential = judged_certificate(bytes(der))
            if credential:
                read += 1
                assert isinstance(credential.owner, str)
                assert trust.flaws_of(credential, ISSUED_AT) <= set(CertificateFlaw)
        assert read > 500
