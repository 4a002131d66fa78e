"""MDF-e that are filled from the NF-e and CT-e of the company that they list."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.catalog.filling import FillingReview
from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.mdfe.from_documents import DOCUMENT_UNKNOWN, FILLING
from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import write
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.own_documents import OwnDocument
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ
from unit.fiscal.documents.cte.bodies import (
    CARRIER,
    CURITIBA,
    FREIGHT,
    RECIPIENT,
    RECIPIENT_CNPJ,
    SHIPPER_CNPJ,
    cte_key,
)
from unit.fiscal.documents.cte.breaking import SETTINGS, Breaking, emission
from unit.fiscal.documents.mdfe.bodies import (
    CARRIER_TRIP,
    CONTRACTORS,
    HIRED_TRUCK,
    OWN_CARGO,
    PERSON_AS_OWNER,
    own_nfe_key,
)
from unit.fiscal.documents.mdfe.breaking import places
from unit.fiscal.goods import support

SAO_PAULO, RIO, CURITIBA_CODE = "3550308", "3304557", "4106902"
GIVEN_BY_DOCUMENTS = (
    "ufStart",
    "ufEnd",
    "route",
    "municipalityStartIbge",
    "loadingCityCodes",
    "cargoTotalAmount",
    "cargoQuantity",
    "cargoUnit",
)


def bare(body: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Returns a good body without the fields that documents fill, and with others."""
    kept = {name: value for name, value in body.items() if name not in GIVEN_BY_DOCUMENTS}
    return kept | {"fromDocuments": True} | given


def invoice(weight: float | None = 10, **changes: Any) -> OwnDocument:
    """Returns an NF-e of the company of 100 reais to Rio de Janeiro."""
    volumes = [{"quantity": 1, "grossWeight": weight}] if weight else []
    sold: dict[str, Any] = {
        "recipient": RECIPIENT,
        "items": [support.item(quantity=1, unitValue=100)],
        "freight": {"mode": "sender", "volumes": volumes},
    }
    written = write(support.nfe(by=support.company(taxId=CNPJ), **sold | changes))
    assert isinstance(written, WrittenPart)
    return OwnDocument("nfe", {}, written.canonical)


def waybill(signer: Signer, environment: Environment = Environment.PRODUCTION, **changes: Any) -> OwnDocument:
    """Returns a CT-e of the company from São Paulo to Rio de Janeiro that the shipper takes."""
    under = replace(emission(), environment=environment)
    issuance = support.issuance(signer, SETTINGS, by=Company.model_validate(CARRIER), under=under)
    signed = CTE.issuing.issue(CteRequest.model_validate(FREIGHT | changes), issuance)
    assert isinstance(signed, SignedDocument), signed
    return OwnDocument("cte", {}, signed.xml)


def filled(body: dict[str, Any], own: dict[str, OwnDocument]) -> tuple[dict[str, Any], FillingReview]:
    """Returns the filled body and the review of filling it, which must have no problems."""
    result, review = FILLING.fill(body, MdfeRequest.model_validate(body), own)
    assert review.problems == ()
    assert all(map(FILLING.is_own_warning, review.warnings))
    return dict(result), review


def of_own_cargo(*documents: OwnDocument, **given: Any) -> dict[str, Any]:
    """Returns the filled body of own cargo with NF-e of the company."""
    keys = [own_nfe_key(number) for number in range(1, len(documents) + 1)]
    body = bare(OWN_CARGO, documents=[{"nfeAccessKeys": keys}], **given)
    assert FILLING.keys(MdfeRequest.model_validate(body)) == tuple(keys)
    return filled(body, dict(zip(keys, documents, strict=True)))[0]


def of_carrier(*documents: OwnDocument, **given: Any) -> dict[str, Any]:
    """Returns the filled body of a carrier with CT-e of the company."""
    keys = [cte_key(number) for number in range(1, len(documents) + 1)]
    modal = {name: value for name, value in CARRIER_TRIP["modal"].items() if name != "contractors"}
    body = bare(CARRIER_TRIP, documents=[{"cteAccessKeys": keys}], **{"modal": modal} | given)
    return filled(body, dict(zip(keys, documents, strict=True)))[0]


