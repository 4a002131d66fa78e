"""Facts of the tables of authorities and addresses."""

from collections import Counter
from urllib.parse import urlsplit

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.authorities import (
    AUTHORIZERS,
    CTE_QR_ADDRESSES,
    ENDPOINTS,
    MDFE_QR_ADDRESS,
    cte_qr_address,
    is_authorizer,
    is_contingency,
    is_contingency_of,
    serves_in_contingency,
    services_of,
    states_of,
)
from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.tables.table_file import TableUnusable
from unit.fiscal.tables.conftest import Provide

NFE, NFCE, CTE, CTE_OS, MDFE = MODELS = ("55", "65", "57", "67", "58")
OWN_NFE = {"AM", "BA", "GO", "MG", "MS", "MT", "PE", "PR", "RS", "SP"}
OWN_NFCE = {"AM", "GO", "MG", "MS", "MT", "PR", "RS", "SP"}
OWN_CTE = {"MG", "MS", "MT", "PR", "RS", "SP"}


def with_own_authority(model: str) -> set[str]:
    return {
        authorizer.state
        for authorizer in AUTHORIZERS.values()
        if authorizer.model == model and authorizer.authorizer == authorizer.state
    }


class TestAuthorizers:
    @pytest.mark.parametrize("model", MODELS)
    def test_every_state_has_an_authorizer(self, model: str) -> None:
        assert {authorizer.state for authorizer in AUTHORIZERS.values() if authorizer.model == model} == set(
            STATES
        )

    @pytest.mark.parametrize(
        ("model", "states"),
        [(NFE, OWN_NFE), (NFCE, OWN_NFCE), (CTE, OWN_CTE), (CTE_OS, OWN_CTE), (MDFE, set())],
    )
    def test_few_states_have_an_authority_of_their_own(self, model: str, states: set[str]) -> None:
        assert with_own_authority(model) == states

    def test_other_states_share_the_authorities_of_nfe(self) -> None:
        assert states_of(NFE, "SVAN") == {"MA"}
        assert states_of(NFE, "SVRS") == set(STATES) - OWN_NFE - {"MA"}

    def test_every_state_has_one_of_two_contingencies_for_nfe(self) -> None:
        rio_grande = {"AM", "BA", "GO", "MA", "MS", "MT", "PE", "PR"}
        assert states_of(NFE, "SVCRS") == rio_grande
        assert states_of(NFE, "SVCAN") == set(STATES) - rio_grande

    def test_authorities_of_cte_replace_each_other(self) -> None:
        """The authority of São Paulo serves three states, and those of SVRS during its outages."""
        for model in (CTE, CTE_OS):
            normal = Counter(
                authorizer.authorizer for authorizer in AUTHORIZERS.values() if authorizer.model == model
            )
            assert (normal["SVSP"], normal["SVRS"]) == (3, 18)
            stand_ins = {
                (authorizer.authorizer, authorizer.contingency)
                for authorizer in AUTHORIZERS.values()
                if authorizer.model == model
            }
            assert stand_ins == {
                *((authorizer, "SVRS") for authorizer in ("MS", "MT", "SP", "SVSP")),
                *((authorizer, "SVSP") for authorizer in ("MG", "PR", "RS", "SVRS")),
            }

    @pytest.mark.parametrize("model", [NFCE, MDFE])
    def test_documents_issued_offline_have_no_contingency_authority(self, model: str) -> None:
        assert {
            authorizer.contingency for authorizer in AUTHORIZERS.values() if authorizer.model == model
        } == {None}

    def test_authorities_of_contingency_alone_are_recognized(self) -> None:
        names = {endpoint.authorizer for endpoint in ENDPOINTS.values()}
        assert {name for name in names if is_contingency(name)} == {"SVCAN", "SVCRS"}

    def test_authority_of_cte_is_a_contingency_for_some_states_only(self) -> None:
        assert is_contingency_of(CTE, "SVRS", "SP")
        assert not is_contingency_of(CTE, "SVRS", "RJ")
        assert not is_contingency_of(CTE, "SVSP", "SP")
        assert is_contingency_of(NFE, "SVCAN", "SP")
        assert not is_contingency_of(NFE, "SVRS", "SP")

    def test_authorities_that_serve_any_state_in_contingency_are_recognized(self) -> None:
        names = {endpoint.authorizer for endpoint in ENDPOINTS.values()}
        assert {name for name in names if serves_in_contingency(name)} == {"SVCAN", "SVCRS", "SVRS", "SVSP"}


