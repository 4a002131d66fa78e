"""The groups of the NF-e around the taxes: accepted by the official XSD, and found again from an element."""

from dataclasses import replace
from decimal import Decimal
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.layouts.group import layout_of, written
from carimbo.fiscal.layouts.nfe_v4.additional import Farming, TransitPermit
from carimbo.fiscal.layouts.nfe_v4.goods import (
    Firearm,
    Fuel,
    ImportDeclaration,
    Medicine,
    NewVehicle,
    Product,
)
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn102
from carimbo.fiscal.layouts.nfe_v4.identification import (
    Identification,
    PaperInvoice,
    PrinterReceipt,
    ProducerInvoice,
    Reference,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice, Item, ItemTaxes
from carimbo.fiscal.layouts.nfe_v4.parties import AuthorizedReader, Issuer, Place, Recipient
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals, Totals
from carimbo.fiscal.layouts.nfe_v4.transport import Carrier, Transport
from carimbo.fiscal.layouts.paths import locate, problems
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.layouts.specimens import Specimens

CPF = "52998224725"
KEY = "35261111222333000181550010000000031123456827"
KEY_WITH_LETTERS = f"352611{OTHER_CNPJ}550010000000031123456827"
BASE64 = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA="

# A good value of every coded element; the group comes before the tag where one tag has several meanings.
CODES = dict(
    line.split(maxsplit=1)
    for line in f"""
        Id NFe{KEY}
        versao 4.00
        nItem 990
        dia 31
        cUF 35
        cNF 12345682
        ide/mod 55
        tpNF 1
        idDest 1
        cMunFG 3550308
        cMunFGIBS 3550308
        tpImp 1
        tpEmis 1
        cDV 7
        tpAmb 2
        finNFe 1
        tpNFDebito 08
        tpNFCredito 06
        indFinal 1
        indPres 9
        indIntermed 1
        cIndOp 010101
        procEmi 0
        xJust Sem acesso à internet
        refNFe {KEY_WITH_LETTERS}
        refNFeSig {KEY}
        refCTe {KEY}
        refDFeAnt {KEY_WITH_LETTERS}
        AAMM 2612
        refNF/mod 01
        refNFP/mod 04
        refECF/mod 2D
        nECF 001
        nCOO 000123
        tpEnteGov 6
        tpOperGov 3
        CNPJ {OTHER_CNPJ}
        CPF {CPF}
        idEstrangeiro AB-12345
        IE 111111111111
        IEST 222222222
        CNAE 4751201
        CRT 1
        ISUFEmit 12345678
        ISUF 123456789
        indIEDest 1
        email compras@example.com
        cMun 3550308
        UF SP
        CEP 01001000
        cPais 1058
        xPais Brasil
        fone 11999999999
        idCSRT 01
        hashCSRT {BASE64}
        cEAN SEM GTIN
        cEANTrib 7891234567895
        NCM 84713012
        NVE AA0001
        CEST 2100300
        indEscala N
        CNPJFab {OTHER_CNPJ}
        cBenef SP12345678
        cCredPresumido SP123456
        tpCredPresIBSZFM 4
        EXTIPI 001
        CFOP 5102
        indTot 1
        indBemMovelUsado 1
        UFDesemb SP
        tpViaTransp 13
        tpIntermedio 2
        UFTerceiro SP
        nRE 123456789012
        chNFe {KEY}
        nItemPed 000001
        nFCI B01F70AF-10BF-4B1F-848C-65FF57F616FE
        cProdFisco 12345678901234
        cOperNFF 12345
        tpOp 1
        chassi 9BWZZZ377VT004251
        anoMod 2027
        anoFab 2026
        tpVeic 06
        espVeic 1
        VIN N
        condVeic 1
        cMod 123456
        cCorDENATRAN 02
        tpRest 0
        cProdANVISA ISENTO
        tpArma 0
        cProdANP 210203001
        CODIF 123
        UFCons EX
        nBico 1
        nBomba 2
        nTanque 3
        indImport 0
        cUFOrig 35
        nRECOPI 20261114100000123456
        chaveAcesso {KEY}
        modFrete 0
        placa ABC1D23
        indPag 0
        tPag 99
        CNPJPag {CNPJ}
        UFPag SP
        tpIntegra 2
        tBand 01
        CNPJReceb {OTHER_CNPJ}
        indProc 0
        tpAto 08
        UFSaidaPais SP
        safra 2026/2027
        ref 11/2026
        CPFRespTec {CPF}
        tpGuia 7
        UFGuia SP
        nGuia 000123
        CNPJPAA {CNPJ}
        SignatureValue {BASE64}
        Modulus {BASE64}
        Exponent AQAB
    """.strip().splitlines()
)
# Fields that cannot stand beside the others of their group: each has a case of its own.
ALTERNATIVES = {
    AuthorizedReader: {"cpf"},
    Carrier: {"cpf"},
    Farming: {"transit_permit"},
    ImportDeclaration: {"acquirer_cpf"},
    Issuer: {"cpf"},
    Place: {"cpf"},
    Product: {"vehicle", "medicine", "firearms", "fuel", "recopi_number"},
    Recipient: {"cpf", "foreign_id"},
    Reference: {
        "masked_access_key",
        "paper_invoice",
        "producer_invoice",
        "cte_access_key",
        "printer_receipt",
    },
    Transport: {"wagon", "ferry"},
    ProducerInvoice: {"cpf"},
}
SPECIMENS: Specimens = Specimens(
    CODES,
    ALTERNATIVES,
    {
        (Invoice, "totals"): lambda: Totals(invoice=SPECIMENS.required(InvoiceTotals)),
        (Item, "taxes"): lambda: ItemTaxes(icms=IcmsSn102(csosn="102")),
    },
)
full, required = SPECIMENS.full, SPECIMENS.required


PLAIN: Invoice = required(
    Invoice,
    identification=required(Identification),
    issuer=required(Issuer, cnpj=CNPJ),
    items=(required(Item, product=required(Product)),),
    transport=required(Transport),
)
FULL: Invoice = full(Invoice)


def with_reference(**alternative: Any) -> Invoice:
    told = replace(PLAIN.identification, references=(Reference(**alternative),))
    return replace(PLAIN, identification=told)


def with_product(**changes: Any) -> Invoice:
    item = replace(PLAIN.items[0], product=replace(PLAIN.items[0].product, **changes))
    return replace(PLAIN, items=(item,))


def with_transport(**changes: Any) -> Invoice:
    return replace(PLAIN, transport=Transport(freight_mode="1", **changes))


BY_CPF = {"cnpj": None, "cpf": CPF}
CASES = {
    "only what is required": PLAIN,
    "everything but alternatives": FULL,
    "key with a masked code": with_reference(masked_access_key=KEY),
    "paper invoice": with_reference(paper_invoice=full(PaperInvoice)),
    "producer's invoice of a company": with_reference(producer_invoice=full(ProducerInvoice)),
    "producer's invoice of a person": with_reference(
        producer_invoice=replace(full(ProducerInvoice), **BY_CPF)
    ),
    "CT-e": with_reference(cte_access_key=KEY),
    "receipt of a fiscal printer": with_reference(printer_receipt=full(PrinterReceipt)),
    "issuer with a CPF": replace(PLAIN, issuer=replace(full(Issuer), **BY_CPF)),
    "recipient with a CPF": replace(PLAIN, recipient=replace(full(Recipient), **BY_CPF)),
    "recipient of another country": replace(
        PLAIN, recipient=replace(full(Recipient), cnpj=None, foreign_id="AB-12345")
    ),
    "pickup from a person": replace(PLAIN, pickup=replace(full(Place), **BY_CPF)),
    "reader with a CPF": replace(PLAIN, authorized_readers=(AuthorizedReader(cpf=CPF),)),
    "import for a person": with_product(
        import_declarations=(replace(full(ImportDeclaration), acquirer_cnpj=None, acquirer_cpf=CPF),)
    ),
    "new vehicle": with_product(vehicle=full(NewVehicle)),
    "medicine": with_product(medicine=full(Medicine)),
    "firearms": with_product(firearms=(full(Firearm), full(Firearm))),
    "fuel": with_product(fuel=full(Fuel)),
    "paper under RECOPI": with_product(recopi_number=CODES["nRECOPI"]),
    "carrier with a CPF": with_transport(carrier=replace(full(Carrier), **BY_CPF)),
    "wagon": with_transport(wagon="V1"),
    "ferry": with_transport(ferry="B1"),
    "transit permit": replace(PLAIN, farming=Farming(transit_permit=full(TransitPermit))),
}


@cache
def schema() -> etree.XMLSchema:
    with as_file(files("nfelib") / "nfe/schemas/v4_0") as folder:
        return etree.XMLSchema(file=str(folder / "nfe_v4.00.xsd"))


def refusals(invoice: Invoice) -> list[str]:
    """What the official XSD says of a document, except that nobody signed it."""
    document = etree.fromstring(f'<NFe xmlns="{NAMESPACE}">{written(invoice)}</NFe>')
    schema().validate(document)
    errors: Any = schema().error_log
    return [one.message for one in errors if "xmldsig#}Signature" not in one.message]


def filled(record: Any) -> set[tuple[type, str]]:
    """Every field that has a value, in a record and in those inside it."""
    found = set()
    for name in layout_of(record).elements:
        value = getattr(record, name)
        if value is None or value == ():
            continue
        found.add((type(record), name))
        for inner in value if isinstance(value, tuple) else (value,):
            found |= filled(inner) if hasattr(inner, "__layout__") else set()
    return found


class TestWritten:
    @pytest.mark.parametrize("invoice", CASES.values(), ids=CASES)
    def test_the_official_schema_accepts(self, invoice: Invoice) -> None:
        assert refusals(invoice) == []
        assert list(problems(invoice)) == []

    def test_the_official_schema_is_really_asked(self) -> None:
        (refusal,) = refusals(with_product(ncm="123"))
        assert "NCM" in refusal

    def test_the_cases_leave_no_field_of_a_group_out(self) -> None:
        written_fields = set().union(*map(filled, CASES.values()))
        of_the_taxes = (ItemTaxes, IcmsSn102, Totals, InvoiceTotals)
        seen = {record for record, _ in written_fields} - set(of_the_taxes)
        declared = {(record, name) for record in seen for name in layout_of(record).elements}
        assert declared - written_fields == set()
        assert set(ALTERNATIVES) <= seen

    def test_it_is_canonical_as_it_stands(self) -> None:
        text = f'<NFe xmlns="{NAMESPACE}">{written(FULL)}</NFe>'
        assert etree.tostring(etree.fromstring(text), method="c14n").decode() == text


class TestProblems:
    def test_a_text_too_long_is_told_by_its_place_in_the_body(self) -> None:
        (problem,) = problems(with_product(description="x" * 121))
        assert (problem.code, problem.path) == ("225", "items[0].description")

    def test_a_quantity_with_too_many_decimals_is_told_by_its_place_in_the_body(self) -> None:
        (problem,) = problems(with_product(quantity=Decimal("0.00001")))
        assert (problem.path, problem.source) == ("items[0].quantity", "XSD, elemento qCom")


class TestLocate:
    @pytest.mark.parametrize(
        ("element", "path"),
        [
            ("ide natOp", "nature"),
            ("ide dhEmi", "issueDate"),
            ("ide xJust", "contingency.reason"),
            ("ide NFref:1 refNFe", "references[1].accessKey"),
            ("ide NFref:0 refNFP CPF", "references[0].producerInvoice.cpf"),
            ("ide gPagAntecipado refNFe:2", "advancePayment.accessKeys[2]"),
            ("emit CNPJ", "company.taxId"),
            ("emit xNome", "company.legalName"),
            ("emit enderEmit xMun", "company.address.city"),
            ("emit enderEmit fone", "company.phone"),
            ("emit CRT", "company.taxRegime"),
            ("dest CPF", "recipient.taxId"),
            ("dest enderDest CEP", "recipient.address.zipcode"),
            ("dest enderDest fone", "recipient.phone"),
            ("dest IE", "recipient.stateRegistration"),
            ("entrega cMun", "deliveryAddress.cityCode"),
            ("autXML:1 CNPJ", "authorizedReaders[1].taxId"),
            ("det:1 prod NCM", "items[1].ncm"),
            ("det:0 prod vUnCom", "items[0].unitValue"),
            ("det:0 prod DI:0 adi:1 nAdicao", "items[0].importDeclarations[0].additions[1].number"),
            ("det:0 prod comb encerrante nBico", "items[0].fuel.pumpReading.nozzle"),
            ("det:0 imposto ICMS ICMS00 pICMS", "items[0].icms.rate"),
            ("det:0 imposto PIS PISAliq CST", "items[0].pis.cst"),
            ("det:0 obsItem obsCont xTexto", "items[0].observation.value"),
            ("det:0 DFeReferenciado chaveAcesso", "items[0].referencedItem.accessKey"),
            ("transp transporta CNPJ", "freight.carrier.taxId"),
            ("transp vol:1 lacres:2 nLacre", "freight.volumes[1].seals[2].number"),
            ("cobr dup:1 dVenc", "billing.installments[1].dueDate"),
            ("pag detPag:0 tPag", "payments[0].method"),
            ("pag detPag:1 card cAut", "payments[1].card.authorization"),
            ("pag vTroco", "change"),
            ("infIntermed CNPJ", "intermediary.taxId"),
            ("infAdic infCpl", "notes"),
            ("infAdic procRef:0 nProc", "processes[0].number"),
            ("infRespTec xContato", "technicalResponsible.contact"),
        ],
    )
    def test_an_element_leads_to_the_field_of_the_body(self, element: str, path: str) -> None:
        assert locate(Invoice, [step(one) for one in element.split()]) == path


def step(written_so: str) -> tuple[str, int]:
    tag, _, position = written_so.partition(":")
    return tag, int(position or 0)
