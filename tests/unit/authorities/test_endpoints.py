"""Every service of every state is found, at the official address and at the simulator's."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from carimbo.authorities.endpoints import (
    Endpoints,
    OfficialEndpoints,
    SimulatorEndpoints,
    UnknownEndpoint,
    authorizer_of,
)
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.authorities import AUTHORIZERS, ENDPOINTS, NATIONAL
from carimbo.fiscal.tables.geography import STATES
from carimbo.simulator.family import ServicePath

BASE = "https://127.0.0.1:8443"
OFFICIAL, SIMULATED = OfficialEndpoints(), SimulatorEndpoints(BASE)

_NFE = {
    "NFeAutorizacao4",
    "NFeRetAutorizacao4",
    "NFeConsultaProtocolo4",
    "NFeStatusServico4",
    "NFeInutilizacao4",
    "NFeRecepcaoEvento4",
}
_CTE = {"CTeConsultaV4", "CTeStatusServicoV4", "CTeRecepcaoEventoV4"}
_REGISTER = "CadConsultaCadastro4"
SERVICES = {
    "55": {*_NFE, _REGISTER},
    "65": _NFE,
    "57": {*_CTE, "CTeRecepcaoSincV4", "CTeRecepcaoSimpV4"},
    "67": {*_CTE, "CTeRecepcaoOSV4"},
    "58": {
        "MDFeRecepcaoSinc",
        "MDFeRecepcaoEvento",
        "MDFeConsulta",
        "MDFeStatusServico",
        "MDFeConsNaoEnc",
        "MDFeDistribuicaoDFe",
    },
}
NATIONAL_SERVICES = {
    ("55", NATIONAL): {"NFeRecepcaoEvento4", "NFeDistribuicaoDFe"},
    ("57", NATIONAL): {"CTeDistribuicaoDFe"},
    ("nfse", "SEFIN"): {"SefinNacional"},
    ("nfse", "ADN"): {"parametrizacao", "contribuintes"},
}
# Amazonas and the national authority keep no register; contingency authorities void no numbers.
MISSING = {
    ("55", "AM", _REGISTER),
    ("55", "SVAN", _REGISTER),
    ("55", "SVCAN", _REGISTER),
    ("55", "SVCRS", _REGISTER),
    ("55", "SVCAN", "NFeInutilizacao4"),
    ("55", "SVCRS", "NFeInutilizacao4"),
}


Sought = tuple[str, str, Environment, str]
"""Model, authority, environment and service."""


def authorities() -> Iterator[tuple[str, str, str]]:
    """Yields model, state and each authority that serves it, normally and in contingency."""
    for model in SERVICES:
        for state in STATES:
            yield model, state, authorizer_of(model, state)
            if contingency := AUTHORIZERS[model, state].contingency:
                yield model, state, contingency


def places() -> Iterator[Sought]:
    for model, _, authorizer in authorities():
        for environment in Environment:
            for service in sorted(SERVICES[model]):
                yield model, authorizer, environment, service
    for (model, authorizer), services in NATIONAL_SERVICES.items():
        for environment in Environment:
            for service in services:
                yield model, authorizer, environment, service


PLACES = sorted(set(places()))


def addresses_in(endpoints: Endpoints) -> tuple[dict[Sought, str], set[tuple[str, str, str]]]:
    addresses, missing = {}, set()
    for place in PLACES:
        try:
            addresses[place] = endpoints.address(*place)
        except UnknownEndpoint:
            missing.add((place[0], place[1], place[3]))
    return addresses, missing


class TestEveryStateModelEnvironmentAndService:
    def test_table_of_states_covers_all_combinations(self) -> None:
        """Every state has an authority for each model, and a contingency authority for three of them."""
        assert len(list(authorities())) == 27 * 5 + 27 * 3

    @pytest.mark.parametrize("endpoints", [OFFICIAL, SIMULATED], ids=["official", "simulated"])
    def test_service_has_an_address_unless_no_authority_offers_it(self, endpoints: Endpoints) -> None:
        addresses, missing = addresses_in(endpoints)
        assert missing == MISSING
        assert len(addresses) == len(PLACES) - len(MISSING) * len(Environment)
        assert all(urlsplit(address).scheme == "https" for address in addresses.values())

    def test_official_table_has_no_other_addresses(self) -> None:
        assert set(addresses_in(OFFICIAL)[0]) == set(ENDPOINTS)

    def test_simulator_reads_its_addresses_as_intended(self) -> None:
        for (_, authorizer, environment, service), address in addresses_in(SIMULATED)[0].items():
            service_path = ServicePath.of(urlsplit(address).path)
            assert service_path
            assert (service_path.authorizer, service_path.environment) == (authorizer, environment.code)
            assert service_path.service == service


class TestSimulatorEndpoints:
    @pytest.mark.parametrize("base", [BASE, f"{BASE}/"])
    @pytest.mark.parametrize(
        ("model", "environment", "path"),
        [
            ("55", Environment.HOMOLOGATION, "/svrs/nfe/NFeStatusServico4"),
            ("55", Environment.PRODUCTION, "/producao/svrs/nfe/NFeStatusServico4"),
            ("65", Environment.HOMOLOGATION, "/svrs/nfce/NFeStatusServico4"),
        ],
    )
    def test_simulator_path_has_the_environment(
        self, base: str, model: str, environment: Environment, path: str
    ) -> None:
        address = SimulatorEndpoints(base).address(model, "SVRS", environment, "NFeStatusServico4")
        assert address == BASE + path

    @pytest.mark.parametrize(
        ("authorizer", "service", "path"),
        [
            ("SEFIN", "SefinNacional", "/sefin/nfse/SefinNacional"),
            ("ADN", "parametrizacao", "/adn/nfse/parametrizacao"),
            ("ADN", "contribuintes", "/adn/nfse/contribuintes"),
        ],
    )
    def test_simulator_has_the_rest_services_too(self, authorizer: str, service: str, path: str) -> None:
        address = SIMULATED.address("nfse", authorizer, Environment.PRODUCTION, service)
        assert address == f"{BASE}/producao{path}"


class TestOfficialEndpoints:
    def test_nfse_endpoints_are_those_of_the_national_environment(self) -> None:
        addresses = {
            OFFICIAL.address("nfse", authorizer, environment, service)
            for authorizer, service in (
                ("SEFIN", "SefinNacional"),
                ("ADN", "parametrizacao"),
                ("ADN", "contribuintes"),
            )
            for environment in Environment
        }
        assert addresses == {
            "https://sefin.nfse.gov.br/SefinNacional",
            "https://sefin.producaorestrita.nfse.gov.br/SefinNacional",
            "https://adn.nfse.gov.br/parametrizacao",
            "https://adn.producaorestrita.nfse.gov.br/parametrizacao",
            "https://adn.nfse.gov.br/contribuintes",
            "https://adn.producaorestrita.nfse.gov.br/contribuintes",
        }


class TestUnknownPlace:
    @pytest.mark.parametrize("endpoints", [OFFICIAL, SIMULATED], ids=["official", "simulated"])
    def test_unknown_service_is_reported_in_a_sentence(self, endpoints: Endpoints) -> None:
        with pytest.raises(UnknownEndpoint) as raised:
            endpoints.address("55", "SVCAN", Environment.PRODUCTION, "NFeInutilizacao4")
        assert str(raised.value) == "SVCAN não tem o serviço NFeInutilizacao4 para o modelo 55 em produção."
