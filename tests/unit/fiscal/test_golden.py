"""Checks the XML of each example: the same bytes, valid, correctly signed, with correct totals."""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from golden import FOLDER
from lxml import etree

from carimbo.fiscal.document_type import Issuing
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.goods.request import GoodsRequest
from carimbo.fiscal.goods.rules.judging import judge_document
from carimbo.fiscal.goods.rules.rule import RuleInput
from carimbo.fiscal.identity.signature import BadSignature, verify
from carimbo.fiscal.layouts.cte_v4 import root as cte_root
from carimbo.fiscal.layouts.cte_v4 import waybill as cte_document
from carimbo.fiscal.layouts.cteos_v4 import waybill as cteos_document
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.layouts.dps_v1 import service_note as dps_document
from carimbo.fiscal.layouts.mdfe_v3 import dialect as mdfe_dialect
from carimbo.fiscal.layouts.mdfe_v3 import manifest as mdfe_document
from carimbo.fiscal.layouts.nfe_v4 import invoice as nfe_document
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.layouts.reading import read_group
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.parties.company_file import read_json_file
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.schemas import Schema
from unit.fiscal.goods.support import SCHEMAS
from unit.fiscal.layout_places import local_name
from unit.golden_documents import (
    EVENTS_OF_MANIFESTS,
    FILES,
    INVOICES,
    MANIFESTS,
    NOTES,
    OS_WAYBILLS,
    WAYBILLS,
    GoldenDocument,
    amounts,
    ask_all,
    golden_document,
)
from xmlsec1 import refused_by_xmlsec1

# By the root of the message, or by `tpEvento` of NF-e and NFC-e.
SCHEMA_OF = {
    "NFe": Schema.NFE,
    "inutNFe": Schema.NFE_INUTILIZATION,
    "110110": Schema.NFE_CORRECTION,
    "110111": Schema.NFE_CANCELLATION,
    "210200": Schema.NFE_MANIFESTATION,
    "210210": Schema.NFE_MANIFESTATION,
    "210220": Schema.NFE_MANIFESTATION,
    "210240": Schema.NFE_MANIFESTATION,
    "DPS": Schema.NFSE_DPS,
    "pedRegEvento": Schema.NFSE_EVENT,
    "CTe": Schema.CTE,
    "CTeOS": Schema.CTE_OS,
    "eventoCTe": Schema.CTE_EVENT,
    "MDFe": Schema.MDFE,
    "eventoMDFe": Schema.MDFE_EVENT,
}
# Parts that the general XSD of CT-e accepts with any content, by their root.
SCHEMA_OF_PART = {
    "rodo": Schema.CTE_ROAD,
    "rodoOS": Schema.CTE_OS_ROAD,
    "aereo": Schema.CTE_AIR,
    "aquav": Schema.CTE_WATER,
    "ferrov": Schema.CTE_RAIL,
    "duto": Schema.CTE_PIPELINE,
    "multimodal": Schema.CTE_MULTIMODAL,
    "evCancCTe": Schema.CTE_CANCELLATION,
    "evCCeCTe": Schema.CTE_CORRECTION,
    "evGTV": Schema.CTE_GTV,
    "evCECTe": Schema.CTE_DELIVERY,
    "evCancCECTe": Schema.CTE_DELIVERY_CANCELLATION,
    "evIECTe": Schema.CTE_FAILED_DELIVERY,
    "evCancIECTe": Schema.CTE_FAILED_DELIVERY_CANCELLATION,
    "evPrestDesacordo": Schema.CTE_DISAGREEMENT,
    "evCancPrestDesacordo": Schema.CTE_DISAGREEMENT_CANCELLATION,
}
# The same of MDF-e, whose modes have the same names.
SCHEMA_OF_PART_OF_MANIFEST = {
    "rodo": Schema.MDFE_ROAD,
    "aereo": Schema.MDFE_AIR,
    "aquav": Schema.MDFE_WATER,
    "ferrov": Schema.MDFE_RAIL,
    "evCancMDFe": Schema.MDFE_CANCELLATION,
    "evEncMDFe": Schema.MDFE_CLOSING,
    "evIncCondutorMDFe": Schema.MDFE_DRIVER,
    "evIncDFeMDFe": Schema.MDFE_DOCUMENTS,
    "evPagtoOperMDFe": Schema.MDFE_PAYMENT,
    "evAlteracaoPagtoServMDFe": Schema.MDFE_PAYMENT_CHANGE,
}
# nfelib has no XSD of the cancellation by substitution.
WITHOUT_SCHEMA = "nfce/events/cancellation-by-substitution.json"
SIGNED_TAGS = ("infNFe", "infCte", "infMDFe", "infDPS", "infEvento", "infPedReg", "infInut")
REQUESTS: dict[str, type[GoodsRequest]] = {"nfe": NfeRequest, "nfce": NfceRequest}

