"""IBS and CBS of a service, as the issuer declares them; the authority computes the amounts."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.parties import ServiceAddress, SiteAddress
from carimbo.fiscal.layouts.group import INLINE, child, children, day, decimal, group, text, texts


@group("gRefNFSe")
class ReferencedNotes:
    """`gRefNFSe`: the notes that this note refers to."""

    access_keys: tuple[str, ...] = texts("refNFSe", 50, 99, path="referencedKeys")


@group("dest")
class ServiceRecipient:
    """`dest`: the recipient of the service, if it is not the taker."""

    cnpj: str | None = text("CNPJ", 14, default=None)
    cpf: str | None = text("CPF", 11, default=None)
    foreign_id: str | None = text("NIF", 40, default=None)
    no_foreign_id_reason: str | None = text("cNaoNIF", 1, default=None)
    name: str = text("xNome", 150)
    address: ServiceAddress | None = child("end", default=None)
    phone: str | None = text("fone", 20, default=None)
    email: str | None = text("email", 80, default=None)


@group("imovel")
class Property:
    """`imovel`: the real estate of the operation."""

    property_registration: str | None = text("inscImobFisc", 30, default=None)
    cib_code: str | None = text("cCIB", 8, default=None)
    address: SiteAddress | None = child("end", default=None)


@group("dFeNacional")
class NationalDocument:
    """`dFeNacional`: an electronic document of the national repository."""

    kind: str = text("tipoChaveDFe", 1)
    description: str | None = text("xTipoChaveDFe", 255, default=None)
    access_key: str = text("chaveDFe", 50)


@group("docFiscalOutro")
class OtherFiscalDocument:
    """`docFiscalOutro`: a fiscal document outside of the national repository."""

    city_code: str = text("cMunDocFiscal", 7)
    number: str = text("nDocFiscal", 255)
    description: str = text("xDocFiscal", 255)


@group("docOutro")
class OtherDocument:
    """`docOutro`: a non-fiscal document."""

    number: str = text("nDoc", 255)
    description: str = text("xDoc", 255)


@group("fornec")
class Supplier:
    """`fornec`: the issuer of the document."""

    cnpj: str | None = text("CNPJ", 14, default=None)
    cpf: str | None = text("CPF", 11, default=None)
    foreign_id: str | None = text("NIF", 40, default=None)
    no_foreign_id_reason: str | None = text("cNaoNIF", 1, default=None)
    name: str = text("xNome", 150)


@group("documentos")
class Reimbursement:
    """`documentos`: an amount reimbursed or passed on to others, and the document that proves it."""

    national_document: NationalDocument | None = child("dFeNacional", default=None)
    other_fiscal_document: OtherFiscalDocument | None = child("docFiscalOutro", default=None)
    other_document: OtherDocument | None = child("docOutro", default=None)
    supplier: Supplier | None = child("fornec", default=None)
    issued_on: date = day("dtEmiDoc")
    competence: date = day("dtCompDoc")
    kind: str = text("tpReeRepRes", 2)
    description: str | None = text("xTpReeRepRes", 150, default=None)
    amount: Decimal = decimal("vlrReeRepRes")


@group("gReeRepRes")
class Reimbursements:
    """`gReeRepRes`: reimbursed and passed-on amounts, which the base excludes."""

    documents: tuple[Reimbursement, ...] = children("documentos", 1000)


@group("gTribRegular")
class RegularSituation:
    """`gTribRegular`: the situation that applies if the condition of a suspension is not met."""

    cst: str = text("CSTReg", 3)
    tax_class: str = text("cClassTribReg", 6, path="taxClassCode")


@group("gDif")
class DeferralRates:
    """`gDif`: the deferred share of each tax."""

    state_rate: Decimal = decimal("pDifUF")
    city_rate: Decimal = decimal("pDifMun")
    cbs_rate: Decimal = decimal("pDifCBS")


@group("gIBSCBS")
class ReformSituation:
    """`gIBSCBS`: how the service is taxed."""

    cst: str = text("CST", 3)
    tax_class: str = text("cClassTrib", 6, path="taxClassCode")
    presumed_credit: str | None = text("cCredPres", 2, path="presumedCreditCode", default=None)
    regular: RegularSituation | None = child("gTribRegular", path="regularTaxation", default=None)
    deferral: DeferralRates | None = child("gDif", default=None)


@group("trib")
class ReformTaxes:
    """`trib` of IBS and CBS."""

    situation: ReformSituation = child("gIBSCBS", path=INLINE)


@group("valores")
class ReformAmounts:
    """`valores` of IBS and CBS: reimbursements and taxation."""

    reimbursements: Reimbursements | None = child("gReeRepRes", default=None)
    taxes: ReformTaxes = child("trib", path=INLINE)


@group("IBSCBS")
class ServiceIbsCbs:
    """`IBSCBS`: the operation as LC 214/2025 classifies it."""

    purpose: str = text("finNFSe", 1)
    personal_use: str | None = text("indFinal", 1, default=None)
    operation_indicator: str = text("cIndOp", 6)
    operation_type: str | None = text("tpOper", 1, default=None)
    referenced_notes: ReferencedNotes | None = child("gRefNFSe", path=INLINE, default=None)
    government_entity: str | None = text("tpEnteGov", 1, default=None)
    recipient_kind: str = text("indDest", 1)
    """0 the taker is the recipient, 1 `dest` is."""
    recipient: ServiceRecipient | None = child("dest", default=None)
    property: Property | None = child("imovel", default=None)
    amounts: ReformAmounts = child("valores", path=INLINE)
