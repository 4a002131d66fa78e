"""Fields that receipts must or must not have."""

import pytest

from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, filled, grown

IDE, ISSUER, BUYER = "infNFe/ide", "infNFe/emit", "infNFe/dest"
PRODUCT, TAXES, TRANSPORT = "infNFe/det/prod", "infNFe/det/imposto", "infNFe/transp"
ICMS, TOTALS, PAID = f"{TAXES}/ICMS", "infNFe/total/ICMSTot", "infNFe/pag/detPag/vPag"
CFOP = f"{PRODUCT}/CFOP"
KEY = "35261011222333000181550010000000021123456824"
PLACE = (
    "<{0}><CNPJ>66677788000183</CNPJ><xLgr>RUA A</xLgr><nro>1</nro><xBairro>CENTRO</xBairro>"
    "<cMun>3550308</cMun><xMun>SAO PAULO</xMun><UF>SP</UF></{0}>"
)
ITSELF = "<dest><CNPJ>11222333000181</CNPJ><indIEDest>9</indIEDest></dest>"
VEHICLE = (
    "<veicProd><tpOp>3</tpOp><chassi>9BWZZZ377VT004251</chassi><cCor>BR01</cCor><xCor>BRANCO</xCor><pot>82</pot>"
    "<cilin>999</cilin><pesoL>950.0000</pesoL><pesoB>1400.0000</pesoB><nSerie>004251</nSerie><tpComb>16</tpComb>"
    "<nMotor>CCN123456</nMotor><CMT>1800.0000</CMT><dist>2465</dist><anoMod>2027</anoMod><anoFab>2026</anoFab>"
    "<tpPint>S</tpPint><tpVeic>06</tpVeic><espVeic>1</espVeic><VIN>N</VIN><condVeic>1</condVeic>"
    "<cMod>012345</cMod><cCorDENATRAN>14</cCorDENATRAN><lota>5</lota><tpRest>0</tpRest></veicProd>"
)
WEAPON = "<arma><tpArma>0</tpArma><nSerie>1</nSerie><nCano>1</nCano><descr>PISTOLA</descr></arma>"
SUGAR_CANE = (
    '<cana><safra>2026/2027</safra><ref>11/2026</ref><forDia dia="3"><qtde>1.0000000000</qtde></forDia>'
    "<qTotMes>1.0000000000</qTotMes><qTotAnt>0.0000000000</qTotAnt><qTotGer>1.0000000000</qTotGer>"
    "<vFor>1.00</vFor><vTotDed>0.00</vTotDed><vLiqFor>1.00</vLiqFor></cana>"
)
SUBSTITUTION = "<modBCST>4</modBCST><vBCST>0.00</vBCST><pICMSST>0.0000</pICMSST><vICMSST>0.00</vICMSST>"
PARTED = (
    "<ICMSPart><orig>0</orig><CST>10</CST><modBC>3</modBC><vBC>71.80</vBC><pICMS>18.0000</pICMS>"
    f"<vICMS>12.92</vICMS>{SUBSTITUTION}<pBCOp>100.0000</pBCOp><UFST>SP</UFST></ICMSPart>"
)
PASSED_ON = (
    "<ICMSST><orig>0</orig><CST>60</CST><vBCSTRet>0.00</vBCSTRet><vICMSSTRet>0.00</vICMSSTRet>"
    "<vBCSTDest>0.00</vBCSTDest><vICMSSTDest>0.00</vICMSSTDest></ICMSST>"
)
CREDITED = (
    "<ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>1.0000</pCredSN><vCredICMSSN>0.72</vCredICMSSN>"
    "</ICMSSN101>"
)
SHARED = (
    "<ICMSUFDest><vBCUFDest>0.00</vBCUFDest><pICMSUFDest>18.00</pICMSUFDest><pICMSInter>12.00</pICMSInter>"
    "<pICMSInterPart>100.00</pICMSInterPart><vICMSUFDest>0.00</vICMSUFDest><vICMSUFRemet>0.00</vICMSUFRemet>"
    "</ICMSUFDest>"
)
OF_SERVICES = both(
    becomes(
        ICMS,
        "<ISSQN><vBC>71.80</vBC><vAliq>5.00</vAliq><vISSQN>3.59</vISSQN><cMunFG>3550308</cMunFG>"
        "<cListServ>14.01</cListServ><indISS>1</indISS><indIncentivo>2</indIncentivo></ISSQN>",
    ),
    says(f"{TOTALS}/vProd", "0.00"),
    grown(
        TOTALS,
        "<ISSQNtot><vServ>71.80</vServ><vBC>71.80</vBC><vISS>3.59</vISS><dCompet>2026-11-14</dCompet></ISSQNtot>",
    ),
)
OUTSIDE_THE_TOTAL = both(
    says(f"{PRODUCT}/indTot", "0"),
    says(f"{TOTALS}/vProd", "0.00"),
    says(f"{TOTALS}/vNF", "0.00"),
    says(PAID, "0.00"),
)
EXPORT = "<exporta><UFSaidaPais>SP</UFSaidaPais><xLocExporta>SANTOS</xLocExporta></exporta>"
PURCHASE = (
    "<gCompraGov><tpEnteGov>4</tpEnteGov><pRedutor>0.0000</pRedutor><tpOperGov>1</tpOperGov></gCompraGov>"
)
RETAINED = (
    "<retTransp><vServ>1.00</vServ><vBCRet>1.00</vBCRet><pICMSRet>12.0000</pICMSRet><vICMSRet>0.12</vICMSRet>"
    "<CFOP>5353</CFOP><cMunFG>3550308</cMunFG></retTransp>"
)