class TestEndpoints:
    def test_every_authorizer_has_endpoints(self) -> None:
        named = {
            (authorizer.model, name)
            for authorizer in AUTHORIZERS.values()
            for name in (authorizer.authorizer, authorizer.contingency)
            if name
        }
        assert [place for place in named if not services_of(*place)] == []

    def test_both_environments_have_the_same_services(self) -> None:
        places = {environment: set[tuple[str, ...]]() for environment in Environment}
        for endpoint in ENDPOINTS.values():
            places[endpoint.environment].add((endpoint.model, endpoint.authorizer, endpoint.service))
        assert places[Environment.PRODUCTION] == places[Environment.HOMOLOGATION]

    def test_only_one_register_has_the_same_address_in_both_environments(self) -> None:
        of_production = {
            endpoint.url for endpoint in ENDPOINTS.values() if endpoint.environment is Environment.PRODUCTION
        }
        others = [
            endpoint for endpoint in ENDPOINTS.values() if endpoint.environment is Environment.HOMOLOGATION
        ]
        shared = {endpoint.service for endpoint in others if endpoint.url in of_production}
        assert shared == {"CadConsultaCadastro4"}

    def test_endpoints_are_hosts_of_governments(self) -> None:
        hosts = {urlsplit(endpoint.url).hostname or "" for endpoint in ENDPOINTS.values()}
        assert [host for host in hosts if not host.endswith(".gov.br")] == []

    def test_contingency_authorities_have_no_inutilization(self) -> None:
        names = {name for (model, name, _, _) in ENDPOINTS if model == NFE} - {"AN"}
        lacking = {name for name in names if "NFeInutilizacao4" not in services_of(NFE, name)}
        assert lacking == {"SVCAN", "SVCRS"}

    def test_national_environment_has_events_and_distribution(self) -> None:
        assert services_of(NFE, "AN") == {"NFeRecepcaoEvento4", "NFeDistribuicaoDFe"}
        assert services_of(CTE, "AN") == {"CTeDistribuicaoDFe"}
        assert services_of(NFCE, "AN") == frozenset()

    def test_cte_and_cte_os_have_a_reception_of_their_own_at_every_authority(self) -> None:
        for model, receptions in (
            (CTE, {"CTeRecepcaoSincV4", "CTeRecepcaoSimpV4"}),
            (CTE_OS, {"CTeRecepcaoOSV4"}),
        ):
            for authorizer in OWN_CTE | {"SVRS", "SVSP"}:
                shared = {"CTeConsultaV4", "CTeStatusServicoV4", "CTeRecepcaoEventoV4"}
                assert services_of(model, authorizer) == receptions | shared

    def test_distribution_of_cte_also_serves_cte_os(self) -> None:
        assert services_of(CTE_OS, "AN") == frozenset()

    def test_other_services_of_cte_and_cte_os_have_the_same_addresses(self) -> None:
        others = {
            (authorizer, environment, service): endpoint.url
            for (model, authorizer, environment, service), endpoint in ENDPOINTS.items()
            if model == CTE_OS and service != "CTeRecepcaoOSV4"
        }
        assert others == {place: ENDPOINTS[CTE, *place].url for place in others}

    @pytest.mark.parametrize(("authority", "twin"), [("RS", "SVRS"), ("SP", "SVSP")])
    def test_virtual_authorities_of_cte_have_the_addresses_of_their_state(
        self, authority: str, twin: str
    ) -> None:
        for model in (CTE, CTE_OS):
            for environment in Environment:
                for service in services_of(model, authority):
                    own = ENDPOINTS[model, authority, environment, service].url
                    assert own == ENDPOINTS[model, twin, environment, service].url

    def test_mato_grosso_has_three_roots_for_cte(self) -> None:
        roots = {
            service: urlsplit(endpoint.url).path.split("/")[1]
            for (_, authorizer, _, service), endpoint in ENDPOINTS.items()
            if authorizer == "MT" and service.startswith("CTe")
        }
        assert roots == {
            "CTeRecepcaoSincV4": "ctews2",
            "CTeConsultaV4": "ctews2",
            "CTeStatusServicoV4": "ctews2",
            "CTeRecepcaoEventoV4": "ctews2",
            "CTeRecepcaoOSV4": "ctews",
            "CTeRecepcaoSimpV4": "cte-ws",
        }

    @pytest.mark.parametrize(("name", "exists"), [("SVRS", True), ("AN", True), ("RJ", False), ("", False)])
    def test_authorizer_names_are_recognized(self, name: str, exists: bool) -> None:
        assert is_authorizer(name) is exists


class TestQrAddressesOfCte:
    @pytest.mark.parametrize(
        ("state", "address"),
        [
            ("MG", "https://portalcte.fazenda.mg.gov.br/portalcte/sistema/qrcode.xhtml"),
            ("PE", "https://nfe.fazenda.sp.gov.br/CTeConsulta/qrCode"),
            ("RS", "https://dfe-portal.svrs.rs.gov.br/cte/qrCode"),
            ("SC", "https://dfe-portal.svrs.rs.gov.br/cte/qrCode"),
            ("SP", "https://nfe.fazenda.sp.gov.br/CTeConsulta/qrCode"),
        ],
    )
    def test_address_is_that_of_the_authority_of_the_state(self, state: str, address: str) -> None:
        assert cte_qr_address(state, Environment.PRODUCTION) == address

    def test_homologation_has_addresses_of_its_own_in_two_authorities(self) -> None:
        states = {
            state
            for state in STATES
            if cte_qr_address(state, Environment.PRODUCTION)
            != cte_qr_address(state, Environment.HOMOLOGATION)
        }
        assert states == {"MT", "SP", "AP", "PE", "RR"}

    def test_production_never_points_at_an_address_of_homologation(self) -> None:
        addresses = [cte_qr_address(state, Environment.PRODUCTION) for state in STATES]
        assert [address for address in addresses if "homolog" in address] == []

    def test_both_models_have_the_same_authority_in_every_state(self) -> None:
        assert [
            state
            for state in STATES
            if AUTHORIZERS[CTE, state].authorizer != AUTHORIZERS[CTE_OS, state].authorizer
        ] == []

    def test_table_of_the_operator_must_have_every_authority(self, provide: Provide) -> None:
        rows = "# source: Portal do CT-e\n# date: 2099-01-01\nauthorizer,environment,url\nSP,production,https://sp\n"
        provide("cte_qr_addresses", rows)
        with pytest.raises(TableUnusable, match="MG homologation, MG production"):
            CTE_QR_ADDRESSES.load()


class TestQrAddressOfMdfe:
    def test_mdfe_has_one_address_because_it_has_one_authority(self) -> None:
        authorities = {serving.authorizer for serving in AUTHORIZERS.values() if serving.model == MDFE}
        assert authorities == {"SVRS"}
        assert urlsplit(MDFE_QR_ADDRESS).hostname == "dfe-portal.svrs.rs.gov.br"
        assert not urlsplit(MDFE_QR_ADDRESS).query
