"""Answers of a family that is not NF-e: other names, no lots, nested wrappers, documents that are closed."""

from datetime import datetime

import pytest

import nfe_answers as nfe
import toy_dialect as toy
from carimbo.fiscal.distribution import DistributionPage
from carimbo.fiscal.layouts.sefaz.answers import read_authorization, read_consult, read_status
from carimbo.fiscal.layouts.sefaz.distribution import read_distribution
from carimbo.fiscal.layouts.sefaz.event_answers import read_event, read_registered_event
from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Canceled,
    Cause,
    Closed,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
)
from toy_dialect import CANCELLATION, CLOSING, KEY, NOTICE, OTHER_KEY, TOY


def authorization(body: bytes) -> Outcome:
    return read_authorization(TOY, body, KEY)


def consulted(code: str, message: str, inside: str = "") -> Outcome:
    return read_consult(TOY, toy.consult(code, message, inside), KEY)


def registered(body: bytes, event_type: str = CLOSING) -> Outcome:
    return read_event(TOY, body, KEY, event_type, 1)


def event_in_consult(code: str, message: str, inside: str = "", event_type: str = CLOSING) -> Outcome:
    return read_registered_event(TOY, toy.consult(code, message, inside), KEY, event_type, 1)


class TestReception:
    @pytest.mark.parametrize("is_nested", [False, True])
    def test_protocol_of_the_document_is_read(self, is_nested: bool) -> None:
        outcome = authorization(toy.reception(toy.protocol(is_nested=is_nested)))
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.protocol, outcome.digest) == (KEY, nfe.PROTOCOL, nfe.DIGEST)
        assert outcome.protocol_xml.startswith(f'<protToy xmlns="{toy.NAMESPACE}"'.encode())
        assert outcome.protocol_xml.count(b"<protToy") == 1

    def test_code_of_the_protocol_is_used_before_that_of_the_answer(self) -> None:
        refused = toy.protocol("225", "Rejeição: Falha no Schema", number=None)
        outcome = authorization(toy.reception(refused))
        assert isinstance(outcome, Rejected)
        assert outcome.code == "225"

    def test_code_of_the_answer_is_used_if_there_is_no_protocol(self) -> None:
        outcome = authorization(toy.reception(outer=nfe.verdict("215", "Rejeição: Falha no schema")))
        assert isinstance(outcome, Rejected)
        assert outcome.code == "215"
        assert outcome.answer_xml is not None
        assert outcome.answer_xml.startswith(b"<retToyOS ")

    def test_protocol_needs_no_code_around_it(self) -> None:
        assert isinstance(authorization(toy.reception(toy.protocol(), outer="")), Authorized)

    @pytest.mark.parametrize(
        "body",
        [
            toy.reception(),
            toy.reception(outer=""),
            toy.reception(outer=nfe.verdict("103", "Lote recebido")),
            toy.reception(outer=nfe.verdict("104", "Lote processado")),
            toy.reception(toy.protocol(key=OTHER_KEY)),
            toy.reception(toy.protocol() + toy.protocol()),
            nfe.processed(nfe.note_protocol("100", "Autorizado")).encode(),
            toy.reception(toy.protocol()).replace(b"retToyOS", b"retToy"),
            toy.reception(toy.protocol()).replace(b"/toy", b"/nfe"),
        ],
    )
    def test_reception_without_the_protocol_of_the_document_judges_nothing(self, body: bytes) -> None:
        assert isinstance(authorization(body), NotJudged)

    def test_reception_shows_that_the_document_is_already_closed(self) -> None:
        outcome = authorization(toy.reception(toy.protocol("609", "Já está encerrado", number=None)))
        assert outcome == Closed(code="609", message="Já está encerrado", access_key=KEY)

    def test_codes_are_read_by_the_table_of_the_family(self) -> None:
        """462 refuses a security code of NF-e; here an earlier document has to be closed first."""
        outcome = authorization(toy.reception(toy.protocol("462", "Rejeição: não encerrado", number=None)))
        assert isinstance(outcome, Rejected)
        assert outcome.retryable
        # 178 is a rejection in NF-e alone.
        assert isinstance(authorization(toy.reception(outer=nfe.verdict("178", "x"))), NotJudged)

    def test_duplicate_names_the_document_that_uses_the_number(self) -> None:
        message = f"Rejeição: Duplicidade [chToy:{OTHER_KEY}][nProt:{nfe.PROTOCOL}]"
        outcome = authorization(toy.reception(toy.protocol("539", message, number=None)))
        assert isinstance(outcome, Duplicate)
        assert (outcome.other_key, outcome.protocol) == (OTHER_KEY, nfe.PROTOCOL)


