"""The signature of a document and its certificate."""

from functools import partial

import pytest
from lxml import etree

from carimbo.simulator.trust import CertificateFlaw
from support import OTHER_CNPJ
from unit.fiscal.goods.support import CPF
from unit.simulator.mutating import DS, says
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.certificates import FLAWED, of_company, of_person


def points_elsewhere(root: etree._Element) -> None:
    reference = root.find(f".//{DS}Reference")
    assert reference is not None
    reference.set("URI", "#NFe" + "0" * 44)


VIOLATIONS = [
    *(Violation(f"29{flaw}", "nfe", issue=issue) for flaw, issue in FLAWED.items()),
    Violation(f"29{CertificateFlaw.REVOKED}", "nfe", revoked=True),
    Violation(f"29{CertificateFlaw.NO_REVOCATION_LIST}", "nfe", switches={"revocation_list": False}),
    Violation("298", "nfe", after_signing=points_elsewhere),
    Violation("297", "nfe", after_signing=says("infNFe/ide/natOp", "OUTRA COISA")),
    Violation("213", "nfe", issue=partial(of_company, tax_id=OTHER_CNPJ)),
    Violation("227", "nfe", issue=partial(of_person, cpf=CPF)),
]


class TestSignatureRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    def test_document_without_signature_does_not_have_the_required_form(
        self, tester: InvoiceRuleTester
    ) -> None:
        def unsigned(root: etree._Element) -> None:
            signature = root.find(f"{DS}Signature")
            assert signature is not None
            root.remove(signature)

        tester.check(Violation("298", "nfe", after_signing=unsigned, fits_schema=False))

    def test_unreadable_certificate_is_invalid(self, tester: InvoiceRuleTester) -> None:
        def garbled(root: etree._Element) -> None:
            certificate = root.find(f".//{DS}X509Certificate")
            assert certificate is not None
            certificate.text = "AAAA"

        violation = Violation("290", "nfe", after_signing=garbled)
        refusal = tester.verdict_on(tester.broken(violation), violation)
        assert refusal
        assert refusal.code == "290"

    def test_branch_of_the_company_may_sign(self, tester: InvoiceRuleTester) -> None:
        branch = Violation("213", "nfe", issue=partial(of_company, tax_id="11222333000262"))
        assert tester.verdict_on(tester.broken(branch), branch) is None
