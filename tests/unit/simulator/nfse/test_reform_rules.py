"""IBS and CBS: operation, recipient, classification, and reimbursed expenses."""

import pytest

from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.nfse.declaring import PROPERTY, RECIPIENT
from unit.simulator.nfse.sefin import ServiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown

REFORM = "infDPS/IBSCBS"
SITUATION = f"{REFORM}/valores/trib/gIBSCBS"
EXPENSE = f"{REFORM}/valores/gReeRepRes/documentos"
KEY = "35503082211222333000181000000000000126111234567890"
WRONG_KEY = f"{KEY[:-1]}6"
REFERENCE = f"<gRefNFSe><refNFSe>{KEY}</refNFSe></gRefNFSe>"
REGULAR = "<gTribRegular><CSTReg>000</CSTReg><cClassTribReg>000001</cClassTribReg></gTribRegular>"
DEFERRAL = "<gDif><pDifUF>1.00</pDifUF><pDifMun>1.00</pDifMun><pDifCBS>1.00</pDifCBS></gDif>"


def in_version(version: str) -> Edit:
    return lambda root: root.set("versao", version)


OF_OPERATIONS = [
    Violation("E0850", "normal", says("infDPS/dCompet", "2025-12-31")),
    Violation("E0854", "normal", in_version("1.00")),
    Violation("E0901", "normal", says(f"{REFORM}/cIndOp", "999999")),
    Violation("E0903", "public", without(f"{REFORM}/tpOper")),
    Violation("E0904", "normal", after(f"{REFORM}/cIndOp", "tpOper", "5")),
    Violation("E0905", "public", says(f"{REFORM}/tpOper", "2")),
    Violation("E0906", "public", grown(f"{REFORM}/tpOper", REFERENCE)),
    Violation(
        "E0907",
        "public",
        both(says(f"{REFORM}/tpOper", "2"), grown(f"{REFORM}/tpOper", REFERENCE.replace(KEY, WRONG_KEY))),
    ),
]
OF_RECIPIENTS = [
    Violation("E0910", "to_recipient", says(f"{REFORM}/indDest", "0")),
    Violation("E0911", "to_recipient", says(f"{REFORM}/dest/CNPJ", "66677788000184")),
    Violation("E0913", "to_recipient", becomes(f"{REFORM}/dest/CNPJ", "<CPF>52998224726</CPF>")),
    Violation("E0920", "to_recipient", says(f"{REFORM}/dest/end/endNac/cMun", "3550309")),
    Violation("E0930", "to_recipient", after(f"{REFORM}/dest/end", "email", "nenhum")),
]
OF_PROPERTIES = [
    Violation("E0928", "normal", grown(f"{REFORM}/indDest", PROPERTY)),
    Violation(
        "E0931",
        "property",
        both(
            says("infDPS/serv/cServ/cTribNac", "070201"),
            grown("infDPS/serv/cServ", "<obra><cObra>123</cObra></obra>"),
        ),
    ),
    Violation("E0932", "property", without(f"{REFORM}/imovel")),
    Violation("E0932", "normal", says(f"{REFORM}/cIndOp", "020401")),
]
OF_CLASSES = [
    Violation("E0958", "normal", says(f"{SITUATION}/cClassTrib", "000999")),
    Violation("E0958", "normal", says(f"{SITUATION}/cClassTrib", "000002")),
    Violation("E0959", "normal", says(f"{SITUATION}/cClassTrib", "200028")),
    Violation("E0964", "normal", grown(f"{SITUATION}/cClassTrib", REGULAR)),
    Violation("E0965", "regular", without(f"{SITUATION}/gTribRegular")),
    Violation("E0969", "regular", says(f"{SITUATION}/gTribRegular/cClassTribReg", "000002")),
    Violation("E0970", "regular", says(f"{SITUATION}/gTribRegular/cClassTribReg", "200028")),
    Violation("E0971", "normal", grown(f"{SITUATION}/cClassTrib", DEFERRAL)),
    Violation("E0972", "deferred", without(f"{SITUATION}/gDif")),
]
OF_EXPENSES = [
    Violation("E0940", "national_expenses", says(f"{EXPENSE}/dFeNacional/tipoChaveDFe", "1"), detail="[1]"),
    Violation(
        "E0942",
        "expenses",
        both(says(f"{EXPENSE}/dtEmiDoc", "2026-01-01"), says(f"{EXPENSE}/dtCompDoc", "2026-01-01")),
    ),
    Violation("E0943", "expenses", says(f"{EXPENSE}/docFiscalOutro/cMunDocFiscal", "3550309")),
    Violation("E0945", "expenses", says(f"{EXPENSE}/fornec/CNPJ", "66677788000184")),
    Violation("E0947", "expenses", becomes(f"{EXPENSE}/fornec/CNPJ", "<CPF>52998224726</CPF>")),
    Violation("E0950", "expenses", says(f"{EXPENSE}/dtEmiDoc", "2025-12-09")),
    Violation("E0952", "expenses", says(f"{EXPENSE}/tpReeRepRes", "01")),
    Violation("E0953", "expenses", says(f"{EXPENSE}/vlrReeRepRes", "1000.01")),
]
VIOLATIONS = [*OF_OPERATIONS, *OF_RECIPIENTS, *OF_PROPERTIES, *OF_CLASSES, *OF_EXPENSES]
ALLOWED = [
    Violation("E0850", "normal", says("infDPS/dCompet", "2026-01-01")),
    Violation("E0854", "simples", in_version("1.00")),
    Violation(
        "E0903",
        "normal",
        both(says("infDPS/serv/cServ/cTribNac", "171201"), after(f"{REFORM}/cIndOp", "tpOper", "5")),
    ),
    Violation("E0905", "public", both(says(f"{REFORM}/tpOper", "3"), grown(f"{REFORM}/tpOper", REFERENCE))),
    Violation("E0910", "normal", both(says(f"{REFORM}/indDest", "1"), grown(f"{REFORM}/indDest", RECIPIENT))),
    Violation("E0911", "to_recipient", says(f"{REFORM}/dest/CNPJ", "12ABC34501DE35")),
    Violation("E0959", "reduced_reform", says(f"{SITUATION}/cClassTrib", "200052")),
    Violation(
        "E0942",
        "expenses",
        both(says(f"{EXPENSE}/dtEmiDoc", "2025-12-31"), says(f"{EXPENSE}/dtCompDoc", "2025-12-31")),
    ),
    Violation("E0952", "expenses", says(f"{EXPENSE}/xTpReeRepRes", "OUTRAS")),
]
"""Declarations close to breaking a rule, which are accepted."""


class TestReformRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_declaration(
        self, violation: Violation, service_tester: ServiceRuleTester
    ) -> None:
        service_tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(
        self, allowed: Violation, service_tester: ServiceRuleTester
    ) -> None:
        assert service_tester.verdict_on(service_tester.broken(allowed), allowed) == []
