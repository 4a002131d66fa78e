"""Documents, drivers, payments, moments and totals of an MDF-e as its XML has them."""

from typing import Any

import pytest

from carimbo.fiscal.identity.signature import Signer
from unit.fiscal.documents.cte.bodies import MANAUS, cte_key, nfe_key
from unit.fiscal.documents.cte.breaking import Breaking
from unit.fiscal.documents.mdfe.bodies import (
    CASH,
    DRIVER,
    OTHER_DRIVER,
    mdfe_key,
    own_nfe_key,
)
from unit.fiscal.documents.mdfe.breaking import manifest_of, review, texts, written
from unit.fiscal.documents.mdfe.breakings_cargo import details
from unit.fiscal.rules.breaking import GONE

IN_AMAZONAS = {"address": MANAUS, "stateRegistrations": [{"state": "AM", "number": "041234561"}]}


class TestTotals:
    def counts(self, signer: Signer, good: str, changes: dict[str, Any]) -> list[list[str | None]]:
        manifest = manifest_of(Breaking("", "", good, changes), signer)
        return [texts(manifest, f"tot/{tag}") for tag in ("qCTe", "qNFe", "qMDFe")]

    def test_documents_are_counted_by_kind(self, signer: Signer) -> None:
        assert self.counts(signer, "carrier", {}) == [["3"], [], []]
        assert self.counts(signer, "own cargo", {}) == [[], ["3"], []]
        more = {"documents[0].mdfeAccessKeys": [mdfe_key(7), mdfe_key(8)]}
        assert self.counts(signer, "by water", more) == [["1"], [], ["2"]]

    def test_value_and_weight_have_their_decimals(self, signer: Signer) -> None:
        assert written(signer, "tot/vCarga", good="carrier") == ["310250.00"]
        assert written(signer, "tot/qCarga", good="carrier") == ["18.4000"]
        assert written(signer, "tot/cUnid", good="carrier") == ["02"]
        assert written(signer, "tot/cUnid", {"cargoUnit": None}) == ["01"]

    def test_preview_has_the_totals_by_name(self, signer: Signer) -> None:
        preview = review(Breaking("", "", "by water"), signer).preview
        assert preview is not None
        assert preview.amount == 900
        assert preview.totals == {"amount": 900, "cargoQuantity": 80, "ctes": 1, "mdfes": 1}
        assert preview.lines == ()


class TestLaterLoading:
    def test_place_of_unloading_is_that_of_loading(self, signer: Signer) -> None:
        manifest = manifest_of(Breaking("", "", "later loading"), signer)
        assert texts(manifest, "cMunDescarga") == ["3550308"]
        assert [texts(manifest, tag) for tag in ("UFIni", "UFFim")] == [["SP"], ["SP"]]
        assert texts(manifest, "indCarregaPosterior") == ["1"]

    def test_unknown_value_and_weight_are_zero_and_nothing_is_counted(self, signer: Signer) -> None:
        manifest = manifest_of(Breaking("", "", "later loading"), signer)
        totals = manifest.find(".//{*}tot")
        assert totals is not None
        assert [element.text for element in totals] == ["0.00", "01", "0.0000"]

    def test_known_value_and_weight_are_written(self, signer: Signer) -> None:
        given = {"cargoTotalAmount": 900, "cargoQuantity": 12.5}
        assert written(signer, "tot/vCarga", given, "later loading") == ["900.00"]
        assert written(signer, "tot/qCarga", given, "later loading") == ["12.5000"]


class TestNotesAndMarks:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("Entregar pela manhã", [["Entregar pela manhã"], []]),
            ({"notes": "Para todos", "authorityNotes": "Para o fisco"}, [["Para todos"], ["Para o fisco"]]),
            ({"authorityNotes": "Para o fisco"}, [[], ["Para o fisco"]]),
            ({}, [[], []]),
            ("", [[], []]),
            (None, [[], []]),
        ],
    )
    def test_additional_may_be_a_text(self, given: Any, expected: list[list[str]], signer: Signer) -> None:
        manifest = manifest_of(Breaking("", "", "own cargo", {"additional": given}), signer)
        assert [texts(manifest, f"infAdic/{tag}") for tag in ("infCpl", "infAdFisco")] == expected

    def test_green_channel_is_written_only_if_it_is_used(self, signer: Signer) -> None:
        assert written(signer, "indCanalVerde") == []
        assert written(signer, "indCanalVerde", {"greenChannel": True}) == ["1"]


class TestDrivers:
    @pytest.mark.parametrize("place", ["drivers", "modal.drivers"])
    def test_drivers_may_be_in_the_body_or_in_its_mode(self, place: str, signer: Signer) -> None:
        given = {"drivers": GONE} | {place: [DRIVER, OTHER_DRIVER]}
        if place == "drivers":
            given = {place: [DRIVER, OTHER_DRIVER]}
        assert written(signer, "condutor/CPF", given) == [DRIVER["taxId"], OTHER_DRIVER["taxId"]]

    def test_tractor_has_no_bodywork(self, signer: Signer) -> None:
        assert written(signer, "veicTracao/tpCar", good="carrier") == ["00"]
        assert written(signer, "veicTracao/tpCar", {"modal.vehicle.bodyType": "open"}, "carrier") == ["01"]