# These are in several groups of the totals, and are prefixed with the name of the group.
IN_SEVERAL_GROUPS = ("vDif", "vDevTrib", "vCredPres", "vCredPresCondSus")
# The same of CT-e, which has no group of totals: ICMS, IBS and CBS have a base each.
IN_SEVERAL_GROUPS_OF_WAYBILLS = ("vBC", "vDif", "vDevTrib")
# Computed by hand, though the document has no total of it.
SUM_OF_ITEMS = "vCredICMSSN"
# Without payment, and paid later.
NOT_PAID = {"90", "91"}
# An offline QR code of version 3 has a signature of its own.
SIGNATURE = re.compile(rb"<Signature .*</Signature>|[A-Za-z0-9+/]{342}==")

Check = Callable[[GoldenDocument], None]


def is_reproduced_byte_for_byte(document: GoldenDocument) -> None:
    assert document.issued == document.xml


def is_valid_by_the_official_xsd(document: GoldenDocument) -> None:
    event = document.root.findtext(f".//{{{NAMESPACE}}}tpEvento")
    if document.file != WITHOUT_SCHEMA:
        assert SCHEMAS.problems(SCHEMA_OF[event or local_name(document.root)], document.root) == ()


def is_canonical(document: GoldenDocument) -> None:
    assert etree.tostring(document.root, method="c14n") == document.xml


def has_a_valid_signature_of_the_right_element(document: GoldenDocument) -> None:
    assert local_name(document.root[0]) in SIGNED_TAGS
    assert verify(document.root).reference_id == document.root[0].get("Id")


def is_refused_with_one_byte_changed(document: GoldenDocument) -> None:
    with pytest.raises(BadSignature):
        verify(etree.fromstring(with_one_byte_changed(document)))


OF_EVERY_EXAMPLE: tuple[Check, ...] = (
    is_reproduced_byte_for_byte,
    is_valid_by_the_official_xsd,
    is_canonical,
    has_a_valid_signature_of_the_right_element,
    is_refused_with_one_byte_changed,
)


def adds_up_to_the_totals_computed_by_hand(document: GoldenDocument) -> None:
    assert totals_in(document.root) == document.example.totals


def is_paid_in_full_or_not_at_all(document: GoldenDocument) -> None:
    paid = sum(amounts(document.root, "vPag")) - sum(amounts(document.root, "vTroco"))
    methods = {element.text for element in document.root.iter(f"{{{NAMESPACE}}}tPag")}
    assert paid == (0 if methods <= NOT_PAID else sum(amounts(document.root, "vNF")))


def has_a_review_without_problems(document: GoldenDocument) -> None:
    # 990 items take more than the 500 kB that the authorities accept.
    expected = ["214"] if document.file == "nfe/most-items.json" else []
    assert [problem.code for problem in document.review.problems] == expected


def has_a_preview_with_its_text_but_no_signature(document: GoldenDocument) -> None:
    assert SIGNATURE.sub(b"", document.preview.xml) == SIGNATURE.sub(b"", document.xml)
    assert b"<Signature" not in document.preview.xml


def has_a_preview_with_its_lines(document: GoldenDocument) -> None:
    lines = issuing_of(document).lines
    assert lines
    assert document.preview.lines == lines(document.xml)


def has_a_preview_with_its_totals(document: GoldenDocument) -> None:
    leaf_amounts = [Decimal(leaf.text or "") for leaf in leaves_of_totals(document.root)]
    assert list(numbers_in(document.preview.totals)) == leaf_amounts
    assert (
        document.preview.amount == document.preview.totals["amount"] == document.invoice.totals.invoice.amount
    )


def is_written_as_it_was_signed_after_being_read(document: GoldenDocument) -> None:
    again = nfe_document.write(document.invoice)
    assert isinstance(again, WrittenPart), again
    # The document is canonical, but for the namespace that its root declares.
    content = document.xml.partition(b"<infNFe")[2].partition(b"</infNFe>")[0]
    assert again.canonical == f'<infNFe xmlns="{NAMESPACE}"'.encode() + content + b"</infNFe>"


