"""Who signed a declaration, and whether it is what was signed."""

from base64 import b64encode
from functools import partial

import pytest
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.seal import Seal
from carimbo.simulator.trust import Flaw
from unit.simulator.mutating import DS, Edit, says
from unit.simulator.nfse.declaring import PERSON
from unit.simulator.nfse.sefin import Breaking, ServiceCourt
from unit.simulator.rules.certificates import FLAWED, of_company, of_person

XSLT = "http://www.w3.org/TR/1999/REC-xslt-19991116"


def without_signature(root: etree._Element) -> None:
    root.remove(signature_in(root))


def signature_in(root: etree._Element) -> etree._Element:
    found = root.find(f"{DS}Signature")
    assert found is not None
    return found


def of_the_whole(root: etree._Element) -> None:
    """The reference of the signature names the whole document."""
    reference = signature_in(root).find(f"{DS}SignedInfo/{DS}Reference")
    assert reference is not None
    reference.set("URI", "")


def transformed(root: etree._Element) -> None:
    """A transform that could do anything."""
    step = next(signature_in(root).iter(f"{DS}Transform"))
    step.set("Algorithm", XSLT)


def with_certificate(text: bytes) -> Edit:
    def edit(root: etree._Element) -> None:
        found = next(signature_in(root).iter(f"{DS}X509Certificate"))
        found.text = b64encode(text).decode()

    return edit


BREAKINGS = [
    Breaking("E0717", after_signing=without_signature),
    Breaking("E0714", after_signing=says("infDPS/serv/cServ/xDescServ", "OUTRO SERVICO")),
    Breaking("E0714", after_signing=of_the_whole),
    Breaking("E0714", after_signing=transformed),
    Breaking("E0716", issue=FLAWED[Flaw.INVALID]),
    Breaking("E0716", issue=FLAWED[Flaw.NOT_ICP_BRASIL]),
    Breaking("E0715", issue=FLAWED[Flaw.OUT_OF_DATE]),
    Breaking("E0715", issue=FLAWED[Flaw.BROKEN_CHAIN]),
    Breaking("E0715", revoked=True),
    Breaking("E0715", switches={"revocation_list": False}),
    Breaking("E0718", issue=partial(of_company, tax_id="44455566000183")),
    Breaking("E0718", issue=partial(of_person, cpf=PERSON)),
]


class TestSignatureRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    def test_a_certificate_without_tax_id_is_of_another_standard_and_of_nobody(
        self, service_court: ServiceCourt
    ) -> None:
        nobodys = Breaking("E0716", issue=FLAWED[Flaw.WITHOUT_TAX_ID])
        broken = service_court.broken(nobodys)
        assert [one.code for one in service_court.verdict_on(broken, nobodys)] == ["E0716"]
        again = service_court.verdict_on(broken, nobodys, rules_off=frozenset({"E0716"}))
        assert [one.code for one in again] == ["E0718"]

    def test_another_place_of_the_company_may_sign(self, service_court: ServiceCourt) -> None:
        branch = Breaking("", issue=partial(of_company, tax_id="11222333000262"))
        assert service_court.verdict_on(service_court.broken(branch), branch) == []

    def test_newer_algorithms_are_taken_too(
        self, service_court: ServiceCourt, lasting_certificate: SampleCertificate
    ) -> None:
        root = etree.fromstring(service_court.base("simples"))
        root.remove(signature_in(root))
        signed = Seal(lasting_certificate.to_pem).sign(etree.tostring(root, encoding="unicode"))
        assert b"rsa-sha256" in signed
        assert service_court.verdict(signed) == []

    def test_a_certificate_that_is_none_has_signed_nothing(self, service_court: ServiceCourt) -> None:
        broken = Breaking("E0714", after_signing=with_certificate(b"nonsense"))
        [refusal] = service_court.verdict_on(service_court.broken(broken), broken)
        assert refusal.code == "E0714"

    def test_what_is_wrong_with_it_hides_the_rest(self, service_court: ServiceCourt) -> None:
        both = Breaking("E0717", edit=says("infDPS/serie", "50000"), after_signing=without_signature)
        codes = [one.code for one in service_court.verdict_on(service_court.broken(both), both)]
        assert codes == ["E0717"]
