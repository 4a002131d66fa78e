"""The access keys of a call, as the journal records them."""

import pkgutil
from importlib import import_module

import pytest

from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.simulator import nfe as package
from carimbo.simulator.family import IncomingCall
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.nfe.family import NFCE_FAMILY, NFE_FAMILY
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.family import SimulatedSefazFamily
from nfe_dialect import authorization_lot, event_lot, key_query, status_query
from unit.fiscal.goods.support import emission
from unit.simulator.mutating import nfe
from unit.simulator.nfe.event_scenario import CORRECTION, UNKNOWN_KEY
from unit.simulator.nfe.sefaz_client import (
    AUTHORIZATION,
    CONSULT,
    DISTRIBUTION,
    EVENT,
    STATUS,
    SefazClient,
    enclosed,
    key_of,
    service_path,
)
from unit.simulator.nfe.test_family import KEY

EVENT_ID = f"ID110110{UNKNOWN_KEY}"


def incoming(client: SefazClient, service: str, message: bytes, authorizer: str = "SP") -> IncomingCall:
    call = client.read_call(service_path(service, authorizer), enclosed(service, message))[2]
    assert isinstance(call, IncomingCall)
    return call


class TestKeys:
    def test_keys_of_a_lot_are_those_of_its_documents(self, client: SefazClient) -> None:
        documents = [nfe(client.signer, under=emission(number=number)) for number in (3, 4)]
        call = incoming(client, AUTHORIZATION, authorization_lot(77, documents))
        keys = tuple(map(key_of, documents))
        assert (call.subject, call.keys, call.parts) == ("lote 77", keys, keys)

    def test_keys_of_events_are_those_of_their_documents(self, client: SefazClient) -> None:
        events = [
            signed_event(client.event(UNKNOWN_KEY, CORRECTION, sequence=sequence), client.signer)
            for sequence in (1, 2)
        ]
        call = incoming(client, EVENT, event_lot(5, events))
        assert (call.keys, call.parts) == ((UNKNOWN_KEY,), (f"{EVENT_ID}01", f"{EVENT_ID}02"))

    def test_too_long_subjects_are_cut(self, client: SefazClient) -> None:
        message = key_query("2", KEY).replace(KEY.encode(), b"9" * 10_000)
        call = incoming(client, CONSULT, message)
        assert (len(call.subject), call.keys) == (44, ())
        event = signed_event(client.event(UNKNOWN_KEY, CORRECTION), client.signer)
        grown = event_lot(5, [event]).replace(b'Id="ID', b'Id="ID' + b"9" * 10_000)
        call = incoming(client, EVENT, grown)
        assert [len(part) for part in (call.subject, *call.parts)] == [100, 100]

    def test_keys_of_a_query_are_the_queried_ones(self, client: SefazClient) -> None:
        assert incoming(client, CONSULT, key_query("2", KEY)).keys == (UNKNOWN_KEY,)
        message = (
            f'<distDFeInt xmlns="{NAMESPACE}" versao="1.01"><tpAmb>2</tpAmb>'
            f"<consChNFe><chNFe>{UNKNOWN_KEY}</chNFe></consChNFe></distDFeInt>"
        )
        assert incoming(client, DISTRIBUTION, message.encode(), "AN").keys == (UNKNOWN_KEY,)
        assert incoming(client, STATUS, status_query("2", "35")).keys == ()

    def test_invalid_keys_are_ignored(self, client: SefazClient) -> None:
        message = f'<consSitNFe xmlns="{NAMESPACE}"><chNFe>{"9" * 45}</chNFe></consSitNFe>'.encode()
        assert incoming(client, CONSULT, message).keys == ()

    def test_number_of_keys_is_limited_to_that_of_a_lot(self, client: SefazClient) -> None:
        many = "".join(f'<NFe><infNFe Id="NFe{number:044d}"/></NFe>' for number in range(60))
        call = incoming(client, AUTHORIZATION, f'<enviNFe xmlns="{NAMESPACE}">{many}</enviNFe>'.encode())
        assert (len(call.keys), len(call.parts)) == (50, 50)


class TestAnswers:
    def test_answers_have_the_text_of_their_code(self, client: SefazClient) -> None:
        assert client.send(nfe(client.signer)).message == "Autorizado o uso da NF-e"
        assert client.status("35", "SP").message == "Serviço em operação"
        assert client.consult(UNKNOWN_KEY).message.startswith("Rejeição: ")


class TestCodes:
    @pytest.mark.parametrize("family", [NFE_FAMILY, NFCE_FAMILY])
    def test_codes_of_a_family_are_those_of_all_its_rules(self, family: SimulatedSefazFamily) -> None:
        modules = [
            import_module(module_info.name)
            for module_info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        ]
        books = [
            value for module in modules for name, value in vars(module).items() if name.endswith("_RULES")
        ]
        assert family.codes == {
            rule.code for book in books for rule in book if isinstance(rule, RejectionRule)
        }