def breaks_no_rule_of_documents_made_elsewhere(document: GoldenDocument) -> None:
    request = REQUESTS[document.document_type].model_validate(document.body)
    now = document.invoice.identification.issued_at
    assert (
        judge_document(
            RuleInput(document.invoice, request, document.company, now, is_composed=False)
        ).problems
        == ()
    )


OF_EVERY_INVOICE: tuple[Check, ...] = (
    adds_up_to_the_totals_computed_by_hand,
    is_paid_in_full_or_not_at_all,
    has_a_review_without_problems,
    has_a_preview_with_its_text_but_no_signature,
    has_a_preview_with_its_lines,
    has_a_preview_with_its_totals,
    is_written_as_it_was_signed_after_being_read,
    breaks_no_rule_of_documents_made_elsewhere,
)


def has_a_preview_of_its_declaration(document: GoldenDocument) -> None:
    assert document.xml.partition(b"<Signature ")[0] + b"</DPS>" == document.preview.xml


def has_a_preview_with_the_totals_computed_by_hand(document: GoldenDocument) -> None:
    totals = {name: amount for name, amount in document.preview.totals.items() if amount}
    # The rate is no amount: it comes from the body, or else from the company.
    iss = document.body.get("iss")
    rate = (
        iss["rate"]
        if iss
        else read_json_file(FOLDER / document.example.company)["settings"]["nfse"]["issRate"]
    )
    assert totals.pop("issRate", 0) == Decimal(rate)
    assert totals == document.example.totals


def amounts_to_the_price_without_the_unconditional_discount(document: GoldenDocument) -> None:
    namespace = "{http://www.sped.fazenda.gov.br/nfse}"
    price = Decimal(document.root.findtext(f".//{namespace}vServ", ""))
    discount = Decimal(document.root.findtext(f".//{namespace}vDescIncond", "0"))
    assert document.preview.amount == price - discount == document.example.totals["amount"]


def is_the_same_declaration_after_being_read(document: GoldenDocument) -> None:
    again = dps_document.write(dps_document.read_note(document.xml))
    assert isinstance(again, WrittenPart), again
    signature = document.xml[document.xml.index(b"<Signature") : document.xml.index(b"</DPS>")]
    assert dps_document.in_root(again, signature) == document.xml


OF_EVERY_NOTE: tuple[Check, ...] = (
    has_a_review_without_problems,
    has_a_preview_of_its_declaration,
    has_a_preview_with_the_totals_computed_by_hand,
    amounts_to_the_price_without_the_unconditional_discount,
    is_the_same_declaration_after_being_read,
)


def problems_of_part(part: etree._Element) -> tuple[Problem, ...]:
    """Returns the problems that its own XSD finds in a part of a transport document."""
    is_of_manifest = etree.QName(part).namespace == mdfe_dialect.NAMESPACE
    schemas = SCHEMA_OF_PART_OF_MANIFEST if is_of_manifest else SCHEMA_OF_PART
    return SCHEMAS.problems(schemas[local_name(part)], part)


def modes_of(document: GoldenDocument) -> list[etree._Element]:
    return [*document.root.iterfind(".//{*}infModal/*")]


def has_a_mode_unless_it_is_a_complement(document: GoldenDocument) -> None:
    assert len(modes_of(document)) == (0 if document.body.get("purpose") == "complement" else 1)


def has_the_mode_of_passengers_and_baggage_by_road(document: GoldenDocument) -> None:
    body = document.body
    is_by_road = body["serviceType"] != "valuables" and "modal" not in body
    assert len(modes_of(document)) == (1 if is_by_road and body.get("purpose") != "complement" else 0)


def has_modes_that_are_valid_by_their_own_xsd(document: GoldenDocument) -> None:
    modes = modes_of(document)
    assert [problems_of_part(mode) for mode in modes] == [() for _ in modes]


def has_the_price_and_taxes_computed_by_hand(document: GoldenDocument) -> None:
    amounts = {amount_name(leaf): Decimal(leaf.text or "") for leaf in amounts_of_waybill(document.root)}
    assert {name: amount for name, amount in amounts.items() if amount} == document.example.totals


def has_a_preview_of_its_price(document: GoldenDocument) -> None:
    preview, totals = document.preview, document.example.totals
    assert preview.amount == preview.totals["serviceAmount"] == totals["vTPrest"]
    assert preview.totals["receivableAmount"] == totals["vRec"]