TO_CURITIBA: dict[str, Any] = {"recipient": RECIPIENT | {"address": CURITIBA, "stateRegistration": None}}


class TestInvoices:
    def test_places_value_and_weight_come_from_the_invoices(self, signer: Signer) -> None:
        body = of_own_cargo(invoice(12.5), invoice(7.5))
        assert body["municipalityStartIbge"] == SAO_PAULO
        assert body["documents"] == [{"cityCode": RIO, "nfeAccessKeys": [own_nfe_key(1), own_nfe_key(2)]}]
        assert (body["cargoTotalAmount"], body["cargoQuantity"]) == (200, 20)

    def test_invoices_are_listed_by_their_municipalities(self) -> None:
        body = of_own_cargo(invoice(), invoice(**TO_CURITIBA), invoice())
        assert body["documents"] == [
            {"cityCode": RIO, "nfeAccessKeys": [own_nfe_key(1), own_nfe_key(3)]},
            {"cityCode": CURITIBA_CODE, "nfeAccessKeys": [own_nfe_key(2)]},
        ]

    def test_places_of_pickup_are_those_of_loading(self) -> None:
        picked_up: dict[str, Any] = {"pickupAddress": CURITIBA | {"taxId": SHIPPER_CNPJ, "name": "Armazém"}}
        body = of_own_cargo(invoice(**picked_up), invoice(), invoice(**picked_up))
        assert (body["municipalityStartIbge"], body["loadingCityCodes"]) == (CURITIBA_CODE, [SAO_PAULO])

    def test_weight_is_in_the_unit_of_the_request(self) -> None:
        assert of_own_cargo(invoice(1250), cargoUnit="TON")["cargoQuantity"] == Decimal("1.25")

    def test_weight_in_tons_has_the_four_decimals_of_the_layout(self) -> None:
        body = of_own_cargo(invoice(10.123), cargoUnit="TON")
        assert body["cargoQuantity"] == Decimal("0.0101")

    def test_weight_of_some_volumes_is_no_weight_of_a_document(self) -> None:
        volumes = [{"quantity": 1, "grossWeight": 10}, {"quantity": 1}]
        assert "cargoQuantity" not in of_own_cargo(invoice(freight={"mode": "sender", "volumes": volumes}))

    def test_weight_that_a_document_lacks_is_left_out(self) -> None:
        assert "cargoQuantity" not in of_own_cargo(invoice(), invoice(None))

    def test_given_values_are_kept(self) -> None:
        given = {"municipalityStartIbge": "3509502", "cargoTotalAmount": 7, "cargoQuantity": 8}
        body = of_own_cargo(invoice(), **given)
        assert {name: body[name] for name in given} == given

    def test_details_stay_with_their_document(self) -> None:
        key, detail = own_nfe_key(1), {"accessKey": own_nfe_key(1), "isRedelivery": True}
        body = bare(OWN_CARGO, documents=[{"nfeAccessKeys": [key], "details": [detail]}])
        result, _ = filled(body, {key: invoice()})
        assert result["documents"] == [{"cityCode": RIO, "nfeAccessKeys": [key], "details": [detail]}]

    def test_given_municipality_of_unloading_is_kept(self) -> None:
        key = own_nfe_key(1)
        body = bare(OWN_CARGO, documents=[{"cityCode": CURITIBA_CODE, "nfeAccessKeys": [key]}])
        result, _ = filled(body, {key: invoice()})
        assert result["documents"] == [{"cityCode": CURITIBA_CODE, "nfeAccessKeys": [key]}]

    def test_filled_manifest_breaks_no_rule(self, signer: Signer) -> None:
        body = of_own_cargo(invoice(), invoice(), route=["MG"])
        assert places(Breaking("", "", "own cargo", body | {"ufEnd": "RJ"}), signer) == []


