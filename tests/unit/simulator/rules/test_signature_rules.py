"""Who signed a document, and whether it is what was signed."""

from functools import partial

import pytest
from lxml import etree

from carimbo.simulator.trust import Flaw
from support import OTHER_CNPJ
from unit.fiscal.goods.support import CPF
from unit.simulator.mutating import DS, says
from unit.simulator.rules.breaking import Breaking, Court
from unit.simulator.rules.certificates import FLAWED, of_company, of_person


def points_elsewhere(root: etree._Element) -> None:
    reference = root.find(f".//{DS}Reference")
    assert reference is not None
    reference.set("URI", "#NFe" + "0" * 44)


BREAKINGS = [
    *(Breaking(f"29{flaw}", "nfe", issue=issue) for flaw, issue in FLAWED.items()),
    Breaking(f"29{Flaw.REVOKED}", "nfe", revoked=True),
    Breaking(f"29{Flaw.NO_REVOCATION_LIST}", "nfe", switches={"revocation_list": False}),
    Breaking("298", "nfe", after_signing=points_elsewhere),
    Breaking("297", "nfe", after_signing=says("infNFe/ide/natOp", "OUTRA COISA")),
    Breaking("213", "nfe", issue=partial(of_company, tax_id=OTHER_CNPJ)),
    Breaking("227", "nfe", issue=partial(of_person, cpf=CPF)),
]


class TestSignatureRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    def test_a_document_without_signature_is_not_signed_by_the_book(self, court: Court) -> None:
        def unsigned(root: etree._Element) -> None:
            signature = root.find(f"{DS}Signature")
            assert signature is not None
            root.remove(signature)

        court.prove(Breaking("298", "nfe", after_signing=unsigned, fits_schema=False))

    def test_a_certificate_that_cannot_be_read_is_invalid(self, court: Court) -> None:
        def garbled(root: etree._Element) -> None:
            certificate = root.find(f".//{DS}X509Certificate")
            assert certificate is not None
            certificate.text = "AAAA"

        breaking = Breaking("290", "nfe", after_signing=garbled)
        refusal = court.verdict_on(court.broken(breaking), breaking)
        assert refusal
        assert refusal.code == "290"

    def test_another_establishment_of_the_company_may_sign(self, court: Court) -> None:
        branch = Breaking("213", "nfe", issue=partial(of_company, tax_id="11222333000262"))
        assert court.verdict_on(court.broken(branch), branch) is None
