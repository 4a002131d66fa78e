"""The key, the place, the dates, the issuer and the register."""

from datetime import timedelta
from functools import partial

import pytest
from lxml import etree

from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.cte.judged import JudgedCte
from carimbo.simulator.family import PRODUCTION, RequestContext
from carimbo.simulator.identifiers import check_digit
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.limits import REJECTIONS_OF_A_DOCUMENT
from carimbo.simulator.registers import Contributor, Contributors
from carimbo.simulator.sefaz.rules.documents import count_rejection
from carimbo.simulator.trust import CertificateFlaw
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.goods.support import CPF, ISSUED_AT
from unit.simulator.cte.bases import AT_SP, store_cte
from unit.simulator.cte.breaking import CteRuleTester, Violation
from unit.simulator.cte.sample_cte import REGISTRATION
from unit.simulator.mutating import DS, after, at, both, says, without
from unit.simulator.rules.certificates import FLAWED, of_company, of_person
from unit.simulator.rules.edits import grown

AT_SVRS = AT_SP._replace(authorizer="SVRS")
SVC_ON = {"contingency": {"SVRS": ContingencySwitch.ON}}
AT_THE_SVC = says("infCte/ide/tpEmis", "7")
CONTINGENCY = (
    "<dhCont>2026-11-14T09:00:00-03:00</dhCont>",
    "<xJust>SEM CONEXAO COM A SEFAZ</xJust>",
)


def another_key(root: etree._Element) -> None:
    signed = at(root, "infCte")
    first = signed.get("Id", "")[3:38] + "90000009"
    signed.set("Id", f"CTe{first}{check_digit(first)}")


def another_digit(root: etree._Element) -> None:
    signed, digit = at(root, "infCte"), at(root, "infCte/ide/cDV")
    digit.text = str((int(digit.text or "0") + 1) % 10)
    signed.set("Id", signed.get("Id", "")[:-1] + digit.text)


def points_elsewhere(root: etree._Element) -> None:
    reference = root.find(f".//{DS}Reference")
    assert reference is not None
    reference.set("URI", "#CTe" + "0" * 44)


def rejected_often(context: RequestContext, xml: bytes) -> None:
    for _ in range(REJECTIONS_OF_A_DOCUMENT):
        count_rejection(JudgedCte(etree.fromstring(xml), AT_SP, context))


def same_number(context: RequestContext, xml: bytes) -> None:
    key = JudgedCte(etree.fromstring(xml), AT_SP, context).access_key
    store_cte(context, xml, access_key=f"{key[:35]}98765432{key[43]}")


def stored(context: RequestContext, xml: bytes) -> None:
    store_cte(context, xml)


def canceled(context: RequestContext, xml: bytes) -> None:
    store_cte(context, xml, status=DocumentStatus.CANCELED)


def registered(context: RequestContext, xml: bytes, *, others: bool = False, **changes: object) -> None:
    """Registers the issuer, and another taxpayer with its registration."""
    usual: dict[str, object] = {
        "state": "SP",
        "tax_id": CNPJ,
        "registration": REGISTRATION,
        "name": "TRANSPORTES MODELO",
    }
    register = Contributors(context.store)
    register.put(Contributor(**usual | changes))  # type: ignore[arg-type]
    if others:
        register.put(Contributor(**usual | {"tax_id": OTHER_CNPJ}))  # type: ignore[arg-type]


VIOLATIONS = [
    Violation("678", prepare=rejected_often),
    *(Violation(f"29{flaw}", issue=issue) for flaw, issue in FLAWED.items()),
    Violation(f"29{CertificateFlaw.REVOKED}", revoked=True),
    Violation(f"29{CertificateFlaw.NO_REVOCATION_LIST}", switches={"revocation_list": False}),
    Violation("298", after_signing=points_elsewhere),
    Violation("297", after_signing=says("infCte/ide/natOp", "OUTRA COISA")),
    Violation("213", issue=partial(of_company, tax_id=OTHER_CNPJ)),
    Violation("202", issue=partial(of_person, cpf=CPF)),
    Violation("252", service_path=AT_SP._replace(environment=PRODUCTION)),
    Violation("410", service_path=AT_SP._replace(authorizer="MG")),
    Violation("732", edit=says("infCte/ide/mod", "67"), fits_schema=False),
    Violation("227", edit=another_key, keyed=False),
    Violation("253", edit=another_digit, keyed=False),
    Violation("670", edit=says("infCte/ide/serie", "890")),
    Violation(
        "247",
        edit=says("infCte/emit/enderEmit/UF", "MG"),
        also_off={"712", "524"},
    ),
    Violation("515", edit=AT_THE_SVC),
    Violation("516", service_path=AT_SVRS, switches=SVC_ON),
    Violation(
        "517",
        base="complement",
        edit=AT_THE_SVC,
        service_path=AT_SVRS,
        switches=SVC_ON,
    ),
    Violation("114", edit=AT_THE_SVC, service_path=AT_SVRS),
    Violation("641", edit=says("infCte/ide/tpEmis", "4"), also_off={"853"}),
    Violation("586", edit=grown("infCte/ide/toma3", *CONTINGENCY)),
    Violation("587", base="offline", edit=both(without("infCte/ide/dhCont"), without("infCte/ide/xJust"))),
    Violation("588", base="offline", edit=says("infCte/ide/dhCont", "2026-11-14T10:00:01-03:00")),
    Violation("212", now=ISSUED_AT - timedelta(minutes=6)),
    Violation("228", now=ISSUED_AT + timedelta(hours=168, seconds=1)),
    Violation(
        "207",
        edit=says("infCte/emit/CNPJ", f"{CNPJ[:-1]}2"),
        issue=partial(of_company, tax_id=f"{CNPJ[:-1]}2"),
    ),
    Violation("229", edit=without("infCte/emit/IE")),
    Violation("209", edit=says("infCte/emit/IE", "000000000000")),
    Violation("614", edit=after("infCte/emit/IE", "IEST", "000000000000")),
    Violation("230", prepare=partial(registered, registration="110042490122")),
    Violation("231", prepare=partial(registered, registration="110042490122", others=True)),
    Violation("203", prepare=partial(registered, is_active=False)),
    Violation("712", edit=says("infCte/emit/enderEmit/cMun", "3304557")),
    Violation("713", edit=says("infCte/emit/enderEmit/cMun", "3500000")),
    Violation("539", prepare=same_number, detail="[chCTe:"),
    Violation("204", prepare=stored, detail="[nProt:135260000000001][dhAut:2026-11-14T10:00:00-03:00]"),
    Violation("218", prepare=canceled, detail="[nProt:"),
]


class TestKeyRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: CteRuleTester) -> None:
        tester.check(violation)

    def test_registered_issuer_is_accepted(self, tester: CteRuleTester) -> None:
        right = Violation("230", prepare=registered)
        assert tester.verdict_on(tester.broken(right), right) is None

    def test_document_used_before_its_authorization_may_be_old(self, tester: CteRuleTester) -> None:
        late = Violation("228", base="offline", now=ISSUED_AT + timedelta(days=30))
        assert tester.verdict_on(tester.broken(late), late) is None

    def test_svc_accepts_a_document_while_the_home_authority_is_down(self, tester: CteRuleTester) -> None:
        served = Violation("114", edit=AT_THE_SVC, service_path=AT_SVRS, switches={"outages": {"SP": "109"}})
        assert tester.verdict_on(tester.broken(served), served) is None