def is_the_same_waybill_after_being_read(document: GoldenDocument) -> None:
    again = cte_document.ROOT.write(document.waybill)
    assert isinstance(again, WrittenPart), again
    beside = document.xml[document.xml.index(b"<infCTeSupl") : document.xml.index(b"</CTe>")]
    assert cte_document.ROOT.around(again, beside) == document.xml


def is_the_same_os_waybill_after_being_read(document: GoldenDocument) -> None:
    again = cteos_document.ROOT.write(read_group(OsWaybill, document.root[0]))
    assert isinstance(again, WrittenPart), again
    beside = document.xml[document.xml.index(b"<infCTeSupl") : document.xml.index(b"</CTeOS>")]
    assert cteos_document.ROOT.around(again, beside) == document.xml


OF_EVERY_OS_WAYBILL: tuple[Check, ...] = (
    has_the_mode_of_passengers_and_baggage_by_road,
    has_modes_that_are_valid_by_their_own_xsd,
    has_the_price_and_taxes_computed_by_hand,
    has_a_review_without_problems,
    has_a_preview_with_its_text_but_no_signature,
    has_a_preview_of_its_price,
    is_the_same_os_waybill_after_being_read,
)


OF_EVERY_WAYBILL: tuple[Check, ...] = (
    has_a_mode_unless_it_is_a_complement,
    has_modes_that_are_valid_by_their_own_xsd,
    has_the_price_and_taxes_computed_by_hand,
    has_a_review_without_problems,
    has_a_preview_with_its_text_but_no_signature,
    has_a_preview_of_its_price,
    is_the_same_waybill_after_being_read,
)


def has_a_detail_that_is_valid_by_its_own_xsd(document: GoldenDocument) -> None:
    (detail,) = document.root.iterfind(".//{*}detEvento/*")
    assert problems_of_part(detail) == ()


OF_EVERY_EVENT_OF_A_WAYBILL: tuple[Check, ...] = (has_a_detail_that_is_valid_by_its_own_xsd,)


def has_one_mode(document: GoldenDocument) -> None:
    assert len(modes_of(document)) == 1


def has_the_counts_value_and_weight_worked_out_by_hand(document: GoldenDocument) -> None:
    (totals,) = document.root.iterfind("*/{*}tot")
    amounts = {local_name(leaf): Decimal(leaf.text or "") for leaf in totals if local_name(leaf) != "cUnid"}
    assert {name: amount for name, amount in amounts.items() if amount} == document.example.totals


def has_a_preview_of_its_cargo(document: GoldenDocument) -> None:
    preview, totals = document.preview, document.example.totals
    counted = {"qCTe": "ctes", "qNFe": "nfes", "qMDFe": "mdfes"}
    assert preview.amount == preview.totals["amount"] == totals.get("vCarga", 0)
    assert preview.totals["cargoQuantity"] == totals.get("qCarga", 0)
    assert {tag: preview.totals.get(name) for tag, name in counted.items()} == {
        tag: totals.get(tag) for tag in counted
    }


def has_the_qr_code_of_its_key(document: GoldenDocument) -> None:
    manifest = document.manifest
    address = "https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode"
    assert manifest.qr_code == f"{address}?chMDFe={manifest.access_key}&tpAmb=2"


def is_the_same_manifest_after_being_read(document: GoldenDocument) -> None:
    again = mdfe_document.ROOT.write(document.manifest.manifest)
    assert isinstance(again, WrittenPart), again
    beside = document.xml[document.xml.index(b"<infMDFeSupl") : document.xml.index(b"</MDFe>")]
    assert mdfe_document.ROOT.around(again, beside) == document.xml


OF_EVERY_MANIFEST: tuple[Check, ...] = (
    has_one_mode,
    has_modes_that_are_valid_by_their_own_xsd,
    has_the_counts_value_and_weight_worked_out_by_hand,
    has_a_review_without_problems,
    has_a_preview_with_its_text_but_no_signature,
    has_a_preview_of_its_cargo,
    has_the_qr_code_of_its_key,
    is_the_same_manifest_after_being_read,
)


def is_about_the_example_that_it_names(document: GoldenDocument) -> None:
    key = golden_document(document.body["document"]).manifest.access_key
    assert document.body["accessKey"] == document.root.findtext(".//{*}chMDFe") == key


