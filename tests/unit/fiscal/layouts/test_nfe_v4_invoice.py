"""The groups of the NF-e around the taxes: accepted by the official XSD, and located from an element."""

from dataclasses import replace
from decimal import Decimal
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.layouts.dfe_v1.parties import AuthorizedReader
from carimbo.fiscal.layouts.json_form import path_of_tags, unwritable_values
from carimbo.fiscal.layouts.layout import layout_of, to_xml
from carimbo.fiscal.layouts.nfe_v4.additional import Farming, TransitPermit
from carimbo.fiscal.layouts.nfe_v4.goods import Firearm, Fuel, ImportDeclaration, Medicine, NewVehicle
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn102
from carimbo.fiscal.layouts.nfe_v4.identification import (
    PaperInvoice,
    PrinterReceipt,
    ProducerInvoice,
    ReferencedDocument,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice, ItemTaxes
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer, PickupOrDelivery, Recipient
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals, Totals
from carimbo.fiscal.layouts.nfe_v4.transport import Carrier, GoodsTransport
from unit.fiscal.layouts.invoice_specimens import ALTERNATIVES, CODES, CPF, FULL, KEY, PLAIN, full
from unit.fiscal.layouts.specimens import filled, tag_path


def with_reference(**alternative: Any) -> Invoice:
    identification = replace(PLAIN.identification, references=(ReferencedDocument(**alternative),))
    return replace(PLAIN, identification=identification)


def with_product(**changes: Any) -> Invoice:
    item = replace(PLAIN.items[0], product=replace(PLAIN.items[0].product, **changes))
    return replace(PLAIN, items=(item,))


def with_transport(**changes: Any) -> Invoice:
    return replace(PLAIN, transport=GoodsTransport(freight_mode="1", **changes))


BY_CPF = {"cnpj": None, "cpf": CPF}
CASES = {
    "only required fields": PLAIN,
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
    "pickup from a person": replace(PLAIN, pickup=replace(full(PickupOrDelivery), **BY_CPF)),
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
    """Returns the errors of the official XSD, except the missing signature."""
    document = etree.fromstring(f'<NFe xmlns="{NAMESPACE}">{to_xml(invoice)}</NFe>')
    schema().validate(document)
    errors: Any = schema().error_log
    return [error.message for error in errors if "xmldsig#}Signature" not in error.message]


class TestWritten:
    @pytest.mark.parametrize("invoice", CASES.values(), ids=CASES)
    def test_invoice_is_accepted_by_the_official_schema(self, invoice: Invoice) -> None:
        assert refusals(invoice) == []
        assert list(unwritable_values(invoice)) == []

    def test_official_schema_refuses_a_wrong_invoice(self) -> None:
        (refusal,) = refusals(with_product(ncm="123"))
        assert "NCM" in refusal

    def test_cases_cover_every_field_of_a_group(self) -> None:
        written_fields = set().union(*map(filled, CASES.values()))
        of_the_taxes = (ItemTaxes, IcmsSn102, Totals, InvoiceTotals)
        seen = {record for record, _ in written_fields} - set(of_the_taxes)
        declared = {(record, name) for record in seen for name in layout_of(record).elements}
        assert declared - written_fields == set()
        assert set(ALTERNATIVES) <= seen

    def test_invoice_is_written_in_canonical_form(self) -> None:
        text = f'<NFe xmlns="{NAMESPACE}">{to_xml(FULL)}</NFe>'
        assert etree.tostring(etree.fromstring(text), method="c14n").decode() == text


class TestProblems:
    def test_text_that_is_too_long_is_reported_at_its_path_in_the_body(self) -> None:
        (problem,) = unwritable_values(with_product(description="x" * 121))
        assert (problem.code, problem.path) == ("225", "items[0].description")

    def test_quantity_with_too_many_decimals_is_reported_at_its_path_in_the_body(self) -> None:
        (problem,) = unwritable_values(with_product(quantity=Decimal("0.00001")))
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
    def test_element_leads_to_the_field_of_the_body(self, element: str, path: str) -> None:
        assert path_of_tags(Invoice, tag_path(element)) == path
