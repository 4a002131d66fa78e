"""The QR code of receipts."""

import hashlib
from functools import partial

import pytest
from lxml import etree

from carimbo.simulator.family import World
from carimbo.simulator.security_codes import SecurityCode, SecurityCodes
from support import CNPJ
from unit.fiscal.goods.support import CPF
from unit.simulator.mutating import CSC, Edit, at, both, says, without
from unit.simulator.rules.breaking import Breaking, Court
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
    """Another parameter, with the hash that goes with it."""

    def edit(root: etree._Element) -> None:
        address, parts = parameters(root)
        parts[place] = text
        told = "|".join(parts[:-1])
        hashed = hashlib.sha1(f"{told}{token}".encode()).hexdigest().upper()
        at(root, QR).text = f"{address}?p={told}|{hashed}"

    return edit


def last(text: str) -> Edit:
    """Another hash or signature."""

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


def known_to_the_state(around: World, xml: bytes) -> None:
    SecurityCodes(around.store).put(SecurityCode(CNPJ, 2, ANOTHER_TOKEN))


BREAKINGS = [
    Breaking("394", "nfce", without("infNFeSupl")),
    Breaking("903", "nfce", after_signing=first_version),
    Breaking("395", "nfce", elsewhere),
    Breaking("672", "nfe", PRINTED_LIKE_A_RECEIPT),
    Breaking(
        "444",
        "nfce",
        both(by_a_person, says("infNFe/ide/serie", "920")),
        issue=partial(of_person, cpf=CPF),
    ),
    Breaking("397", "nfce", after_signing=parameter(0, ANOTHER_KEY), detail="[Param:chNFe]"),
    Breaking("397", "nfce", after_signing=parameter(2, "1"), detail="[Param:tpAmb]"),
    Breaking("397", "nfce_offline", after_signing=parameter(3, "15"), detail="[Param:diaEmi]"),
    Breaking("397", "nfce_offline", after_signing=parameter(4, "71.81"), detail="[Param:vNF]"),
    Breaking("397", "nfce_offline", after_signing=parameter(5, "3" * 56)),
    Breaking("397", "nfce_offline_qr3", A_BUYER),
    Breaking("397", "nfce_offline_qr3", A_FOREIGNER),
    Breaking("462", "nfce", parameter(3, "2")),
    Breaking("464", "nfce", after_signing=last("A" * 40)),
    Breaking("464", "nfce", after_signing=parameter(3, "1", ANOTHER_TOKEN)),
    Breaking("464", "nfce_offline", after_signing=last("A" * 40)),
    Breaking("583", "nfce_offline_qr3", after_signing=last("AAAA")),
    Breaking("878", "nfce", says(CONSULT, "https://www.example.com/consulta")),
]
ALLOWED = [
    Breaking("395", "nfce", capitals),
    Breaking("397", "nfce_offline", after_signing=parameter(4, "71.80")),
    Breaking("462", "nfce", after_signing=parameter(3, "2", ANOTHER_TOKEN), prepare=known_to_the_state),
    Breaking("878", "nfce", says(CONSULT, "www.homologacao.nfce.fazenda.sp.gov.br/consulta")),
]
"""What comes near to breaking a rule."""


class TestQrRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, court: Court) -> None:
        assert court.verdict_on(court.broken(allowed), allowed) is None
