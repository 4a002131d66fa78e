"""The parties, the places, the readers, globalized documents, and the QR code."""

import pytest
from lxml import etree

from carimbo.simulator.family import PRODUCTION
from unit.simulator.cte.bases import AT_SP, GLOBALIZED, NORMAL, invoices_of
from unit.simulator.cte.breaking import CteRuleTester, Violation
from unit.simulator.cte.sample_cte import CARRIER, QR_ADDRESS, RECIPIENT, SENDER, key_of
from unit.simulator.mutating import Edit, after, at, both, says, without
from unit.simulator.rules.edits import becomes, grown

WRONG_CNPJ, WRONG_CPF = "11222333000182", "52998224700"
QR = "infCTeSupl/qrCodCTe"
PARTIES = {
    "rem": ("cte", "enderReme", "3304557", "3500000", ("415", "416", "418", "532", "419")),
    "dest": ("cte", "enderDest", "3550308", "3300000", ("208", "237", "424", "533", "210")),
    "exped": ("all_parties", "enderExped", "3304557", "3500000", ("428", "429", "431", "534", "432")),
    "receb": ("all_parties", "enderReceb", "3550308", "3300000", ("436", "437", "439", "535", "440")),
    "ide/toma4": ("other_taker", "enderToma", "3304557", "3500000", ("444", "445", "447", "536", "448")),
}
"""The base with each party, its address, a city of another state, an unknown one, and the codes."""


def person(path: str, cpf: str) -> Edit:
    return becomes(f"infCte/{path}/CNPJ", f"<CPF>{cpf}</CPF>")


def of_party(path: str) -> list[Violation]:
    base, address, elsewhere, nowhere, codes = PARTIES[path]
    company, cpf, another_state, unknown, registration = codes
    city = f"infCte/{path}/{address}/cMun"
    return [
        Violation(company, base=base, edit=says(f"infCte/{path}/CNPJ", WRONG_CNPJ)),
        Violation(cpf, base=base, edit=person(path, WRONG_CPF)),
        Violation(another_state, base=base, edit=says(city, elsewhere)),
        Violation(unknown, base=base, edit=says(city, nowhere)),
        Violation(registration, base=base, edit=says(f"infCte/{path}/IE", "000000000000")),
    ]


def readers(*fields: str) -> Edit:
    return grown(NORMAL, *(f"<autXML>{inside}</autXML>" for inside in fields))


def quoted(text: str) -> Edit:
    """Writes another QR code."""
    return says(QR, text)


def without_sign(root: etree._Element) -> None:
    element = at(root, QR)
    element.text = (element.text or "").partition("&sign=")[0]


def other_sign(root: etree._Element) -> None:
    element = at(root, QR)
    element.text = f"{(element.text or '').partition('&sign=')[0]}&sign=AAAA"


