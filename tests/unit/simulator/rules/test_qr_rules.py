"""The QR code of receipts."""

import hashlib
from functools import partial

import pytest
from lxml import etree

from carimbo.simulator.family import RequestContext
from carimbo.simulator.registers import SecurityCode, SecurityCodes
from support import CNPJ
from unit.fiscal.goods.support import CPF
from unit.simulator.mutating import CSC, Edit, at, both, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.certificates import of_person
from unit.simulator.rules.edits import grown

QR, CONSULT, ISSUER = "infNFeSupl/qrCode", "infNFeSupl/urlChave", "infNFe/emit"
ANOTHER_KEY = "35261111222333000181650010000000041123456829"
ANOTHER_TOKEN = "FEDCBA9876543210FEDCBA9876543210"
FIXED_TEXT = "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
ADDRESS = "https://www.homologacao.nfce.fazenda.sp.gov.br"
SUPPLEMENT = (
    f"<infNFeSupl><qrCode>{ADDRESS}/NFCeConsultaPublica/Paginas/ConsultaQRCode.aspx"
    f"?p={ANOTHER_KEY}|2|2|1|{'A' * 40}</qrCode><urlChave>{ADDRESS}/consulta</urlChave></infNFeSupl>"
)
PRINTED_LIKE_A_RECEIPT = both(
    says("infNFe/ide/tpImp", "6"),
    says("infNFe/det/prod/xProd", FIXED_TEXT),
    grown("infNFe", SUPPLEMENT),
)
A_BUYER = grown(ISSUER, f"<dest><CPF>{CPF}</CPF><indIEDest>9</indIEDest></dest>")
A_FOREIGNER = grown(ISSUER, "<dest><idEstrangeiro>PASS12345</idEstrangeiro><indIEDest>9</indIEDest></dest>")


def parameters(root: etree._Element) -> tuple[str, list[str]]:
    address, _, query = (at(root, QR).text or "").partition("?p=")
    return address, query.split("|")


def parameter(place: int, text: str, token: str = CSC) -> Edit:
    """Changes a parameter, with a matching hash."""

    def edit(root: etree._Element) -> None:
        address, parts = parameters(root)
        parts[place] = text
        text_to_hash = "|".join(parts[:-1])
        hashed = hashlib.sha1(f"{text_to_hash}{token}".encode()).hexdigest().upper()
        at(root, QR).text = f"{address}?p={text_to_hash}|{hashed}"

    return edit


def last(text: str) -> Edit:
    """Changes the hash or signature."""

    def edit(root: etree._Element) -> None:
        address, parts = parameters(root)
        at(root, QR).text = f"{address}?p={'|'.join([*parts[:-1], text])}"

    return edit


def elsewhere(root: etree._Element) -> None:
    _, parts = parameters(root)
    at(root, QR).text = f"https://www.example.com/qrcode?p={'|'.join(parts)}"


def first_version(root: etree._Element) -> None:
    address, parts = parameters(root)
    at(root, QR).text = (
        f"{address}?chNFe={parts[0]}&nVersao=100&tpAmb=2&dhEmi={'3' * 50}&vNF=71.80&vICMS=0.00"
        f"&digVal={'3' * 56}&cIdToken=000001&cHashQRCode={'A' * 40}"
    )


def capitals(root: etree._Element) -> None:
    address, parts = parameters(root)
    at(root, QR).text = f"{address.upper()}?p={'|'.join(parts)}"


def by_a_person(root: etree._Element) -> None:
    issuer = at(root, f"{ISSUER}/CNPJ")
    issuer.tag = issuer.tag.replace("CNPJ", "CPF")
    issuer.text = CPF


def register_security_code(context: RequestContext, xml: bytes) -> None:
    SecurityCodes(context.store).put(SecurityCode(CNPJ, 2, ANOTHER_TOKEN))


VIOLATIONS = [
    Violation("394", "nfce", without("infNFeSupl")),
    Violation("903", "nfce", after_signing=first_version),
    Violation("395", "nfce", elsewhere),
    Violation("672", "nfe", PRINTED_LIKE_A_RECEIPT),
    Violation(
        "444",
        "nfce",
        both(by_a_person, says("infNFe/ide/serie", "920")),
        issue=partial(of_person, cpf=CPF),
    ),
    Violation("397", "nfce", after_signing=parameter(0, ANOTHER_KEY), detail="[Param:chNFe]"),
    Violation("397", "nfce", after_signing=parameter(2, "1"), detail="[Param:tpAmb]"),
    Violation("397", "nfce_offline", after_signing=parameter(3, "15"), detail="[Param:diaEmi]"),
    Violation("397", "nfce_offline", after_signing=parameter(4, "71.81"), detail="[Param:vNF]"),
    Violation("397", "nfce_offline", after_signing=parameter(5, "3" * 56)),
    Violation("397", "nfce_offline_qr3", A_BUYER),
    Violation("397", "nfce_offline_qr3", A_FOREIGNER),
    Violation("462", "nfce", parameter(3, "2")),
    Violation("464", "nfce", after_signing=last("A" * 40)),
    Violation("464", "nfce", after_signing=parameter(3, "1", ANOTHER_TOKEN)),
    Violation("464", "nfce_offline", after_signing=last("A" * 40)),
    Violation("583", "nfce_offline_qr3", after_signing=last("AAAA")),
    Violation("878", "nfce", says(CONSULT, "https://www.example.com/consulta")),
]
ALLOWED = [
    Violation("395", "nfce", capitals),
    Violation("397", "nfce_offline", after_signing=parameter(4, "71.80")),
    Violation("462", "nfce", after_signing=parameter(3, "2", ANOTHER_TOKEN), prepare=register_security_code),
    Violation("878", "nfce", says(CONSULT, "www.homologacao.nfce.fazenda.sp.gov.br/consulta")),
]
"""Documents close to breaking a rule, which are accepted."""


class TestQrRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None
