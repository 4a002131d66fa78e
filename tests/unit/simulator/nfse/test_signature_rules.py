"""The signature of a declaration and its certificate."""

from base64 import b64encode
from functools import partial

import pytest
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.signatures import AuthoritySigner
from carimbo.simulator.trust import CertificateFlaw
from unit.simulator.mutating import DS, Edit, says
from unit.simulator.nfse.declaring import PERSON
from unit.simulator.nfse.sefin import ServiceRuleTester, Violation
from unit.simulator.rules.certificates import FLAWED, of_company, of_person

XSLT = "http://www.w3.org/TR/1999/REC-xslt-19991116"


def without_signature(root: etree._Element) -> None:
    root.remove(signature_in(root))


def signature_in(root: etree._Element) -> etree._Element:
    signature = root.find(f"{DS}Signature")
    assert signature is not None
    return signature


def of_the_whole(root: etree._Element) -> None:
    """Makes the reference name the whole document."""
    reference = signature_in(root).find(f"{DS}SignedInfo/{DS}Reference")
    assert reference is not None
    reference.set("URI", "")


def transformed(root: etree._Element) -> None:
    """Adds a dangerous transform."""
    step = next(signature_in(root).iter(f"{DS}Transform"))
    step.set("Algorithm", XSLT)


def with_certificate(text: bytes) -> Edit:
    def edit(root: etree._Element) -> None:
        certificate = next(signature_in(root).iter(f"{DS}X509Certificate"))
        certificate.text = b64encode(text).decode()

    return edit


VIOLATIONS = [
    Violation("E0717", after_signing=without_signature),
    Violation("E0714", after_signing=says("infDPS/serv/cServ/xDescServ", "OUTRO SERVICO")),
    Violation("E0714", after_signing=of_the_whole),
    Violation("E0714", after_signing=transformed),
    Violation("E0716", issue=FLAWED[CertificateFlaw.INVALID]),
    Violation("E0716", issue=FLAWED[CertificateFlaw.NOT_ICP_BRASIL]),
    Violation("E0715", issue=FLAWED[CertificateFlaw.OUT_OF_DATE]),
    Violation("E0715", issue=FLAWED[CertificateFlaw.BROKEN_CHAIN]),
    Violation("E0715", revoked=True),
    Violation("E0715", switches={"revocation_list": False}),
    Violation("E0718", issue=partial(of_company, tax_id="44455566000183")),
    Violation("E0718", issue=partial(of_person, cpf=PERSON)),
]


class TestSignatureRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_declaration(
        self, violation: Violation, service_tester: ServiceRuleTester
    ) -> None:
        service_tester.check(violation)

    def test_certificate_without_tax_id_breaks_two_rules(self, service_tester: ServiceRuleTester) -> None:
        nobodys = Violation("E0716", issue=FLAWED[CertificateFlaw.WITHOUT_TAX_ID])
        broken = service_tester.broken(nobodys)
        assert [refusal.code for refusal in service_tester.verdict_on(broken, nobodys)] == ["E0716"]
        again = service_tester.verdict_on(broken, nobodys, rules_off=frozenset({"E0716"}))
        assert [refusal.code for refusal in again] == ["E0718"]

    def test_branch_of_the_company_may_sign(self, service_tester: ServiceRuleTester) -> None:
        branch = Violation("", issue=partial(of_company, tax_id="11222333000262"))
        assert service_tester.verdict_on(service_tester.broken(branch), branch) == []

    def test_newer_algorithms_are_accepted(
        self, service_tester: ServiceRuleTester, lasting_certificate: SampleCertificate
    ) -> None:
        root = etree.fromstring(service_tester.base("simples"))
        root.remove(signature_in(root))
        signed = AuthoritySigner(lasting_certificate.to_pem).sign(etree.tostring(root, encoding="unicode"))
        assert b"rsa-sha256" in signed
        assert service_tester.verdict(signed) == []

    def test_unreadable_certificate_makes_the_signature_invalid(
        self, service_tester: ServiceRuleTester
    ) -> None:
        broken = Violation("E0714", after_signing=with_certificate(b"nonsense"))
        [refusal] = service_tester.verdict_on(service_tester.broken(broken), broken)
        assert refusal.code == "E0714"

    def test_signature_error_hides_all_others(self, service_tester: ServiceRuleTester) -> None:
        both = Violation("E0717", edit=says("infDPS/serie", "50000"), after_signing=without_signature)
        codes = [refusal.code for refusal in service_tester.verdict_on(service_tester.broken(both), both)]
        assert codes == ["E0717"]
