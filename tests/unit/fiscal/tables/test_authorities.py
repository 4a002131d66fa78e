"""Who authorises what, and where: facts of the tables of authorities and addresses."""

from collections import Counter
from urllib.parse import urlsplit

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.authorizers import AUTHORIZERS, is_contingency, states_of
from carimbo.fiscal.tables.endpoints import ENDPOINTS, is_authorizer, services_of
from carimbo.fiscal.tables.states import STATES

NFE, NFCE, CTE, CTE_OS, MDFE = MODELS = ("55", "65", "57", "67", "58")
OWN_NFE = {"AM", "BA", "GO", "MG", "MS", "MT", "PE", "PR", "RS", "SP"}
OWN_NFCE = {"AM", "GO", "MG", "MS", "MT", "PR", "RS", "SP"}
OWN_CTE = {"MG", "MS", "MT", "PR", "RS", "SP"}


def with_own_authority(model: str) -> set[str]:
    return {one.state for one in AUTHORIZERS.values() if one.model == model and one.authorizer == one.state}


class TestAuthorizers:
    @pytest.mark.parametrize("model", MODELS)
    def test_serve_every_state(self, model: str) -> None:
        assert {one.state for one in AUTHORIZERS.values() if one.model == model} == set(STATES)

    @pytest.mark.parametrize(
        ("model", "states"),
        [(NFE, OWN_NFE), (NFCE, OWN_NFCE), (CTE, OWN_CTE), (CTE_OS, OWN_CTE), (MDFE, set())],
    )
    def test_of_their_own_are_of_few_states(self, model: str, states: set[str]) -> None:
        assert with_own_authority(model) == states

    def test_of_nfe_are_shared_by_the_other_states(self) -> None:
        assert states_of(NFE, "SVAN") == {"MA"}
        assert states_of(NFE, "SVRS") == set(STATES) - OWN_NFE - {"MA"}

    def test_of_nfe_have_one_of_two_contingencies(self) -> None:
        rio_grande = {"AM", "BA", "GO", "MA", "MS", "MT", "PE", "PR"}
        assert states_of(NFE, "SVCRS") == rio_grande
        assert states_of(NFE, "SVCAN") == set(STATES) - rio_grande

    def test_of_cte_stand_in_for_each_other(self) -> None:
        """The authority of São Paulo serves three states, and those of SVRS while that is out."""
        for model in (CTE, CTE_OS):
            normal = Counter(one.authorizer for one in AUTHORIZERS.values() if one.model == model)
            assert (normal["SVSP"], normal["SVRS"]) == (3, 18)
            assert AUTHORIZERS[model, "SP"].contingency == "SVRS"
            assert AUTHORIZERS[model, "RS"].contingency == "SVSP"

    @pytest.mark.parametrize("model", [NFCE, MDFE])
    def test_without_contingency_are_those_of_documents_issued_offline(self, model: str) -> None:
        assert {one.contingency for one in AUTHORIZERS.values() if one.model == model} == {None}

    def test_that_only_stand_in_are_known_as_such(self) -> None:
        names = {one.authorizer for one in ENDPOINTS.values()}
        assert {name for name in names if is_contingency(name)} == {"SVCAN", "SVCRS"}


class TestEndpoints:
    def test_are_there_for_whoever_authorises(self) -> None:
        named = {
            (one.model, name)
            for one in AUTHORIZERS.values()
            for name in (one.authorizer, one.contingency)
            if name
        }
        assert [place for place in named if not services_of(*place)] == []

    def test_are_the_same_services_in_both_environments(self) -> None:
        places = {environment: set[tuple[str, ...]]() for environment in Environment}
        for one in ENDPOINTS.values():
            places[one.environment].add((one.model, one.authorizer, one.service))
        assert places[Environment.PRODUCTION] == places[Environment.HOMOLOGATION]

    def test_of_the_environments_are_different_but_for_a_register(self) -> None:
        of_production = {one.url for one in ENDPOINTS.values() if one.environment is Environment.PRODUCTION}
        others = [one for one in ENDPOINTS.values() if one.environment is Environment.HOMOLOGATION]
        shared = {one.service for one in others if one.url in of_production}
        assert shared == {"CadConsultaCadastro4"}

    def test_are_hosts_of_governments(self) -> None:
        hosts = {urlsplit(one.url).hostname or "" for one in ENDPOINTS.values()}
        assert [host for host in hosts if not host.endswith(".gov.br")] == []

    def test_of_contingency_void_no_numbers(self) -> None:
        names = {name for (model, name, _, _) in ENDPOINTS if model == NFE} - {"AN"}
        lacking = {name for name in names if "NFeInutilizacao4" not in services_of(NFE, name)}
        assert lacking == {"SVCAN", "SVCRS"}

    def test_of_the_national_environment_are_events_and_distribution(self) -> None:
        assert services_of(NFE, "AN") == {"NFeRecepcaoEvento4", "NFeDistribuicaoDFe"}
        assert services_of(CTE, "AN") == {"CTeDistribuicaoDFe"}
        assert services_of(NFCE, "AN") == frozenset()

    @pytest.mark.parametrize(("name", "exists"), [("SVRS", True), ("AN", True), ("RJ", False), ("", False)])
    def test_tell_whether_there_is_an_authority(self, name: str, exists: bool) -> None:
        assert is_authorizer(name) is exists