class TestDocuments:
    def test_keys_may_have_blanks(self, signer: Signer) -> None:
        key = own_nfe_key(1)
        spaced = " ".join(key[place : place + 4] for place in range(0, 44, 4))
        given = {"documents[0].nfeAccessKeys[0]": spaced} | details(
            {"accessKey": f" {key} ", "isRedelivery": True}
        )
        assert written(signer, "chNFe", given)[0] == key
        assert written(signer, "infNFe/indReentrega", given) == ["1"]

    def test_details_are_written_with_their_document(self, signer: Signer) -> None:
        of_second = {
            "accessKey": cte_key(413),
            "isRedelivery": True,
            "transportUnits": [
                {
                    "type": "trailer",
                    "id": "OPQ4R89",
                    "seals": [17],
                    "cargoUnits": [{"type": "container", "id": "MSCU1234567", "apportionedQuantity": 1.5}],
                }
            ],
            "dangerousGoods": [
                {
                    "unNumber": 1203,
                    "shippingName": "GASOLINA",
                    "riskClass": 3,
                    "packingGroup": "II",
                    "quantity": "1000 L",
                    "packages": "10 TAMBORES",
                }
            ],
            "partialNfeAccessKeys": [nfe_key(1), nfe_key(2)],
        }
        manifest = manifest_of(Breaking("", "", "carrier", details(of_second)), signer)
        first, second, _ = manifest.iterfind(".//{*}infCTe")
        assert [child.tag.rpartition("}")[2] for child in first] == ["chCTe"]
        assert [child.tag.rpartition("}")[2] for child in second] == [
            "chCTe",
            "indReentrega",
            "infUnidTransp",
            "peri",
            "indPrestacaoParcial",
            "infNFePrestParcial",
            "infNFePrestParcial",
        ]
        assert texts(second, "infUnidTransp/infUnidCarga/qtdRat") == ["1.500"]
        assert texts(second, "peri/nONU") == ["1203"]
        assert texts(second, "infNFePrestParcial/chNFe") == [nfe_key(1), nfe_key(2)]

    def test_partial_delivery_has_both_quantities(self, signer: Signer) -> None:
        partial = {"totalQuantity": 10, "deliveredQuantity": 4.5}
        given = details({"accessKey": cte_key(412), "partialDelivery": partial})
        assert written(signer, "infEntregaParcial/qtdTotal", given, "by air") == ["10.0000"]
        assert written(signer, "infEntregaParcial/qtdParcial", given, "by air") == ["4.5000"]


class TestPayments:
    def test_contract_and_term_follow_from_the_parts(self, signer: Signer) -> None:
        assert CASH.keys().isdisjoint({"contractAmount", "term"})
        manifest = manifest_of(Breaking("", "", "payment in cash"), signer)
        payment = manifest.find(".//{*}infPag")
        assert payment is not None
        assert [element.text for element in payment.iter("{*}*") if not len(element)] == [
            "AB12345",
            "99",
            "10.00",
            "Extra",
            "10.00",
            "1",
            "0",
            "001",
            "1234",
        ]

    def test_installments_without_a_term_are_a_term(self, signer: Signer) -> None:
        manifest = manifest_of(Breaking("", "", "full load", {"payments[0].term": GONE}), signer)
        assert texts(manifest, "infPag/indPag") == ["1"]
        assert texts(manifest, "infPrazo/nParcela") == ["001", "002"]
        assert texts(manifest, "infPag/tpAntecip") == ["0"]

    def test_advance_that_may_be_paid_early_is_marked(self, signer: Signer) -> None:
        assert written(signer, "indAntecipaAdiant", good="full load") == []
        assert written(signer, "indAntecipaAdiant", good="vehicle of a cooperative") == ["1"]
        assert written(signer, "tpAntecip", good="vehicle of a cooperative") == ["2"]


class TestMoments:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("2026-11-24T09:00:00", "2026-11-24T09:00:00-03:00"),
            ("2026-11-24T12:00:00.75Z", "2026-11-24T09:00:00-03:00"),
            ("2026-11-24T08:30:00-04:00", "2026-11-24T09:30:00-03:00"),
        ],
    )
    def test_moments_are_in_the_time_zone_of_the_company(
        self, given: str, expected: str, signer: Signer
    ) -> None:
        assert written(signer, "dhIniViagem", {"tripStartsAt": given}) == [expected]
        assert written(signer, "dhTrem", {"modal.train.departedAt": given}, "by rail") == [expected]

    def test_moment_without_an_offset_is_that_of_the_state(self, signer: Signer) -> None:
        given = {"tripStartsAt": "2026-11-24T09:00:00"}
        assert written(signer, "dhIniViagem", given, company=IN_AMAZONAS) == ["2026-11-24T09:00:00-04:00"]
