"""Facts of the tables of authorities and addresses."""

from collections import Counter
from urllib.parse import urlsplit

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.authorities import (
    AUTHORIZERS,
    ENDPOINTS,
    is_authorizer,
    is_contingency,
    services_of,
    states_of,
)
from carimbo.fiscal.tables.geography import STATES

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
            assert AUTHORIZERS[model, "SP"].contingency == "SVRS"
            assert AUTHORIZERS[model, "RS"].contingency == "SVSP"

    @pytest.mark.parametrize("model", [NFCE, MDFE])
    def test_documents_issued_offline_have_no_contingency_authority(self, model: str) -> None:
        assert {
            authorizer.contingency for authorizer in AUTHORIZERS.values() if authorizer.model == model
        } == {None}

    def test_authorities_of_contingency_alone_are_recognized(self) -> None:
        names = {endpoint.authorizer for endpoint in ENDPOINTS.values()}
        assert {name for name in names if is_contingency(name)} == {"SVCAN", "SVCRS"}


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

    @pytest.mark.parametrize(("name", "exists"), [("SVRS", True), ("AN", True), ("RJ", False), ("", False)])
    def test_authorizer_names_are_recognized(self, name: str, exists: bool) -> None:
        assert is_authorizer(name) is exists
