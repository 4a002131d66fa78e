"""What an MDF-e derives from its request, the company and the emission."""

from typing import Any

import pytest

from carimbo.fiscal.documents.cte.settings import CteSettings
from carimbo.fiscal.documents.mdfe.settings import MdfeSettings
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.module_settings import ModuleSettings
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.documents.cte.bodies import cte_key
from unit.fiscal.documents.cte.breaking import Breaking
from unit.fiscal.documents.mdfe.bodies import (
    COMPANY_AS_OWNER,
    CONTRACTORS,
    RNTRC,
    own_nfe_key,
)
from unit.fiscal.documents.mdfe.breaking import manifest_of, review, texts, warnings, written
from unit.fiscal.rules.breaking import GONE


class TestTheIssuer:
    @pytest.mark.parametrize(
        ("good", "expected"),
        [("own cargo", "2"), ("later loading", "2"), ("carrier", "1"), ("full load", "1"), ("by water", "1")],
    )
    def test_kind_of_issuer_follows_from_the_documents(
        self, good: str, expected: str, signer: Signer
    ) -> None:
        assert written(signer, "tpEmit", {"issuerType": None}, good) == [expected]

    def test_given_kind_of_issuer_wins(self, signer: Signer) -> None:
        assert written(signer, "tpEmit", good="globalized carrier") == ["3"]

    def test_name_of_the_issuer_is_kept_in_homologation(self, signer: Signer) -> None:
        assert written(signer, "emit/xNome") == ["Transportadora Alvorada Ltda"]

    def test_letters_of_the_cnpj_are_in_the_id_and_the_key(self, signer: Signer) -> None:
        manifest = manifest_of(Breaking("", "", "own cargo", company={"taxId": OTHER_CNPJ}), signer)
        assert texts(manifest, "emit/CNPJ") == [OTHER_CNPJ]
        document = manifest.find("{*}infMDFe")
        assert document is not None
        assert document.get("Id", "").startswith(f"MDFe352611{OTHER_CNPJ}58")

    @pytest.mark.parametrize(("phone", "expected"), [("11 3333-4444", ["1133334444"]), ("5" * 13, [])])
    def test_telephone_is_written_if_it_fits(self, phone: str, expected: list[str], signer: Signer) -> None:
        breaking = Breaking("", "", "own cargo", company={"phone": phone})
        assert texts(manifest_of(breaking, signer), "enderEmit/fone") == expected
        warned = [text.partition(":")[0] for text in review(breaking, signer).warnings]
        assert warned == ([] if expected else ["company.phone"])


class TestTheHiredCarrier:
    @pytest.mark.parametrize(
        ("good", "changes", "expected"),
        [
            ("carrier", {}, []),
            ("own cargo", {}, []),
            ("full load", {}, ["2"]),
            ("own cargo on a hired vehicle", {}, ["2"]),
            ("full load", {"modal.vehicle.owner": COMPANY_AS_OWNER}, ["1"]),
            ("vehicle of a cooperative", {}, ["3"]),
        ],
    )
    def test_kind_of_carrier_follows_from_the_owner_of_the_vehicle(
        self, good: str, changes: dict[str, Any], expected: list[str], signer: Signer
    ) -> None:
        assert written(signer, "tpTransp", changes, good) == expected

    def test_owner_of_a_trailer_does_not_decide(self, signer: Signer) -> None:
        changes = {"modal.trailers[0].owner": COMPANY_AS_OWNER}
        assert written(signer, "tpTransp", changes, "carrier") == []
        assert written(signer, "veicReboque/prop/tpProp", changes, "carrier") == ["2"]

    @pytest.mark.parametrize(
        ("good", "kind", "expected"),
        [
            ("full load", "aggregatedTac", "0"),
            ("full load", "independentTac", "1"),
            ("vehicle of a cooperative", None, "2"),
            ("vehicle of a cooperative", "other", "2"),
        ],
    )
    def test_kind_of_owner_is_that_of_the_request_or_a_company(
        self, good: str, kind: str | None, expected: str, signer: Signer
    ) -> None:
        assert written(signer, "prop/tpProp", {"modal.vehicle.owner.type": kind}, good) == [expected]


class TestPlaces:
    def test_states_follow_from_the_municipalities(self, signer: Signer) -> None:
        given = {"ufStart": GONE, "ufEnd": GONE}
        assert written(signer, "UFIni", given, "carrier") == ["SP"]
        assert written(signer, "UFFim", given, "carrier") == ["BA"]

    def test_names_of_municipalities_come_from_the_table(self, signer: Signer) -> None:
        assert written(signer, "xMunCarrega", good="carrier") == ["SAO PAULO", "CAMPINAS"]
        assert written(signer, "xMunDescarga", good="carrier") == ["SALVADOR", "FEIRA DE SANTANA"]

    def test_another_country_has_a_name_of_its_own(self, signer: Signer) -> None:
        abroad = {"ufEnd": GONE, "documents": [{"cityCode": "9999999", "nfeAccessKeys": [own_nfe_key(1)]}]}
        assert written(signer, "xMunDescarga", abroad) == ["EXTERIOR"]
        assert written(signer, "UFFim", abroad) == ["EX"]


