"""The key, the dates, the issuer, the register, the readers and the QR code."""

from base64 import b64encode
from datetime import timedelta
from functools import partial

import pytest
from lxml import etree

from carimbo.simulator.family import PRODUCTION, RequestContext
from carimbo.simulator.identifiers import check_digit
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.limits import REJECTIONS_OF_A_DOCUMENT
from carimbo.simulator.mdfe.judged import JudgedMdfe
from carimbo.simulator.registers import Contributor, Contributors
from carimbo.simulator.sefaz.rules.documents import count_rejection
from carimbo.simulator.trust import CertificateFlaw
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.goods.support import CPF, ISSUED_AT
from unit.simulator.mdfe.bases import AT_SVRS, MODE, ROAD, store_event, store_mdfe
from unit.simulator.mdfe.breaking import MdfeRuleTester, Violation
from unit.simulator.mdfe.sample_mdfe import QR_ADDRESS, REGISTRATION, SUPPLIER, key_of
from unit.simulator.mutating import DS, Edit, at, both, says, without
from unit.simulator.rules.certificates import FLAWED, of_company, of_person
from unit.simulator.rules.edits import grown

WRONG_CNPJ, WRONG_CPF = f"{CNPJ[:-1]}2", "52998224700"
QR = "infMDFeSupl/qrCodMDFe"


def another_key(root: etree._Element) -> None:
    signed = at(root, "infMDFe")
    first = signed.get("Id", "")[4:39] + "90000009"
    signed.set("Id", f"MDFe{first}{check_digit(first)}")


def another_digit(root: etree._Element) -> None:
    signed, digit = at(root, "infMDFe"), at(root, "infMDFe/ide/cDV")
    digit.text = str((int(digit.text or "0") + 1) % 10)
    signed.set("Id", signed.get("Id", "")[:-1] + digit.text)


def points_elsewhere(root: etree._Element) -> None:
    reference = root.find(f".//{DS}Reference")
    assert reference is not None
    reference.set("URI", "#MDFe" + "0" * 44)


def versioned(root: etree._Element) -> None:
    at(root, MODE).set("versaoModal", "3.01")


def rejected_often(context: RequestContext, xml: bytes) -> None:
    for _ in range(REJECTIONS_OF_A_DOCUMENT):
        count_rejection(JudgedMdfe(etree.fromstring(xml), AT_SVRS, context))


def same_number(context: RequestContext, xml: bytes) -> None:
    key = JudgedMdfe(etree.fromstring(xml), AT_SVRS, context).access_key
    store_mdfe(context, xml, access_key=f"{key[:35]}98765432{key[43]}", status=DocumentStatus.CLOSED)


def stored(context: RequestContext, xml: bytes) -> None:
    store_mdfe(context, xml)


def ended(context: RequestContext, xml: bytes, *, status: DocumentStatus, code: str) -> None:
    document = store_mdfe(context, xml, status=status)
    store_event(context, document.access_key, code)


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


def readers(*tax_ids: str) -> Edit:
    return grown("infMDFe/tot", *(f"<autXML>{tax_id}</autXML>" for tax_id in tax_ids))


def quoted(address: str) -> Edit:
    return says(QR, address)


def without_sign(root: etree._Element) -> None:
    element = at(root, QR)
    element.text = (element.text or "").partition("&sign=")[0]


def other_sign(root: etree._Element) -> None:
    without_sign(root)
    element = at(root, QR)
    element.text = f"{element.text}&sign={b64encode(b'x' * 256).decode()}"


