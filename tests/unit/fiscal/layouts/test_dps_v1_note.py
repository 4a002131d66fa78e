"""The groups of a DPS: accepted by the official XSD, and located from an element."""

from dataclasses import replace
from typing import Any

import pytest
from lxml import etree
from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.dps_v1.amounts import Deductions, MunicipalBenefit, Suspension
from carimbo.fiscal.layouts.dps_v1.parties import Person
from carimbo.fiscal.layouts.dps_v1.service import Construction, ForeignTrade, PublicEvent
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote, check, enclose, in_root, read_note, write
from carimbo.fiscal.layouts.json_form import path_of_tags, unwritable_values
from carimbo.fiscal.layouts.layout import layout_of, to_xml
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from support import OTHER_CNPJ
from unit.fiscal.layouts.service_notes import ALTERNATIVES, CASES, CPF, FULL, KEY, full, placed
from unit.fiscal.layouts.specimens import filled, tag_path
from xmlsec1 import xmlsec1_accepts


def refusals(note: ServiceNote, schemas: Schemas) -> tuple[Problem, ...]:
    """Returns the XSD problems of a declaration; the XSD accepts unsigned ones too."""
    document = in_root(accepted(write(note)))
    return schemas.problems(Schema.NFSE_DPS, etree.fromstring(document), ServiceNote)


def accepted(result: WrittenPart | tuple[Problem, ...]) -> WrittenPart:
    assert isinstance(result, WrittenPart), result
    return result


class TestWrite:
    @pytest.mark.parametrize("note", CASES.values(), ids=CASES)
    def test_declaration_is_accepted_by_the_official_schema(
        self, note: ServiceNote, schemas: Schemas
    ) -> None:
        assert refusals(note, schemas) == ()
        assert list(unwritable_values(note)) == []

    def test_official_schema_refuses_a_wrong_declaration(self, schemas: Schemas) -> None:
        code = replace(FULL.service.code, national_code="0105")
        (refusal,) = refusals(placed(FULL, code), schemas)
        assert refusal.path == "federalServiceCode"

    def test_cases_cover_every_field_of_a_group(self) -> None:
        written_fields = set().union(*map(filled, CASES.values()))
        seen = {record for record, _ in written_fields}
        assert {(record, name) for record in seen for name in layout_of(record).elements} == written_fields
        assert set(ALTERNATIVES) <= seen

    def test_declaration_is_written_in_canonical_form(self) -> None:
        text = in_root(accepted(write(FULL)))
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    def test_every_value_that_cannot_be_written_is_reported(self) -> None:
        code = replace(FULL.service.code, description="x" * 2001, nbs="1150210001")
        problems = write(placed(FULL, code))
        assert isinstance(problems, tuple)
        assert [problem.path for problem in problems] == ["serviceDescription", "nbs"]


class TestRead:
    @pytest.mark.parametrize("note", CASES.values(), ids=CASES)
    def test_declaration_is_read_back_completely(self, note: ServiceNote) -> None:
        text = in_root(accepted(write(note)))
        assert in_root(accepted(write(read_note(text)))) == text

    def test_elements_of_a_later_layout_are_ignored(self) -> None:
        text = in_root(accepted(write(FULL))).replace(b"<cLocEmi>", b"<finNFSe>0</finNFSe><cLocEmi>")
        assert read_note(text) == read_note(in_root(accepted(write(FULL))))

    def test_missing_element_is_named(self) -> None:
        text = in_root(accepted(write(FULL))).replace(b"<cTribNac>010501</cTribNac>", b"")
        with pytest.raises(UnreadableDocument, match="cTribNac"):
            read_note(text)


class TestEnclose:
    def test_signature_verifies_and_the_id_is_the_key(self, signer: Signer, schemas: Schemas) -> None:
        note = accepted(write(FULL))
        signed = enclose(note, signer.sign(note.canonical, note.id))
        verified = verify(etree.fromstring(signed.xml))
        assert signed.access_key == verified.reference_id == FULL.id
        assert xmlsec1_accepts(signed.xml, "infDPS")
        assert check(signed, schemas) == ()

    def test_problem_of_the_xsd_is_reported_at_its_path_in_the_body(
        self, signer: Signer, schemas: Schemas
    ) -> None:
        note = accepted(write(placed(FULL, replace(full(Suspension), process_number="123"))))
        (problem,) = check(enclose(note, signer.sign(note.canonical, note.id)), schemas)
        assert problem.path == "suspension.processNumber"