class TestTheRoute:
    def test_missing_route_is_the_shortest_with_a_warning(self, signer: Signer) -> None:
        assert written(signer, "UFPer", {"route": []}, "carrier") == ["MG"]
        assert warnings(signer, {"route": []}, "carrier") == [
            "route: Percurso não informado: usado o caminho com menos UFs, por MG. Informe route se a viagem"
            " passa por outras."
        ]

    def test_states_of_a_long_route_are_in_the_order_of_the_trip(self, signer: Signer) -> None:
        keys = {"cteAccessKeys": [cte_key(1), cte_key(2)]}
        to_recife = {"ufEnd": GONE, "route": [], "documents": [{"cityCode": "2611606"} | keys]}
        assert written(signer, "UFPer", to_recife, "carrier") == ["MG", "BA"]

    def test_given_route_wins(self, signer: Signer) -> None:
        given = {"route": ["RJ", "ES"]}
        assert written(signer, "UFPer", given, "carrier") == ["RJ", "ES"]
        assert warnings(signer, given, "carrier") == []

    @pytest.mark.parametrize("end", ["3106200", "3509502", "9999999"])
    def test_states_that_touch_and_other_countries_need_no_route(self, end: str, signer: Signer) -> None:
        changes = {"ufEnd": GONE, "documents": [{"cityCode": end, "nfeAccessKeys": [own_nfe_key(1)]}]}
        assert written(signer, "UFPer", changes) == []
        assert warnings(signer, changes, "own cargo") == []

    def test_other_modes_have_no_route_of_their_own(self, signer: Signer) -> None:
        assert written(signer, "UFPer", {"route": []}, "by rail") == []
        assert warnings(signer, {"route": []}, "by rail") == []


class TestTheRntrc:
    OF_CTE = CteSettings(rntrc="55667788")

    def rntrc(
        self, signer: Signer, good: str, changes: dict[str, Any], *settings: ModuleSettings
    ) -> list[str | None]:
        manifest = manifest_of(Breaking("", "", good, changes), signer, *settings)
        return texts(manifest, "infANTT/RNTRC")

    @pytest.mark.parametrize("good", ["carrier", "full load", "globalized carrier"])
    def test_carriers_have_that_of_the_settings_of_cte(self, good: str, signer: Signer) -> None:
        settings = (MdfeSettings(), CteSettings(), self.OF_CTE)
        assert self.rntrc(signer, good, {"modal.rntrc": GONE}, *settings) == ["55667788"]

    def test_given_one_wins(self, signer: Signer) -> None:
        assert self.rntrc(signer, "carrier", {}, self.OF_CTE) == [RNTRC]

    @pytest.mark.parametrize("good", ["own cargo", "own cargo on a hired vehicle", "later loading"])
    def test_own_cargo_has_it_only_if_it_is_given(self, good: str, signer: Signer) -> None:
        assert self.rntrc(signer, good, {}, self.OF_CTE) == []
        assert self.rntrc(signer, good, {"modal.rntrc": 12345678}, self.OF_CTE) == [RNTRC]


class TestTheContractors:
    @pytest.mark.parametrize("good", ["full load", "own cargo on a hired vehicle"])
    def test_on_the_vehicle_of_an_owner_it_is_the_company(self, good: str, signer: Signer) -> None:
        assert written(signer, "infContratante/CNPJ", good=good) == [CNPJ]
        assert written(signer, "infContratante/xNome", good=good) == ["Transportadora Alvorada Ltda"]
        assert warnings(signer, {}, good) == [
            "modal.contractors: Contratante não informado: usada a própria empresa, que contrata o veículo."
        ]

    def test_given_one_wins(self, signer: Signer) -> None:
        given = {"modal.contractors": [{"taxId": CNPJ, "contract": {"number": 18, "amount": 900}}]}
        assert written(signer, "infContrato/NroContrato", given, "full load") == ["18"]
        assert written(signer, "infContratante/xNome", given, "full load") == []
        assert warnings(signer, given, "full load") == []

    def test_foreign_contractor_has_its_own_element(self, signer: Signer) -> None:
        foreign = {"modal.contractors": [*CONTRACTORS, {"foreignId": "AB-123", "name": "Acme"}]}
        assert written(signer, "infContratante/idEstrangeiro", foreign, "carrier") == ["AB-123"]

    def test_own_vehicle_has_none_if_none_is_given(self, signer: Signer) -> None:
        assert written(signer, "infContratante", {"modal.contractors": []}, "carrier") == []


@pytest.mark.parametrize(
    ("axles", "category"),
    [
        (2, "02"),
        (3, "04"),
        (4, "06"),
        (5, "07"),
        (6, "08"),
        (7, "10"),
        (8, "11"),
        (9, "12"),
        (10, "13"),
        (11, "14"),
        (99, "14"),
    ],
)
def test_category_of_the_toll_follows_from_the_axles(axles: int, category: str, signer: Signer) -> None:
    assert written(signer, "categCombVeic", {"modal.tollAxles": axles}, "carrier") == [category]
