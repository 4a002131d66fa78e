"""IBS and CBS: the operation, who it is for, how it is classified, and what is passed on."""

import pytest

from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.nfse.declaring import PROPERTY, RECIPIENT
from unit.simulator.nfse.sefin import Breaking, ServiceCourt
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
    Breaking("E0850", "normal", says("infDPS/dCompet", "2025-12-31")),
    Breaking("E0854", "normal", in_version("1.00")),
    Breaking("E0901", "normal", says(f"{REFORM}/cIndOp", "999999")),
    Breaking("E0903", "public", without(f"{REFORM}/tpOper")),
    Breaking("E0904", "normal", after(f"{REFORM}/cIndOp", "tpOper", "5")),
    Breaking("E0905", "public", says(f"{REFORM}/tpOper", "2")),
    Breaking("E0906", "public", grown(f"{REFORM}/tpOper", REFERENCE)),
    Breaking(
        "E0907",
        "public",
        both(says(f"{REFORM}/tpOper", "2"), grown(f"{REFORM}/tpOper", REFERENCE.replace(KEY, WRONG_KEY))),
    ),
]
OF_RECIPIENTS = [
    Breaking("E0910", "to_recipient", says(f"{REFORM}/indDest", "0")),
    Breaking("E0911", "to_recipient", says(f"{REFORM}/dest/CNPJ", "66677788000184")),
    Breaking("E0913", "to_recipient", becomes(f"{REFORM}/dest/CNPJ", "<CPF>52998224726</CPF>")),
    Breaking("E0920", "to_recipient", says(f"{REFORM}/dest/end/endNac/cMun", "3550309")),
    Breaking("E0930", "to_recipient", after(f"{REFORM}/dest/end", "email", "nenhum")),
]
OF_PROPERTIES = [
    Breaking("E0928", "normal", grown(f"{REFORM}/indDest", PROPERTY)),
    Breaking(
        "E0931",
        "property",
        both(
            says("infDPS/serv/cServ/cTribNac", "070201"),
            grown("infDPS/serv/cServ", "<obra><cObra>123</cObra></obra>"),
        ),
    ),
    Breaking("E0932", "property", without(f"{REFORM}/imovel")),
    Breaking("E0932", "normal", says(f"{REFORM}/cIndOp", "020401")),
]
OF_CLASSES = [
    Breaking("E0958", "normal", says(f"{SITUATION}/cClassTrib", "000999")),
    Breaking("E0958", "normal", says(f"{SITUATION}/cClassTrib", "000002")),
    Breaking("E0959", "normal", says(f"{SITUATION}/cClassTrib", "200028")),
    Breaking("E0964", "normal", grown(f"{SITUATION}/cClassTrib", REGULAR)),
    Breaking("E0965", "regular", without(f"{SITUATION}/gTribRegular")),
    Breaking("E0969", "regular", says(f"{SITUATION}/gTribRegular/cClassTribReg", "000002")),
    Breaking("E0970", "regular", says(f"{SITUATION}/gTribRegular/cClassTribReg", "200028")),
    Breaking("E0971", "normal", grown(f"{SITUATION}/cClassTrib", DEFERRAL)),
    Breaking("E0972", "deferred", without(f"{SITUATION}/gDif")),
]
OF_EXPENSES = [
    Breaking("E0940", "national_expenses", says(f"{EXPENSE}/dFeNacional/tipoChaveDFe", "1"), detail="[1]"),
    Breaking(
        "E0942",
        "expenses",
        both(says(f"{EXPENSE}/dtEmiDoc", "2026-01-01"), says(f"{EXPENSE}/dtCompDoc", "2026-01-01")),
    ),
    Breaking("E0943", "expenses", says(f"{EXPENSE}/docFiscalOutro/cMunDocFiscal", "3550309")),
    Breaking("E0945", "expenses", says(f"{EXPENSE}/fornec/CNPJ", "66677788000184")),
    Breaking("E0947", "expenses", becomes(f"{EXPENSE}/fornec/CNPJ", "<CPF>52998224726</CPF>")),
    Breaking("E0950", "expenses", says(f"{EXPENSE}/dtEmiDoc", "2025-12-09")),
    Breaking("E0952", "expenses", says(f"{EXPENSE}/tpReeRepRes", "01")),
    Breaking("E0953", "expenses", says(f"{EXPENSE}/vlrReeRepRes", "1000.01")),
]
BREAKINGS = [*OF_OPERATIONS, *OF_RECIPIENTS, *OF_PROPERTIES, *OF_CLASSES, *OF_EXPENSES]
ALLOWED = [
    Breaking("E0850", "normal", says("infDPS/dCompet", "2026-01-01")),
    Breaking("E0854", "simples", in_version("1.00")),
    Breaking(
        "E0903",
        "normal",
        both(says("infDPS/serv/cServ/cTribNac", "171201"), after(f"{REFORM}/cIndOp", "tpOper", "5")),
    ),
    Breaking("E0905", "public", both(says(f"{REFORM}/tpOper", "3"), grown(f"{REFORM}/tpOper", REFERENCE))),
    Breaking("E0910", "normal", both(says(f"{REFORM}/indDest", "1"), grown(f"{REFORM}/indDest", RECIPIENT))),
    Breaking("E0911", "to_recipient", says(f"{REFORM}/dest/CNPJ", "12ABC34501DE35")),
    Breaking("E0959", "reduced_reform", says(f"{SITUATION}/cClassTrib", "200052")),
    Breaking(
        "E0942",
        "expenses",
        both(says(f"{EXPENSE}/dtEmiDoc", "2025-12-31"), says(f"{EXPENSE}/dtCompDoc", "2025-12-31")),
    ),
    Breaking("E0952", "expenses", says(f"{EXPENSE}/xTpReeRepRes", "OUTRAS")),
]
"""What comes near to breaking a rule."""


class TestReformRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, service_court: ServiceCourt) -> None:
        assert service_court.verdict_on(service_court.broken(allowed), allowed) == []