class TestWaybills:
    def test_places_weight_and_contractors_come_from_the_waybills(self, signer: Signer) -> None:
        other = waybill(signer, taker="recipient", cfop="6353")
        body = of_carrier(waybill(signer), waybill(signer), other)
        assert body["municipalityStartIbge"] == SAO_PAULO
        assert [city["cityCode"] for city in body["documents"]] == [RIO]
        assert body["cargoTotalAmount"] == 150000
        assert body["modal"]["contractors"] == [
            {"taxId": SHIPPER_CNPJ, "name": "Indústria Paulista S.A."},
            {"taxId": RECIPIENT_CNPJ, "name": "Lojas Guanabara Ltda"},
        ]

    def test_taker_with_two_spellings_of_the_name_is_one_contractor(self, signer: Signer) -> None:
        other = waybill(signer, shipper=FREIGHT["shipper"] | {"name": "Ind. Paulista S/A"})
        contractors = of_carrier(waybill(signer), other)["modal"]["contractors"]
        assert [contractor["taxId"] for contractor in contractors] == [SHIPPER_CNPJ]

    def test_names_that_homologation_hides_are_left_out(self, signer: Signer) -> None:
        body = of_carrier(waybill(signer, Environment.HOMOLOGATION))
        assert body["modal"]["contractors"] == [{"taxId": SHIPPER_CNPJ}]

    def test_gross_weight_is_that_of_the_cargo(self, signer: Signer) -> None:
        quantities = [{"unit": "TON", "quantity": 1.5, "measureType": "PESO BRUTO"}]
        heavy = waybill(signer, cargo=FREIGHT["cargo"] | {"quantities": quantities})
        assert of_carrier(heavy)["cargoQuantity"] == 1500

    @pytest.mark.parametrize(
        "modal",
        [
            CARRIER_TRIP["modal"],
            {"kind": 1, "vehicle": HIRED_TRUCK | {"owner": PERSON_AS_OWNER}},
        ],
        ids=["given contractors", "vehicle of an owner"],
    )
    def test_contractors_are_not_replaced(self, modal: dict[str, Any], signer: Signer) -> None:
        body = of_carrier(waybill(signer), modal=modal)
        assert body["modal"] == modal
        assert CARRIER_TRIP["modal"]["contractors"] == CONTRACTORS


class TestWhatIsReported:
    def test_filled_fields_are_warned_of(self, signer: Signer) -> None:
        body = bare(OWN_CARGO, documents=[{"nfeAccessKeys": [own_nfe_key(1)]}])
        _, review = filled(body, {own_nfe_key(1): invoice()})
        assert review.warnings == (
            "fromDocuments: Dos documentos vieram: municipalityStartIbge, cargoTotalAmount, cargoQuantity,"
            " documents.",
        )

    def test_nothing_is_filled_unless_it_is_asked_for(self) -> None:
        body = bare(OWN_CARGO, fromDocuments=False)
        request = MdfeRequest.model_validate(body)
        assert FILLING.keys(request) == ()
        result, review = FILLING.fill(body, request, {})
        assert (result, review.problems, review.warnings) == (body, (), ())

    @pytest.mark.parametrize(
        ("own", "code"),
        [
            ({}, DOCUMENT_UNKNOWN),
            ({own_nfe_key(1): OwnDocument("nfce", {}, b"")}, DOCUMENT_UNKNOWN),
            ({own_nfe_key(1): OwnDocument("nfe", {}, b"", is_canceled=True)}, "677"),
        ],
    )
    def test_document_that_fills_nothing_is_refused(self, own: dict[str, OwnDocument], code: str) -> None:
        body = bare(OWN_CARGO, documents=[{"nfeAccessKeys": [own_nfe_key(1)]}])
        result, review = FILLING.fill(body, MdfeRequest.model_validate(body), own)
        (problem,) = review.problems
        assert (problem.code, problem.path) == (code, "documents[0].nfeAccessKeys[0]")
        assert problem.hint
        assert result == body

    def test_canceled_waybill_has_a_code_of_its_own(self) -> None:
        body = bare(CARRIER_TRIP, documents=[{"cteAccessKeys": [cte_key(1)]}])
        canceled = {cte_key(1): OwnDocument("cte", {}, b"", is_canceled=True)}
        _, review = FILLING.fill(body, MdfeRequest.model_validate(body), canceled)
        (problem,) = review.problems
        assert (problem.code, problem.path) == ("673", "documents[0].cteAccessKeys[0]")
        assert problem.hint == hint_of("673")
