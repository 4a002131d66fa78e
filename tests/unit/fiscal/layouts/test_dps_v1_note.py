"""The groups of a DPS: accepted by the official XSD, and found again from an element."""

from dataclasses import replace
from typing import Any

import pytest
from lxml import etree
from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.layouts.dps_v1.amounts import Deductions
from carimbo.fiscal.layouts.dps_v1.document import (
    check,
    enclose,
    in_root,
    read_note,
    write,
)
from carimbo.fiscal.layouts.dps_v1.parties import Person
from carimbo.fiscal.layouts.dps_v1.service import Construction, ForeignTrade, PublicEvent
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.layouts.dps_v1.taxes import Benefit, Suspension
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.paths import locate, problems
from carimbo.fiscal.layouts.reading import Unreadable
from carimbo.fiscal.layouts.records import written
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signer, verify
from support import OTHER_CNPJ
from unit.fiscal.layouts.service_notes import ALTERNATIVES, CASES, CPF, FULL, KEY, full, placed
from unit.fiscal.layouts.specimens import filled, way_to
from xmlsec1 import xmlsec1_accepts


def refusals(note: ServiceNote, schemas: Schemas) -> tuple[Problem, ...]:
    """What the XSD says of a declaration: unsigned ones it takes too."""
    document = in_root(accepted(write(note)))
    return schemas.problems(Schema.NFSE_DPS, etree.fromstring(document), ServiceNote)


def accepted(result: WrittenPart | tuple[Problem, ...]) -> WrittenPart:
    assert isinstance(result, WrittenPart), result
    return result


class TestWrite:
    @pytest.mark.parametrize("note", CASES.values(), ids=CASES)
    def test_the_official_schema_accepts(self, note: ServiceNote, schemas: Schemas) -> None:
        assert refusals(note, schemas) == ()
        assert list(problems(note)) == []

    def test_the_official_schema_is_really_asked(self, schemas: Schemas) -> None:
        code = replace(FULL.service.code, national_code="0105")
        (refusal,) = refusals(placed(FULL, code), schemas)
        assert refusal.path == "federalServiceCode"

    def test_the_cases_leave_no_field_of_a_group_out(self) -> None:
        written_fields = set().union(*map(filled, CASES.values()))
        seen = {record for record, _ in written_fields}
        assert {(one, name) for one in seen for name in layout_of(one).elements} == written_fields
        assert set(ALTERNATIVES) <= seen

    def test_it_is_canonical_as_it_stands(self) -> None:
        text = in_root(accepted(write(FULL)))
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    def test_every_value_that_cannot_be_written_is_told(self) -> None:
        code = replace(FULL.service.code, description="x" * 2001, nbs="1150210001")
        found = write(placed(FULL, code))
        assert isinstance(found, tuple)
        assert [problem.path for problem in found] == ["serviceDescription", "nbs"]


class TestRead:
    @pytest.mark.parametrize("note", CASES.values(), ids=CASES)
    def test_all_that_was_written_is_read(self, note: ServiceNote) -> None:
        text = in_root(accepted(write(note)))
        assert in_root(accepted(write(read_note(text)))) == text

    def test_what_a_later_layout_adds_is_passed_over(self) -> None:
        text = in_root(accepted(write(FULL))).replace(b"<cLocEmi>", b"<finNFSe>0</finNFSe><cLocEmi>")
        assert read_note(text) == read_note(in_root(accepted(write(FULL))))

    def test_what_is_missing_is_told(self) -> None:
        text = in_root(accepted(write(FULL))).replace(b"<cTribNac>010501</cTribNac>", b"")
        with pytest.raises(Unreadable, match="cTribNac"):
            read_note(text)


class TestEnclose:
    def test_the_signature_verifies_and_the_id_is_the_key(self, signer: Signer, schemas: Schemas) -> None:
        note = accepted(write(FULL))
        signed = enclose(note, signer.sign(note.canonical, note.id))
        verified = verify(etree.fromstring(signed.xml))
        assert signed.access_key == verified.reference_id == FULL.id
        assert xmlsec1_accepts(signed.xml, "infDPS")
        assert check(signed, schemas) == ()

    def test_what_the_xsd_refuses_is_told_by_its_place_in_the_body(
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
    def test_an_element_leads_to_the_field_of_the_body(self, element: str, path: str) -> None:
        assert locate(ServiceNote, way_to(element)) == path


BODIES: dict[type, dict[str, Any]] = {
    Benefit: {"number": "35503080200001", "reductionRate": 40},
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
    """Groups that a request carries as they are."""

    @pytest.mark.parametrize(("record", "body"), BODIES.items(), ids=lambda one: getattr(one, "__name__", ""))
    def test_they_are_taken_by_their_names(
        self, record: type, body: dict[str, Any], schemas: Schemas
    ) -> None:
        made: Any = TypeAdapter(record).validate_python(body)
        assert written(made)
        assert refusals(placed(FULL, made), schemas) == ()

    def test_names_of_the_layout_are_refused(self) -> None:
        with pytest.raises(ValidationError):
            TypeAdapter(Benefit).validate_python({"nBM": "35503080200001"})