class TestLocate:
    @pytest.mark.parametrize(
        ("element", "path"),
        [
            ("dCompet", "issueDate"),
            ("cLocEmi", "company.address.cityCode"),
            ("subst chSubstda", "replaces.documentId"),
            ("prest CNPJ", "company.taxId"),
            ("prest regTrib opSimpNac", "company.taxRegime"),
            ("toma CPF", "borrower.taxId"),
            ("toma xNome", "borrower.name"),
            ("toma end endNac CEP", "borrower.address.zipcode"),
            ("toma end endExt cPais", "borrower.address.countryCode"),
            ("toma end xLgr", "borrower.address.street"),
            ("interm CNPJ", "intermediary.taxId"),
            ("interm end endNac cMun", "intermediary.address.cityCode"),
            ("serv locPrest cLocPrestacao", "serviceLocation"),
            ("serv cServ cTribNac", "federalServiceCode"),
            ("serv cServ cTribMun", "cityServiceCode"),
            ("serv cServ xDescServ", "serviceDescription"),
            ("serv cServ cNBS", "nbs"),
            ("serv comExt tpMoeda", "foreignTrade.currencyCode"),
            ("serv obra end CEP", "construction.address.zipcode"),
            ("serv atvEvento dtIni", "event.startsOn"),
            ("serv infoCompl xInfComp", "notes"),
            ("serv infoCompl gItemPed xItemPed:1", "orderItems.items[1]"),
            ("valores vServPrest vServ", "amount"),
            ("valores vDescCondIncond vDescIncond", "discounts.unconditional"),
            (
                "valores vDedRed documentos docDedRed:1 fornec CPF",
                "deductions.proof.documents[1].supplier.cpf",
            ),
            ("valores trib tribMun tribISSQN", "natureOfOperation"),
            ("valores trib tribMun tpRetISSQN", "iss.isWithheld"),
            ("valores trib tribMun pAliq", "iss.rate"),
            ("valores trib tribMun exigSusp nProcesso", "suspension.processNumber"),
            ("valores trib tribMun BM nBM", "benefit.number"),
            ("valores trib tribFed vRetIRRF", "taxes.ir"),
            ("valores trib tribFed piscofins pAliqPis", "taxes.ownDebit.pisRate"),
            ("valores trib totTrib pTotTribSN", "company.simplesRate"),
            ("valores trib totTrib pTotTrib pTotTribFed", "totalTaxes.federal"),
            ("IBSCBS gRefNFSe refNFSe:1", "ibsCbs.referencedKeys[1]"),
            ("IBSCBS cIndOp", "ibsCbs.operationIndicator"),
            ("IBSCBS valores trib gIBSCBS CST", "ibsCbs.cst"),
            ("IBSCBS valores trib gIBSCBS cClassTrib", "ibsCbs.taxClassCode"),
            (
                "IBSCBS valores gReeRepRes documentos:2 vlrReeRepRes",
                "ibsCbs.reimbursements.documents[2].amount",
            ),
        ],
    )
    def test_element_leads_to_the_field_of_the_body(self, element: str, path: str) -> None:
        assert path_of_tags(ServiceNote, tag_path(element)) == path


BODIES: dict[type, dict[str, Any]] = {
    MunicipalBenefit: {"number": "35503080200001", "reductionRate": 40},
    Suspension: {"kind": "1", "processNumber": "1" * 30},
    Construction: {
        "address": {"zipcode": "01001000", "street": "Rua A", "number": "1", "district": "Centro"}
    },
    PublicEvent: {
        "name": "Congresso",
        "startsOn": "2026-11-14",
        "endsOn": "2026-11-15",
        "identifier": "E1",
    },
    ForeignTrade: {
        "deliveryMode": "1",
        "relationship": "0",
        "currencyCode": "220",
        "amount": 1000,
        "providerSupport": "01",
        "takerSupport": "01",
        "temporaryGoods": "1",
        "sharedWithMdic": "0",
    },
    Deductions: {
        "proof": {
            "documents": [
                {
                    "serviceNoteKey": KEY,
                    "kind": "2",
                    "issuedOn": "2026-11-01",
                    "deductibleAmount": 100,
                    "amount": 50,
                    "supplier": {"cnpj": OTHER_CNPJ, "name": "Fornecedor"},
                }
            ]
        }
    },
    Person: {
        "cpf": CPF,
        "name": "Fornecedor",
        "address": {
            "national": {"cityCode": "3550308", "zipcode": "01001000"},
            "street": "Rua A",
            "number": "1",
            "district": "Centro",
        },
    },
}


class TestInABody:
    """Groups that are part of a request body."""

    @pytest.mark.parametrize(
        ("record", "body"), BODIES.items(), ids=lambda param: getattr(param, "__name__", "")
    )
    def test_groups_in_a_body_are_read_by_their_json_names(
        self, record: type, body: dict[str, Any], schemas: Schemas
    ) -> None:
        group: Any = TypeAdapter(record).validate_python(body)
        assert to_xml(group)
        assert refusals(placed(FULL, group), schemas) == ()

    def test_groups_in_a_body_refuse_the_names_of_the_layout(self) -> None:
        with pytest.raises(ValidationError):
            TypeAdapter(MunicipalBenefit).validate_python({"nBM": "35503080200001"})