VIOLATIONS = [
    Violation("646", edit=says("infCte/rem/xNome", "EMPRESA REAL LTDA")),
    Violation("647", base="all_parties", edit=says("infCte/exped/xNome", "EMPRESA REAL LTDA")),
    Violation("648", base="all_parties", edit=says("infCte/receb/xNome", "EMPRESA REAL LTDA")),
    Violation("649", edit=says("infCte/dest/xNome", "EMPRESA REAL LTDA")),
    *(violation for path in PARTIES for violation in of_party(path)),
    Violation("235", base="free_zone", edit=says("infCte/dest/ISUF", "200140061")),
    Violation("235", base="free_zone", edit=says("infCte/dest/ISUF", "00000000")),
    Violation("251", edit=after("infCte/dest/xNome", "ISUF", "200140060")),
    Violation(
        "799",
        base="other_taker",
        edit=both(says("infCte/ide/toma4/CNPJ", SENDER), says("infCte/ide/toma4/IE", "222222222222")),
    ),
    Violation("493", edit=says("infCte/ide/cMunEnv", "3304557")),
    Violation("537", edit=says("infCte/ide/cMunEnv", "3500000")),
    Violation("456", edit=says("infCte/ide/cMunIni", "3304557")),
    Violation("541", edit=says("infCte/ide/cMunIni", "3500000")),
    Violation("414", edit=says("infCte/ide/cMunFim", "3550308")),
    Violation("542", edit=says("infCte/ide/cMunFim", "3300000")),
    Violation("699", edit=readers(f"<CNPJ>{WRONG_CNPJ}</CNPJ>")),
    Violation("700", edit=readers(f"<CPF>{WRONG_CPF}</CPF>")),
    Violation("715", edit=readers(f"<CNPJ>{CARRIER}</CNPJ>", f"<CNPJ>{CARRIER}</CNPJ>")),
    Violation("828", edit=readers(f"<CNPJ>{RECIPIENT}</CNPJ>")),
    Violation("836", edit=says("infCte/infRespTec/CNPJ", WRONG_CNPJ)),
    Violation(
        "743",
        base="of_sender",
        edit=both(
            says("infCte/ide/CFOP", "6353"),
            says("infCte/ide/cMunFim", "3304557"),
            says("infCte/ide/UFFim", "RJ"),
        ),
    ),
    Violation(
        "722",
        base="other_taker",
        edit=both(GLOBALIZED, invoices_of(SENDER)),
    ),
    Violation(
        "723",
        base="of_sender",
        edit=becomes(f"{NORMAL}/infDoc", "<infDoc><infOutros><tpDoc>99</tpDoc></infOutros></infDoc>"),
        also_off={"737"},
    ),
    Violation("724", base="of_recipient", edit=invoices_of(SENDER, SENDER, SENDER, SENDER, CARRIER)),
    Violation("744", base="of_sender", edit=invoices_of(SENDER, SENDER, SENDER, SENDER, CARRIER)),
    Violation("737", base="of_sender", edit=invoices_of(*[SENDER] * 4)),
    Violation("725", base="of_recipient", edit=says("infCte/rem/xNome", "UM SO"), masked_by={"646"}),
    Violation("726", base="of_sender", edit=says("infCte/dest/xNome", "UM SO"), masked_by={"649"}),
    Violation("727", base="of_recipient", edit=says("infCte/rem/CNPJ", CARRIER)),
    Violation("728", base="of_sender", edit=says("infCte/dest/CNPJ", CARRIER)),
    Violation("729", edit=invoices_of(SENDER, CARRIER)),
    Violation("730", edit=says("infCte/rem/xNome", "DIVERSOS"), masked_by={"646"}),
    Violation("850", edit=without("infCTeSupl")),
    Violation("851", edit=quoted(f"https://example.com/qrCode?chCTe={key_of()}&tpAmb=2"), quoted=False),
    Violation("852", edit=quoted(f"{QR_ADDRESS}?chCTe={key_of(2)}&tpAmb=2"), quoted=False),
    Violation("853", base="offline", edit=without_sign, quoted=False),
    Violation("854", edit=quoted(f"{QR_ADDRESS}?chCTe={key_of()}&tpAmb=2&sign=AAAA"), quoted=False),
    Violation("855", base="offline", edit=other_sign, quoted=False),
]


class TestPartyRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: CteRuleTester) -> None:
        tester.check(violation)

    def test_real_names_are_accepted_in_production(self, tester: CteRuleTester) -> None:
        edit = both(
            says("infCte/ide/tpAmb", "1"),
            says("infCte/rem/xNome", "EMPRESA REAL LTDA"),
            says(QR, "https://nfe.fazenda.sp.gov.br/CTeConsulta/qrCode?chCTe="),
        )
        real = Violation("646", edit=edit, service_path=AT_SP._replace(environment=PRODUCTION))
        assert tester.verdict_on(tester.broken(real), real) is None

    def test_party_abroad_has_neither_tax_id_nor_city(self, tester: CteRuleTester) -> None:
        edit = both(
            says("infCte/dest/CNPJ", ""),
            without("infCte/dest/IE"),
            says("infCte/dest/enderDest/cMun", "9999999"),
            says("infCte/dest/enderDest/UF", "EX"),
        )
        abroad = Violation("208", edit=edit)
        assert tester.verdict_on(tester.broken(abroad), abroad) is None

    def test_other_reader_is_accepted(self, tester: CteRuleTester) -> None:
        named = Violation("699", edit=readers(f"<CNPJ>{CARRIER}</CNPJ>"))
        assert tester.verdict_on(tester.broken(named), named) is None

    def test_address_of_the_qr_code_ignores_case(self, tester: CteRuleTester) -> None:
        shouted = quoted(f"{QR_ADDRESS.replace('homologacao', 'HOMOLOGACAO')}?chCTe={key_of()}&tpAmb=2")
        same = Violation("851", edit=shouted, quoted=False)
        assert tester.verdict_on(tester.broken(same), same) is None