def taxed_as(icms: str) -> Edit:
    return becomes(ICMS, f"<ICMS>{icms}</ICMS>")


def not_taxed_as(icms: str) -> Edit:
    return both(taxed_as(icms), says(f"{TOTALS}/vBC", "0.00"), says(f"{TOTALS}/vICMS", "0.00"))


def beside_the_icms(tax: str) -> Edit:
    return grown(ICMS, tax)


def costing(unit: str, whole: str) -> Edit:
    """Changes the price of two units."""
    prices = [says(f"{PRODUCT}/{tag}", unit) for tag in ("vUnCom", "vUnTrib")]
    wholes = [says(path, whole) for path in (f"{PRODUCT}/vProd", f"{TOTALS}/vProd", f"{TOTALS}/vNF", PAID)]
    return both(*prices, *wholes)


OF_DOCUMENTS = [
    Violation("705", "nfce", after(f"{IDE}/dhEmi", "dhSaiEnt", "2026-11-14T10:00:00-03:00")),
    Violation("706", "nfce", says(f"{IDE}/tpNF", "0")),
    Violation("707", "nfce", says(f"{IDE}/idDest", "2")),
    Violation("1005", "nfce", says(f"{IDE}/indPres", "5")),
    Violation("1000", "nfce", after(f"{IDE}/cMunFG", "cMunFGIBS", "3550308")),
    Violation("709", "nfce", says(f"{IDE}/tpImp", "1")),
    Violation("715", "nfce", says(f"{IDE}/finNFe", "2")),
    Violation("716", "nfce", says(f"{IDE}/indFinal", "0")),
    Violation("717", "nfce", both(says(f"{IDE}/indPres", "2"), after(f"{IDE}/indPres", "indIntermed", "0"))),
    Violation("1006", "nfce", grown(f"{IDE}/verProc", PURCHASE)),
    Violation("708", "nfce", grown(f"{IDE}/verProc", f"<NFref><refNFe>{KEY}</refNFe></NFref>")),
    Violation(
        "708", "nfce", grown(TAXES, f"<DFeReferenciado><chaveAcesso>{KEY}</chaveAcesso></DFeReferenciado>")
    ),
    Violation("718", "nfce", after(f"{ISSUER}/IE", "IEST", "111111110110")),
    Violation("787", "nfce_delivered", without(BUYER)),
    Violation("220", "nfce", grown(ISSUER, ITSELF)),
    Violation("788", "nfce_delivered", without(f"{BUYER}/enderDest")),
    Violation("789", "nfce_delivered", says(f"{BUYER}/indIEDest", "2")),
    Violation("729", "nfce_delivered", after(f"{BUYER}/indIEDest", "IE", "110042490114")),
    Violation("730", "nfce_delivered", after(f"{BUYER}/indIEDest", "ISUF", "210140267")),
    Violation("669", "nfce", grown(ISSUER, PLACE.format("retirada"))),
    Violation("373", "nfce", says(f"{PRODUCT}/xProd", "Caneca")),
    Violation("750", "nfce", costing("5000.0050000000", "10000.01")),
    Violation("753", "nfce", says(f"{TRANSPORT}/modFrete", "0")),
    Violation("754", "nfce", filled(TRANSPORT, "<transporta><xNome>LIGEIRO</xNome></transporta>")),
    Violation("755", "nfce", filled(TRANSPORT, RETAINED)),
    Violation("756", "nfce", filled(TRANSPORT, "<veicTransp><placa>ABC1D23</placa></veicTransp>")),
    Violation("757", "nfce", filled(TRANSPORT, "<reboque><placa>ABC1D23</placa></reboque>")),
    Violation("758", "nfce", filled(TRANSPORT, "<vagao>1</vagao>")),
    Violation("759", "nfce", filled(TRANSPORT, "<balsa>1</balsa>")),
    Violation("760", "nfce", grown(TRANSPORT, "<cobr><fat><nFat>1</nFat></fat></cobr>")),
    Violation("814", "nfce", grown("infNFe/infAdic", EXPORT)),
    Violation("762", "nfce", grown("infNFe/infAdic", "<compra><xPed>1</xPed></compra>")),
    Violation("763", "nfce", grown("infNFe/infAdic", SUGAR_CANE)),
]
OF_ITEMS = [
    Violation("725", "nfce", says(CFOP, "5117"), detail="[nItem:1]"),
    Violation("374", "nfce", OF_SERVICES),
    Violation("774", "nfce", OUTSIDE_THE_TOTAL),
    Violation("736", "nfce", grown(f"{PRODUCT}/indTot", VEHICLE)),
    Violation("738", "nfce", grown(f"{PRODUCT}/indTot", WEAPON)),
    Violation("348", "nfce", grown(f"{PRODUCT}/indTot", "<nRECOPI>20260101000000000001</nRECOPI>")),
    Violation("766", "nfce_normal", not_taxed_as("<ICMS40><orig>0</orig><CST>50</CST></ICMS40>")),
    Violation(
        "381", "nfce_normal", not_taxed_as(f"<ICMS90><orig>0</orig><CST>90</CST>{SUBSTITUTION}</ICMS90>")
    ),
    Violation("382", "nfce_normal", says(CFOP, "5405")),
    Violation("741", "nfce_normal", taxed_as(PARTED)),
    Violation("740", "nfce_normal", both(not_taxed_as(PASSED_ON), says(CFOP, "5405"))),
    Violation("383", "nfce", taxed_as(CREDITED)),
    Violation(
        "385", "nfce", taxed_as(f"<ICMSSN900><orig>0</orig><CSOSN>900</CSOSN>{SUBSTITUTION}</ICMSSN900>")
    ),
    Violation("386", "nfce", says(CFOP, "5405")),
    Violation("807", "nfce_normal", grown(f"{TAXES}/COFINS", SHARED)),
    Violation("742", "nfce", beside_the_icms("<IPI><cEnq>999</cEnq><IPINT><CST>53</CST></IPINT></IPI>")),
    Violation(
        "743",
        "nfce",
        beside_the_icms("<II><vBC>0.00</vBC><vDespAdu>0.00</vDespAdu><vII>0.00</vII><vIOF>0.00</vIOF></II>"),
    ),
    Violation(
        "746",
        "nfce",
        grown(f"{TAXES}/PIS", "<PISST><vBC>1.00</vBC><pPIS>0.0000</pPIS><vPIS>0.00</vPIS></PISST>"),
    ),
    Violation(
        "749",
        "nfce",
        grown(
            f"{TAXES}/COFINS",
            "<COFINSST><vBC>0.00</vBC><pCOFINS>0.0000</pCOFINS><vCOFINS>0.00</vCOFINS></COFINSST>",
        ),
    ),
    Violation(
        "390",
        "nfce",
        grown(
            TAXES,
            "<impostoDevol><pDevol>100.00</pDevol><IPI><vIPIDevol>0.00</vIPIDevol></IPI></impostoDevol>",
        ),
    ),
]
VIOLATIONS = [*OF_DOCUMENTS, *OF_ITEMS]
ALLOWED = [
    Violation("750", "nfce", costing("5000.0000000000", "10000.00")),
    Violation(
        "750",
        "nfce",
        both(
            costing("5000.0050000000", "10000.01"),
            grown(ISSUER, "<dest><CPF>52998224725</CPF><indIEDest>9</indIEDest></dest>"),
        ),
    ),
    Violation("374", "nfce", both(OF_SERVICES, says(CFOP, "5933"))),
    Violation("386", "nfce", says(CFOP, "5910")),
    Violation(
        "725",
        "nfce",
        both(says(CFOP, "5949"), taxed_as("<ICMSSN900><orig>0</orig><CSOSN>900</CSOSN></ICMSSN900>")),
    ),
]
"""Documents close to breaking a rule, which are accepted."""


class TestReceiptRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None

    def test_nfe_printed_as_a_receipt_follows_the_receipt_rules(self, tester: InvoiceRuleTester) -> None:
        printed = Violation("373", "nfe", says(f"{IDE}/tpImp", "6"))
        refusal = tester.verdict_on(tester.broken(printed), printed)
        assert refusal is not None
        assert refusal.code == "373"