class TestConsult:
    @pytest.mark.parametrize("is_nested", [False, True])
    def test_consult_shows_an_authorized_document(self, is_nested: bool) -> None:
        outcome = consulted("100", "Autorizado o uso", toy.protocol(is_nested=is_nested))
        assert isinstance(outcome, Authorized)

    @pytest.mark.parametrize("is_nested", [False, True])
    def test_consult_shows_a_canceled_document(self, is_nested: bool) -> None:
        event = toy.stored_event(CANCELLATION, is_nested=is_nested)
        outcome = consulted("101", "Cancelamento homologado", toy.protocol(is_nested=is_nested) + event)
        assert isinstance(outcome, Canceled)
        assert outcome.authorization
        assert outcome.protocol == "135260000000009"

    @pytest.mark.parametrize("is_nested", [False, True])
    @pytest.mark.parametrize(("code", "read_as"), [("132", "132"), ("100", "135")])
    def test_consult_shows_a_closed_document(self, code: str, read_as: str, is_nested: bool) -> None:
        event = toy.stored_event(is_nested=is_nested)
        outcome = consulted(code, "Encerramento homologado", toy.protocol() + event)
        assert isinstance(outcome, Closed)
        assert (outcome.code, outcome.access_key) == (read_as, KEY)
        assert outcome.closed_at == datetime.fromisoformat(nfe.CANCELED_AT)
        assert outcome.protocol == "135260000000009"
        assert outcome.closing_xml is not None
        assert outcome.closing_xml.count(b"<procEventoToy") == 1
        assert outcome.authorization
        assert outcome.authorization.protocol == nfe.PROTOCOL

    def test_consult_shows_a_closed_document_without_any_details(self) -> None:
        outcome = consulted("132", "Encerramento homologado")
        assert outcome == Closed(code="132", message="Encerramento homologado", access_key=KEY)

    def test_other_event_does_not_close_the_document(self) -> None:
        outcome = consulted("100", "Autorizado o uso", toy.protocol() + toy.stored_event(NOTICE))
        assert isinstance(outcome, Authorized)

    def test_consult_shows_no_document_under_the_key(self) -> None:
        assert isinstance(consulted("217", "Não consta na base de dados"), Unknown)
        outcome = consulted("600", f"Chave difere da existente [chToy:{OTHER_KEY}]")
        assert isinstance(outcome, Duplicate)
        assert (outcome.other_key, outcome.is_another) == (OTHER_KEY, True)

    def test_consult_of_another_document_judges_nothing(self) -> None:
        other = toy.consult("100", "Autorizado", nfe.element("chToy", OTHER_KEY))
        outcome = read_consult(TOY, other, KEY)
        assert isinstance(outcome, NotJudged)
        assert outcome.cause is Cause.UNEXPECTED_ANSWER


class TestEventAnswer:
    def test_registration_of_the_event_is_read(self) -> None:
        outcome = registered(toy.event_answer())
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.protocol) == (KEY, "135260000000009")

    @pytest.mark.parametrize(
        "body",
        [
            toy.event_answer(event_type=NOTICE),
            toy.event_answer(sequence=2),
            toy.event_answer(key=OTHER_KEY),
            nfe.processed_events(nfe.event_receipt("135", "Evento registrado")).encode(),
        ],
    )
    def test_answer_about_another_event_judges_nothing(self, body: bytes) -> None:
        assert isinstance(registered(body), NotJudged)

    def test_refusal_of_the_event_is_read(self) -> None:
        assert isinstance(registered(toy.event_answer("630")), Rejected)
        assert isinstance(registered(toy.event_answer("631")), Duplicate)

    def test_event_answer_shows_that_the_document_is_already_closed_or_canceled(self) -> None:
        assert isinstance(registered(toy.event_answer("609")), Closed)
        canceled = registered(toy.event_answer("218", event_type=CANCELLATION), CANCELLATION)
        assert isinstance(canceled, Canceled)

    def test_event_that_a_closed_document_does_not_accept_is_rejected(self) -> None:
        outcome = registered(toy.event_answer("609", event_type=CANCELLATION), CANCELLATION)
        assert isinstance(outcome, Rejected)


class TestEventInConsult:
    @pytest.mark.parametrize("is_nested", [False, True])
    def test_event_in_a_consult_has_the_digest_of_the_signed_event(self, is_nested: bool) -> None:
        event = toy.stored_event(is_nested=is_nested)
        outcome = event_in_consult("132", "Encerramento homologado", toy.protocol() + event)
        assert isinstance(outcome, Authorized)
        assert outcome.digest == nfe.DIGEST
        assert outcome.protocol_xml.startswith(b"<retEventoToy ")

    def test_event_that_the_document_does_not_have_is_unknown(self) -> None:
        closed = toy.protocol() + toy.stored_event()
        assert isinstance(event_in_consult("100", "Autorizado", toy.protocol()), Unknown)
        assert isinstance(event_in_consult("132", "Encerrado", closed, NOTICE), Unknown)

    def test_closed_or_canceled_document_needs_no_event(self) -> None:
        assert isinstance(event_in_consult("132", "Encerrado"), Closed)
        assert isinstance(event_in_consult("101", "Cancelado", event_type=CANCELLATION), Canceled)


class TestStatus:
    def test_status_is_read_under_the_name_of_the_family(self) -> None:
        outcome = read_status(TOY, toy.status())
        assert isinstance(outcome, Available)
        assert outcome.response_seconds == 1
        assert isinstance(read_status(TOY, nfe.status("107", "Em operação").encode()), NotJudged)

    def test_status_may_be_an_outage(self) -> None:
        outcome = read_status(TOY, toy.status("109", "Serviço paralisado sem previsão"))
        assert isinstance(outcome, Unavailable)
        assert outcome.outage is Outage.WITHOUT_FORECAST


class TestDistribution:
    def test_distribution_page_is_read_by_the_same_reader(self) -> None:
        inside = f"<loteDistDFeInt>{nfe.zipped(b'<toy/>', schema='procToy_v3.00.xsd')}</loteDistDFeInt>"
        page = read_distribution(TOY, toy.distribution(inside=inside))
        assert isinstance(page, DistributionPage)
        assert [document.nsu for document in page.documents] == [101]
        assert list(page.contents()) == [b"<toy/>"]
        assert not page.is_last

    def test_distribution_page_without_documents_is_the_last(self) -> None:
        page = read_distribution(TOY, toy.distribution("137", "Nenhum documento localizado"))
        assert isinstance(page, DistributionPage)
        assert page.is_last

    def test_blocked_distribution_says_where_to_continue(self) -> None:
        blocked = read_distribution(TOY, toy.distribution("678", "Uso indevido"))
        assert isinstance(blocked, Throttled)
        assert blocked.last_nsu == 150
