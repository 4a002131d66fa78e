"""Which documents a call is about, as the journal tells it."""

import pkgutil
from importlib import import_module

import pytest

from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.simulator import nfe as package
from carimbo.simulator.family import Heard
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.nfe.family import NFCE, NFE
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.family import SefazFamily
from nfe_dialect import authorization_lot, event_lot, key_query, status_query
from unit.fiscal.goods.support import emission
from unit.simulator.mutating import nfe
from unit.simulator.nfe.counter import (
    AUTHORIZATION,
    CONSULT,
    DISTRIBUTION,
    EVENT,
    STATUS,
    Counter,
    enclosed,
    key_of,
    place,
)
from unit.simulator.nfe.registrar import CORRECTION, UNKNOWN_KEY
from unit.simulator.nfe.test_family import KEY

EVENT_ID = f"ID110110{UNKNOWN_KEY}"


def heard(counter: Counter, service: str, message: bytes, authorizer: str = "SP") -> Heard:
    found = counter.hear(place(service, authorizer), enclosed(service, message))[2]
    assert isinstance(found, Heard)
    return found


class TestKeys:
    def test_of_a_lot_are_those_of_its_documents(self, counter: Counter) -> None:
        documents = [nfe(counter.signer, under=emission(number=number)) for number in (3, 4)]
        told = heard(counter, AUTHORIZATION, authorization_lot(77, documents))
        keys = tuple(map(key_of, documents))
        assert (told.subject, told.keys, told.parts) == ("lote 77", keys, keys)

    def test_of_events_are_those_of_their_documents(self, counter: Counter) -> None:
        events = [
            signed_event(counter.event(UNKNOWN_KEY, CORRECTION, sequence=sequence), counter.signer)
            for sequence in (1, 2)
        ]
        told = heard(counter, EVENT, event_lot(5, events))
        assert (told.keys, told.parts) == ((UNKNOWN_KEY,), (f"{EVENT_ID}01", f"{EVENT_ID}02"))

    def test_what_is_too_long_for_any_subject_is_cut(self, counter: Counter) -> None:
        message = key_query("2", KEY).replace(KEY.encode(), b"9" * 10_000)
        told = heard(counter, CONSULT, message)
        assert (len(told.subject), told.keys) == (44, ())
        event = signed_event(counter.event(UNKNOWN_KEY, CORRECTION), counter.signer)
        grown = event_lot(5, [event]).replace(b'Id="ID', b'Id="ID' + b"9" * 10_000)
        told = heard(counter, EVENT, grown)
        assert [len(part) for part in (told.subject, *told.parts)] == [100, 100]

    def test_are_those_that_are_asked_about(self, counter: Counter) -> None:
        assert heard(counter, CONSULT, key_query("2", KEY)).keys == (UNKNOWN_KEY,)
        message = (
            f'<distDFeInt xmlns="{NAMESPACE}" versao="1.01"><tpAmb>2</tpAmb>'
            f"<consChNFe><chNFe>{UNKNOWN_KEY}</chNFe></consChNFe></distDFeInt>"
        )
        assert heard(counter, DISTRIBUTION, message.encode(), "AN").keys == (UNKNOWN_KEY,)
        assert heard(counter, STATUS, status_query("2", "35")).keys == ()

    def test_are_keys_and_not_whatever_stands_there(self, counter: Counter) -> None:
        message = f'<consSitNFe xmlns="{NAMESPACE}"><chNFe>{"9" * 45}</chNFe></consSitNFe>'.encode()
        assert heard(counter, CONSULT, message).keys == ()

    def test_are_no_more_than_a_lot_may_have(self, counter: Counter) -> None:
        many = "".join(f'<NFe><infNFe Id="NFe{number:044d}"/></NFe>' for number in range(60))
        told = heard(counter, AUTHORIZATION, f'<enviNFe xmlns="{NAMESPACE}">{many}</enviNFe>'.encode())
        assert (len(told.keys), len(told.parts)) == (50, 50)


class TestAnswers:
    def test_tell_their_code_in_words(self, counter: Counter) -> None:
        assert counter.send(nfe(counter.signer)).message == "Autorizado o uso da NF-e"
        assert counter.status("35", "SP").message == "Serviço em operação"
        assert counter.consult(UNKNOWN_KEY).message.startswith("Rejeição: ")


class TestCodes:
    @pytest.mark.parametrize("family", [NFE, NFCE])
    def test_are_those_of_every_rule(self, family: SefazFamily) -> None:
        modules = [
            import_module(found.name)
            for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        ]
        books = [
            value for module in modules for name, value in vars(module).items() if name.endswith("_RULES")
        ]
        assert family.codes == {rule.code for book in books for rule in book if isinstance(rule, Rule)}
