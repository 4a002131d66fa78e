"""NF-e with a valid value in every required element, or in all elements that can occur together."""

from carimbo.fiscal.layouts.dfe_v1.parties import AuthorizedReader
from carimbo.fiscal.layouts.nfe_v4.additional import Farming
from carimbo.fiscal.layouts.nfe_v4.goods import ImportDeclaration, ItemProduct
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn102
from carimbo.fiscal.layouts.nfe_v4.identification import Identification, ProducerInvoice, ReferencedDocument
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, Item, ItemTaxes
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer, PickupOrDelivery, Recipient
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals, Totals
from carimbo.fiscal.layouts.nfe_v4.transport import Carrier, GoodsTransport
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.layouts.specimens import Specimens

CPF = "52998224725"
KEY = "35261111222333000181550010000000031123456827"
KEY_WITH_LETTERS = f"352611{OTHER_CNPJ}550010000000031123456827"
BASE64 = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA="

# A valid value of every coded element; the group comes before the tag where a tag has several meanings.
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
# Fields that exclude other fields of their group: each has its own case.
ALTERNATIVES = {
    AuthorizedReader: {"cpf"},
    Carrier: {"cpf"},
    Farming: {"transit_permit"},
    ImportDeclaration: {"acquirer_cpf"},
    Issuer: {"cpf"},
    PickupOrDelivery: {"cpf"},
    ItemProduct: {"vehicle", "medicine", "firearms", "fuel", "recopi_number"},
    Recipient: {"cpf", "foreign_id"},
    ReferencedDocument: {
        "masked_access_key",
        "paper_invoice",
        "producer_invoice",
        "cte_access_key",
        "printer_receipt",
    },
    GoodsTransport: {"wagon", "ferry"},
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
    items=(required(Item, product=required(ItemProduct)),),
    transport=required(GoodsTransport),
)
FULL: Invoice = full(Invoice)
