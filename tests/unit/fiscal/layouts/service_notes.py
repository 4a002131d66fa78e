"""Declarations of services with every field of the layout, built from the declared groups."""

from dataclasses import replace
from typing import Any

from carimbo.fiscal.layouts.dps_v1.amounts import DeductionDocument, Deductions, MunicipalBenefit, TotalTaxes
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import Property, Reimbursement, ServiceRecipient, Supplier
from carimbo.fiscal.layouts.dps_v1.parties import (
    PartyAddress,
    Person,
    Provider,
    ServiceAddress,
    SiteAddress,
    Taker,
)
from carimbo.fiscal.layouts.dps_v1.service import Construction, PublicEvent, ServicePlace
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import layout_of
from support import OTHER_CNPJ
from unit.fiscal.layouts.specimens import Specimens

CPF = "52998224725"
KEY = "35503082211222333000181000000000012326111234567890"
KEY_WITH_LETTERS = f"355030822{OTHER_CNPJ}000000000012326111234567896"

# A valid value of every coded element; the group comes before the tag where a tag has several meanings.
CODES = dict(
    line.split(maxsplit=1)
    for line in f"""
        Id DPS35503082{OTHER_CNPJ}00001000000000000004
        tpAmb 2
        tpEmit 1
        cMotivoEmisTI 4
        chNFSeRej {KEY_WITH_LETTERS}
        cLocEmi 3550308
        chSubstda {KEY_WITH_LETTERS}
        subst/cMotivo 99
        subst/xMotivo Valor do serviço informado a menor
        CNPJ {OTHER_CNPJ}
        CPF {CPF}
        cNaoNIF 2
        CAEPF 12345678901234
        fone 11999999999
        email compras@example.com
        opSimpNac 3
        regApTribSN 1
        regEspTrib 0
        cMun 3550308
        CEP 01001000
        cPais US
        cLocPrestacao 3550308
        cPaisPrestacao US
        cTribNac 010501
        cTribMun 001
        cNBS 115021000
        cIntContrib ABC123
        mdPrestacao 1
        vincPrest 0
        tpMoeda 220
        mecAFComexP 01
        mecAFComexT 26
        movTempBens 1
        mdic 1
        cCIB 12345678
        chNFSe {KEY_WITH_LETTERS}
        chNFe 35261112ABC34501DE35550010000000071123456860
        cMunNFSeMun 3550308
        nNFSeMun 000000000000123
        cVerifNFSeMun AB12
        nNFS 0000123
        modNFS 000000000000001
        serieNFS A1
        tpDedRed 99
        tribISSQN 1
        cPaisResult US
        tpImunidade 1
        tpSusp 1
        nProcesso 123456789012345678901234567890
        nBM 35503080200001
        tpRetISSQN 2
        piscofins/CST 01
        tpRetPisCofins 3
        indTotTrib 0
        finNFSe 0
        indFinal 0
        cIndOp 100301
        tpOper 1
        refNFSe {KEY}
        tpEnteGov 1
        indDest 1
        tipoChaveDFe 1
        cMunDocFiscal 3550308
        tpReeRepRes 99
        CST 000
        cClassTrib 000001
        cCredPres 01
        CSTReg 000
        cClassTribReg 000001
    """.strip().splitlines()
)
# Fields that exclude other fields of their group: each has its own case.
OTHER_IDENTITIES = {"cpf", "foreign_id", "no_foreign_id_reason"}
ALTERNATIVES: dict[type, set[str]] = {
    Provider: OTHER_IDENTITIES,
    Taker: OTHER_IDENTITIES,
    Person: OTHER_IDENTITIES,
    ServiceRecipient: OTHER_IDENTITIES,
    Supplier: OTHER_IDENTITIES,
    PartyAddress: {"foreign"},
    ServiceAddress: {"foreign"},
    SiteAddress: {"foreign"},
    ServicePlace: {"country_code"},
    Construction: {"cib_code", "address"},
    PublicEvent: {"identifier"},
    Property: {"cib_code"},
    Deductions: {"rate", "amount"},
    DeductionDocument: {
        "invoice_key",
        "city_note",
        "paper_note",
        "fiscal_document_number",
        "other_document_number",
    },
    MunicipalBenefit: {"reduction_amount"},
    TotalTaxes: {"amounts", "untold", "simples_rate"},
    Reimbursement: {"other_fiscal_document", "other_document"},
}
SPECIMENS = Specimens(CODES, ALTERNATIVES)
full, required = SPECIMENS.full, SPECIMENS.required


def other(record: type, name: str) -> Any:
    """Returns a full record with one of its alternatives instead of the usual field."""
    chosen = {Person: "cnpj", ServiceRecipient: "cnpj", Supplier: "cnpj", Provider: "cnpj", Taker: "cnpj"}
    usual = {
        PartyAddress: "national",
        ServiceAddress: "national",
        SiteAddress: "zipcode",
        ServicePlace: "city_code",
        Construction: "work_code",
        PublicEvent: "address",
        Property: "address",
        Deductions: "proof",
        DeductionDocument: "service_note_key",
        MunicipalBenefit: "reduction_rate",
        TotalTaxes: "rates",
        Reimbursement: "national_document",
    }
    return replace(full(record), **{(chosen | usual)[record]: None, name: SPECIMENS.value_of(record, name)})


def placed(record: Any, inner: Any) -> Any:
    """Returns a record with every inner record of that type replaced."""
    changes = {}
    for name, element in layout_of(record).elements.items():
        value = getattr(record, name)
        if element.kind not in ("child", "children") or value is None:
            continue
        values = value if isinstance(value, tuple) else (value,)
        swapped = tuple(inner if type(nested) is type(inner) else placed(nested, inner) for nested in values)
        changes[name] = swapped if isinstance(value, tuple) else swapped[0]
    return replace(record, **changes)


FULL: ServiceNote = full(ServiceNote)
ONLY_REQUIRED: ServiceNote = required(
    ServiceNote,
    provider=required(Provider, cnpj=OTHER_CNPJ, regime=full(groups_in(Provider)["regime"][0])),
)
CASES: dict[str, ServiceNote] = {
    "only required fields": ONLY_REQUIRED,
    "everything but alternatives": FULL,
    **{
        f"{record.__name__} by {name}": placed(FULL, other(record, name))
        for record, names in ALTERNATIVES.items()
        for name in sorted(names)
    },
}
