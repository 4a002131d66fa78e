"""The SEFAZ adapter with a document family other than NF-e: requests, addresses and answers."""

import base64
import gzip
from dataclasses import replace

import pytest
from lxml import etree

import nfe_answers as nfe
import toy_dialect as toy
from carimbo.authorities.pacing import Pacing, StatusCache
from carimbo.authorities.sefaz import Sefaz
from carimbo.fiscal.distribution import DistributionPage
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.outcome import Authorized, Available, Closed, NotJudged, Unknown
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.statuses import CTE_STATUSES
from carimbo.service.ports import InutilizingAuthority, LotAuthority
from toy_dialect import KEY, NAMESPACE, TOY, TOY_FAMILY, ToyCancellation, ToyEndpoints, signed_toy_event
from unit.authorities.wire import LOST, Clock, Wire
from unit.fiscal.keys import with_parts

XML = f'<ToyOS xmlns="{NAMESPACE}">assinado</ToyOS>'.encode()
DOCUMENT = SignedDocument(XML, str(KEY), nfe.DIGEST)
CONTINGENCY_KEY = with_parts(KEY, emission_type="7")
SOAP = "{http://www.w3.org/2003/05/soap-envelope}"


@pytest.fixture
def sefaz(wire: Wire, clock: Clock) -> Sefaz:
    return Sefaz(TOY_FAMILY, wire.exchange, ToyEndpoints(), Pacing(clock, clock.now), StatusCache(clock))


def header(wire: Wire) -> str | None:
    """Returns the SOAP header of the last message as text without namespaces, or None."""
    header_element = etree.fromstring(wire.sent[-1][2]).find(f"{SOAP}Header")
    if header_element is None:
        return None
    (content,) = header_element
    assert etree.QName(content).namespace == wire.sent[-1][1].rpartition("/")[0]
    values = ",".join(f"{etree.QName(child).localname}={child.text}" for child in content)
    return f"{etree.QName(content).localname}:{values}"


def payload(wire: Wire) -> etree._Element:
    """Returns the element around the last message."""
    (wrapper,) = etree.fromstring(wire.sent[-1][2]).findall(f"{SOAP}Body/*")
    return wrapper


def test_family_without_extensions_has_no_receipts_and_voids_no_numbers(sefaz: Sefaz) -> None:
    assert not isinstance(sefaz, LotAuthority)
    assert not isinstance(sefaz, InutilizingAuthority)


async def test_a_document_is_sent_to_the_authority_of_its_key(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = toy.reception(toy.protocol()).decode()
    outcome = await sefaz.send(sender, DOCUMENT)
    assert isinstance(outcome, Authorized)
    assert outcome.protocol == nfe.PROTOCOL
    address, action, _ = wire.sent[0]
    assert address == "https://sp/57/ToyRecepcaoOS"
    assert action == f"{NAMESPACE}/wsdl/ToyRecepcaoOS/toyRecepcaoOS"
    assert payload(wire).tag == f"{{{NAMESPACE}/wsdl/ToyRecepcaoOS}}toyDadosMsg"
    assert gzip.decompress(base64.b64decode(payload(wire).text or "")) == XML
    assert header(wire) is None


async def test_a_lost_answer_is_settled_by_a_consult(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = LOST
    assert await sefaz.send(sender, DOCUMENT) == LOST
    wire.answer = toy.consult("100", "Autorizado o uso", toy.protocol(is_nested=True)).decode()
    outcome = await sefaz.consult(sender, KEY)
    assert isinstance(outcome, Authorized)
    assert outcome.digest == nfe.DIGEST
    assert wire.sent[-1][0] == "https://sp/57/ToyConsulta"
    assert header(wire) == "toyCabecMsg:cUF=35,versaoDados=3.00"
    assert payload(wire)[0].tag == f"{{{NAMESPACE}}}consSitToy"


async def test_a_consult_finds_a_closed_document(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = toy.consult("132", "Encerrado", toy.protocol() + toy.stored_event()).decode()
    outcome = await sefaz.consult(sender, KEY)
    assert isinstance(outcome, Closed)
    assert outcome.authorization


async def test_a_consult_asks_the_contingency_that_the_key_names(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = toy.consult("217", "Não consta").decode()
    assert isinstance(await sefaz.consult(sender, CONTINGENCY_KEY), Unknown)
    assert wire.sent[-1][0] == "https://svrs/57/ToyConsulta"


async def test_a_consult_asks_the_state_when_its_contingency_is_over(
    sender: AuthorityCredentials, wire: Wire, clock: Clock
) -> None:
    # The codes of MDF-e, which the toy has, know no contingency.
    family = replace(TOY_FAMILY, dialect=replace(TOY, statuses=CTE_STATUSES))
    sefaz = Sefaz(family, wire.exchange, ToyEndpoints(), Pacing(clock, clock.now))
    wire.answer = toy.consult("114", "SVC desabilitada pela SEFAZ de origem").decode()
    await sefaz.consult(sender, CONTINGENCY_KEY)
    assert [address.split("/")[2] for address, _, _ in wire.sent] == ["svrs", "sp"]


async def test_an_event_is_sent_alone_with_a_header(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    event = signed_toy_event()
    wire.answer = toy.event_answer().decode()
    assert isinstance(await sefaz.register_event(sender, event), Authorized)
    assert wire.sent[-1][0] == "https://sp/57/ToyRecepcaoEvento"
    assert event in wire.sent[-1][2]
    assert payload(wire)[0].tag == f"{{{NAMESPACE}}}eventoToy"
    assert header(wire) == "toyCabecMsg:cUF=35,versaoDados=3.00"


async def test_only_cancellations_are_sent_to_a_contingency(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    await sefaz.register_event(sender, signed_toy_event(ToyCancellation(), CONTINGENCY_KEY))
    await sefaz.register_event(sender, signed_toy_event(key=CONTINGENCY_KEY))
    assert [address.split("/")[2] for address, _, _ in wire.sent] == ["svrs", "sp"]


async def test_event_of_unknown_outcome_is_found_in_the_consult(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = toy.consult("132", "Encerrado", toy.protocol() + toy.stored_event(is_nested=True)).decode()
    outcome = await sefaz.consult_event(sender, signed_toy_event())
    assert isinstance(outcome, Authorized)
    assert outcome.digest == nfe.DIGEST


async def test_the_status_is_asked_with_the_state_in_the_header(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = toy.status().decode()
    assert isinstance(await sefaz.status(sender, "57", "MG"), Available)
    assert wire.sent[-1][0] == "https://mg/57/ToyStatusServico"
    assert header(wire) == "toyCabecMsg:cUF=31,versaoDados=3.00"


async def test_distribution_is_asked_at_the_familys_own_address(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = toy.distribution().decode()
    assert isinstance(await sefaz.distribution(sender, "SP", 0), DistributionPage)
    assert wire.sent[-1][0] == "https://svrs/57/ToyDistribuicao"
    assert payload(wire)[0].tag == f"{{{NAMESPACE}}}distDFeInt"
    assert header(wire) == "toyCabecMsg:cUF=35,versaoDados=1.00"


async def test_answer_with_elements_of_nfe_decides_nothing(
    sefaz: Sefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = nfe.processed(nfe.note_protocol("100", "Autorizado o uso da NF-e"))
    assert isinstance(await sefaz.send(sender, DOCUMENT), NotJudged)