OF_EVERY_EVENT_OF_A_MANIFEST: tuple[Check, ...] = (
    has_a_detail_that_is_valid_by_its_own_xsd,
    is_about_the_example_that_it_names,
)


def checks_of(file: str) -> tuple[Check, ...]:
    of_its_kind: tuple[Check, ...] = ()
    if file in INVOICES:
        of_its_kind = OF_EVERY_INVOICE
    elif file in NOTES:
        of_its_kind = OF_EVERY_NOTE
    elif file in WAYBILLS:
        of_its_kind = OF_EVERY_WAYBILL
    elif file in OS_WAYBILLS:
        of_its_kind = OF_EVERY_OS_WAYBILL
    elif file.startswith(("cte/events/", "cteOs/events/")):
        of_its_kind = OF_EVERY_EVENT_OF_A_WAYBILL
    elif file in MANIFESTS:
        of_its_kind = OF_EVERY_MANIFEST
    elif file in EVENTS_OF_MANIFESTS:
        of_its_kind = OF_EVERY_EVENT_OF_A_MANIFEST
    return OF_EVERY_EXAMPLE + of_its_kind


def with_one_byte_changed(document: GoldenDocument) -> bytes:
    """Returns the XML with the environment of production."""
    return document.xml.replace(b"<tpAmb>2<", b"<tpAmb>1<", 1)


def leaves_of_totals(root: etree._Element) -> Iterator[etree._Element]:
    return (leaf for leaf in root.iterfind(f".//{{{NAMESPACE}}}total//*") if not len(leaf))


def totals_in(root: etree._Element) -> dict[str, Decimal]:
    """Returns every amount of the totals that is not zero."""
    totals = {total_name(leaf): Decimal(leaf.text or "0") for leaf in leaves_of_totals(root)}
    totals[SUM_OF_ITEMS] = sum(amounts(root, SUM_OF_ITEMS), Decimal())
    return {name: amount for name, amount in totals.items() if amount}


def total_name(leaf: etree._Element) -> str:
    tag, group = local_name(leaf), leaf.getparent()
    return f"{local_name(group)}/{tag}" if group is not None and tag in IN_SEVERAL_GROUPS else tag


def amounts_of_waybill(root: etree._Element) -> Iterator[etree._Element]:
    """Yields price and taxes of a CT-e: all amounts but those of the price's components."""
    for group in ("vPrest", "imp"):
        for leaf in root.iterfind(f"*/{{{cte_root.NAMESPACE}}}{group}//*"):
            if local_name(leaf).startswith("v") and local_name(leaf) != "vComp":
                yield leaf


def amount_name(leaf: etree._Element) -> str:
    tag, group = local_name(leaf), leaf.getparent()
    is_repeated = tag in IN_SEVERAL_GROUPS_OF_WAYBILLS
    return f"{local_name(group)}/{tag}" if group is not None and is_repeated else tag


def numbers_in(totals: Mapping[str, Any]) -> Iterator[Decimal]:
    """Yields every number of a nested mapping."""
    for value in totals.values():
        if isinstance(value, Mapping):
            yield from numbers_in(value)
        else:
            yield value


def issuing_of(document: GoldenDocument) -> Issuing:
    (issuing,) = (
        document_type.issuing
        for document_type in DOCUMENT_TYPES
        if document_type.name == document.document_type
    )
    return issuing


class TestExample:
    @pytest.mark.parametrize("file", FILES)
    def test_example_passes_every_check_of_its_xml(self, file: str) -> None:
        ask_all(file, golden_document(file), checks_of(file))


class TestSignatures:
    """A second implementation checks them too; its process starts slowly, and takes many files at once."""

    def test_signatures_of_all_examples_are_accepted_by_xmlsec1(self) -> None:
        assert refused_by_xmlsec1((golden_document(file).example.xml for file in FILES), SIGNED_TAGS) == []

    def test_signatures_of_changed_documents_are_refused_by_xmlsec1(self, tmp_path: Path) -> None:
        # One for each signed element of each type; our own verification checks all of them above.
        chosen = {
            (document.document_type, local_name(document.root[0])): document
            for document in map(golden_document, FILES)
        }
        changed = [tmp_path / f"{kind}-{tag}.xml" for kind, tag in chosen]
        for path, document in zip(changed, chosen.values(), strict=True):
            path.write_bytes(with_one_byte_changed(document))
        assert {tag for _, tag in chosen} == set(SIGNED_TAGS)
        assert refused_by_xmlsec1(changed, SIGNED_TAGS) == changed