VIOLATIONS = [
    Violation("678", prepare=rejected_often),
    *(Violation(f"29{flaw}", issue=issue) for flaw, issue in FLAWED.items()),
    Violation(f"29{CertificateFlaw.REVOKED}", revoked=True),
    Violation(f"29{CertificateFlaw.NO_REVOCATION_LIST}", switches={"revocation_list": False}),
    Violation("298", after_signing=points_elsewhere),
    Violation("297", after_signing=says("infMDFe/ide/verProc", "outra")),
    Violation("213", issue=partial(of_company, tax_id=OTHER_CNPJ)),
    Violation("202", issue=partial(of_person, cpf=CPF)),
    Violation("252", service_path=AT_SVRS._replace(environment=PRODUCTION)),
    Violation(
        "226",
        edit=both(says("infMDFe/ide/cUF", "33"), says("infMDFe/emit/enderEmit/UF", "RJ")),
        keyed=False,
        also_off={"227", "253", "407"},
    ),
    Violation("247", edit=says("infMDFe/emit/enderEmit/UF", "MG"), also_off={"407"}),
    Violation("227", edit=another_key, keyed=False),
    Violation("253", edit=another_digit, keyed=False),
    Violation("666", edit=says("infMDFe/ide/dhEmi", "2011-11-14T10:00:00-03:00"), also_off={"228"}),
    Violation("579", edit=versioned),
    Violation("580", edit=says(f"{ROAD}/infANTT/RNTRC", "1234"), detail="rodo/infANTT/RNTRC"),
    Violation("580", edit=says("infMDFe/ide/modal", "2"), detail="rodo"),
    Violation(
        "580", edit=without(ROAD), detail="infModal", fits_schema=False, also_off={"646", "688", "684", "578"}
    ),
    Violation("212", now=ISSUED_AT - timedelta(minutes=6)),
    Violation("228", now=ISSUED_AT + timedelta(hours=24, seconds=1)),
    Violation("228", base="offline", now=ISSUED_AT + timedelta(hours=168, seconds=1)),
    Violation(
        "207",
        edit=says("infMDFe/emit/CNPJ", WRONG_CNPJ),
        issue=partial(of_company, tax_id=WRONG_CNPJ),
    ),
    Violation("232", edit=says("infMDFe/ide/serie", "920")),
    Violation(
        "210",
        base="person",
        edit=says("infMDFe/emit/CPF", WRONG_CPF),
        issue=partial(of_person, cpf=WRONG_CPF),
    ),
    Violation("233", base="person", edit=says("infMDFe/ide/serie", "1")),
    Violation(
        "234",
        base="person",
        edit=says("infMDFe/ide/tpEmit", "1"),
        masked_by={"638"},
        also_off={"688", "684", "578", "698", "725"},
    ),
    Violation("229", edit=without("infMDFe/emit/IE")),
    Violation("209", edit=says("infMDFe/emit/IE", "000000000000")),
    Violation("203", prepare=partial(registered, is_active=False)),
    Violation("230", prepare=partial(registered, registration="110042490122")),
    Violation("231", prepare=partial(registered, registration="110042490122", others=True)),
    Violation("407", edit=says("infMDFe/emit/enderEmit/cMun", "3304557")),
    Violation("408", edit=says("infMDFe/emit/enderEmit/cMun", "3500000")),
    Violation("660", edit=readers(f"<CNPJ>{WRONG_CNPJ}</CNPJ>")),
    Violation("661", edit=readers(f"<CPF>{WRONG_CPF}</CPF>")),
    Violation("459", edit=readers(f"<CNPJ>{SUPPLIER}</CNPJ>", f"<CNPJ>{SUPPLIER}</CNPJ>")),
    Violation("713", edit=says("infMDFe/infRespTec/CNPJ", WRONG_CNPJ)),
    Violation("480", edit=without("infMDFeSupl")),
    Violation("479", edit=quoted(f"https://example.com/qrCode?chMDFe={key_of()}&tpAmb=2"), quoted=False),
    Violation("481", edit=quoted(f"{QR_ADDRESS}?chMDFe={key_of(2)}&tpAmb=2"), quoted=False),
    Violation("482", base="offline", edit=without_sign, quoted=False),
    Violation("488", edit=quoted(f"{QR_ADDRESS}?chMDFe={key_of()}&tpAmb=2&sign=AAAA"), quoted=False),
    Violation("496", base="offline", edit=other_sign, quoted=False),
    Violation("539", prepare=same_number, detail="[chMDFe:"),
    Violation("204", prepare=stored, detail="[nProt:935260000000001][dhAut:2026-11-14T10:00:00-03:00]"),
    Violation(
        "218",
        prepare=partial(ended, status=DocumentStatus.CANCELED, code="110111"),
        detail="[nProt:935260000000009][dhCanc:2026-11-14T10:00:00-03:00]",
    ),
    Violation(
        "609",
        prepare=partial(ended, status=DocumentStatus.CLOSED, code="110112"),
        detail="[nProt:935260000000009][dhEnc:2026-11-14T10:00:00-03:00]",
    ),
]


class TestKeyRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: MdfeRuleTester) -> None:
        tester.check(violation)

    def test_registered_issuer_is_accepted(self, tester: MdfeRuleTester) -> None:
        assert tester.accepts(Violation("230", prepare=registered))

    def test_document_of_the_contingency_may_be_a_week_old(self, tester: MdfeRuleTester) -> None:
        assert tester.accepts(Violation("228", base="offline", now=ISSUED_AT + timedelta(hours=168)))

    def test_key_may_have_letters(self, tester: MdfeRuleTester) -> None:
        lettered = both(says("infMDFe/emit/CNPJ", OTHER_CNPJ))
        assert tester.accepts(Violation("227", edit=lettered, issue=partial(of_company, tax_id=OTHER_CNPJ)))

    def test_address_of_the_qr_code_ignores_case(self, tester: MdfeRuleTester) -> None:
        shouted = quoted(f"{QR_ADDRESS.upper()}?chMDFe={key_of()}&tpAmb=2")
        assert tester.accepts(Violation("479", edit=shouted, quoted=False))

    def test_end_without_an_event_has_no_detail(self, tester: MdfeRuleTester) -> None:
        def canceled(context: RequestContext, xml: bytes) -> None:
            store_mdfe(context, xml, status=DocumentStatus.CANCELED)

        ended_somehow = Violation("218", prepare=canceled)
        refusal = tester.verdict_on(tester.broken(ended_somehow), ended_somehow)
        assert refusal is not None
        assert (refusal.code, refusal.detail) == ("218", "")
