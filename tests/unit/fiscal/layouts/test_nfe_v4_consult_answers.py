"""Answers about keys, voided ranges and services: every code that a caller acts on."""

from dataclasses import replace
from datetime import datetime

import pytest

from carimbo.fiscal.layouts.nfe_v4.inutilization import read_inutilization
from carimbo.fiscal.outcome import (
    Available,
    Canceled,
    Cause,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Unavailable,
    Unknown,
)
from nfe_answers import (
    CANCELED_AT,
    CORRECTION,
    DIGEST,
    KEY,
    NAMESPACE,
    OTHER_KEY,
    PROTOCOL,
    VOIDED,
    VOIDED_RANGE,
    consult,
    inutilization,
    message,
    note_protocol,
    processed,
    refused_note,
    rejected,
    status,
    stored_event,
    verdict,
)
from nfe_dialect import read_authorization, read_consult, read_status
from unit.fiscal.layouts.outcomes import AT_RECEPTION, AUTHORIZED, BRASILIA, authorized, not_judged

AT_CANCELLATION = datetime(2026, 11, 15, 10, tzinfo=BRASILIA)


def canceled(outcome: Outcome | Available) -> Canceled:
    assert isinstance(outcome, Canceled), outcome
    return outcome


class TestReadingAConsult:
    @pytest.mark.parametrize("code", ["100", "120", "150"])
    def test_tells_a_document_that_is_authorized(self, code: str) -> None:
        body = consult(code, "Autorizado", note_protocol(code, "Autorizado")).encode()
        found = authorized(read_consult(body, KEY))
        assert (found.access_key, found.protocol, found.digest) == (KEY, PROTOCOL, DIGEST)
        assert found.late is (code == "150")

    def test_leaves_aside_events_that_do_not_cancel(self) -> None:
        events = stored_event(event_type=CORRECTION) + stored_event("573")
        assert authorized(read_consult(consult("100", "Autorizado", AUTHORIZED + events).encode(), KEY))

    @pytest.mark.parametrize("code", ["101", "151", "155"])
    def test_tells_a_cancellation_with_its_event_and_the_authorization(self, code: str) -> None:
        body = consult(code, "Cancelamento homologado", AUTHORIZED + stored_event()).encode()
        found = canceled(read_consult(body, KEY))
        assert (found.code, found.message, found.access_key) == (code, "Cancelamento homologado", KEY)
        assert (found.protocol, found.canceled_at) == ("135260000000009", AT_CANCELLATION)
        assert found.authorization == read_authorization(processed(AUTHORIZED).encode())
        alone = stored_event().replace("<procEventoNFe ", f'<procEventoNFe xmlns="{NAMESPACE}" ')
        assert found.cancellation_xml == alone.encode()

    @pytest.mark.parametrize("event_type", ["110111", "110112"])
    @pytest.mark.parametrize("code", ["135", "136", "155"])
    def test_tells_a_cancellation_that_only_its_event_shows(self, event_type: str, code: str) -> None:
        inside = AUTHORIZED + stored_event(code, event_type=event_type)
        found = canceled(read_consult(consult("100", "Autorizado", inside).encode(), KEY))
        assert (found.code, found.message) == (code, "Evento registrado")

    def test_tells_a_cancellation_of_the_older_kind(self) -> None:
        told = f"<dhRecbto>{CANCELED_AT[:19]}</dhRecbto><nProt>135260000000009</nProt>"
        older = f"<retCancNFe><infCanc>{verdict('101', 'Homologado')}{told}</infCanc></retCancNFe>"
        found = canceled(read_consult(consult("101", "Cancelada", AUTHORIZED + older).encode(), KEY))
        assert (found.protocol, found.canceled_at) == ("135260000000009", AT_CANCELLATION)
        assert found.cancellation_xml is not None

    @pytest.mark.parametrize("inside", ["", "<retCancNFe/>", "<procEventoNFe/>", note_protocol("101", "C")])
    def test_tells_a_cancellation_without_details(self, inside: str) -> None:
        found = read_consult(consult("101", "Cancelada", inside, key=None).encode(), KEY)
        assert found == Canceled(code="101", message="Cancelada", access_key=KEY)

    def test_ignores_the_cancellation_of_another_document(self) -> None:
        inside = AUTHORIZED + stored_event(key=OTHER_KEY)
        assert authorized(read_consult(consult("100", "Autorizado", inside).encode(), KEY))

    def test_tells_a_document_that_nobody_sent(self) -> None:
        found = read_consult(consult("217", "Rejeição: NF-e não consta na base").encode(), KEY)
        assert found == Unknown(code="217", message="Rejeição: NF-e não consta na base")

    @pytest.mark.parametrize("code", ["561", "562", "613"])
    def test_tells_a_number_that_another_key_has(self, code: str) -> None:
        found = read_consult(consult(code, f"Rejeição: Chave difere [chNFe:{OTHER_KEY}]").encode(), KEY)
        assert isinstance(found, Duplicate)
        assert (found.other_key, found.is_another) == (OTHER_KEY, True)

    def test_tells_a_denied_document(self) -> None:
        inside = note_protocol("302", "Uso Denegado: Irregularidade fiscal do destinatário")
        found = read_consult(consult("110", "Uso Denegado", inside).encode(), KEY)
        assert isinstance(found, Denied)
        assert (found.code, found.protocol) == ("302", PROTOCOL)

    @pytest.mark.parametrize("inside", ["", AUTHORIZED, AUTHORIZED.replace(KEY, OTHER_KEY)])
    def test_tells_a_denied_document_without_its_protocol(self, inside: str) -> None:
        found = read_consult(consult("205", "NF-e está denegada", inside).encode(), KEY)
        assert found == Denied(code="205", message="NF-e está denegada", access_key=KEY)

    @pytest.mark.parametrize("code", ["215", "226", "252", "280", "526", "999", "124", "180"])
    def test_never_takes_a_refused_question_for_a_rejection(self, code: str) -> None:
        found = not_judged(read_consult(consult(code, "Rejeição: Texto").encode(), KEY))
        assert (found.cause, found.code) == (Cause.UNDECIDED, code)

    @pytest.mark.parametrize("inside", [refused_note("225", "Rejeição"), refused_note("204", "Duplicidade")])
    def test_does_not_decide_when_the_protocol_contradicts_the_answer(self, inside: str) -> None:
        assert not_judged(read_consult(consult("100", "Autorizado", inside).encode(), KEY))

    @pytest.mark.parametrize("code", ["100", "101", "110", "217", "562"])
    def test_judges_nothing_by_an_answer_about_another_key(self, code: str) -> None:
        body = consult(code, "Texto", AUTHORIZED).encode()
        assert not_judged(read_consult(body, OTHER_KEY)).cause is Cause.UNEXPECTED_ANSWER


class TestReadingAnInutilization:
    def test_tells_a_voided_range(self) -> None:
        body = inutilization("102", "Inutilização de número homologado", PROTOCOL).encode()
        found = authorized(read_inutilization(body, VOIDED))
        assert (found.protocol, found.access_key, found.authorized_at) == (PROTOCOL, None, AT_RECEPTION)
        assert found.protocol_xml == body

    def test_does_not_believe_it_without_a_protocol(self) -> None:
        assert not_judged(read_inutilization(inutilization("102", "Homologado").encode(), VOIDED))

    def test_judges_nothing_without_the_part_that_has_the_code(self) -> None:
        body = message("retInutNFe", verdict("241", "Rejeição")).encode()
        assert not_judged(read_inutilization(body, VOIDED))

    @pytest.mark.parametrize("code", ["206", "256", "563"])
    def test_tells_a_range_voided_before(self, code: str) -> None:
        text = f"Rejeição: Já existe pedido de Inutilização [nProt:{PROTOCOL}]"
        found = read_inutilization(inutilization(code, text).encode(), VOIDED)
        assert found == Duplicate(code=code, message=text, protocol=PROTOCOL)

    @pytest.mark.parametrize("code", ["241", "178", "186"])
    def test_tells_a_refused_range(self, code: str) -> None:
        text = "Um número da faixa já foi utilizado"
        body = inutilization(code, text)
        assert read_inutilization(body.encode(), VOIDED) == rejected(code, text, body)

    @pytest.mark.parametrize(
        ("tag", "other"),
        [
            ("CNPJ", "12ABC34501DE35"),
            ("CNPJ", "00000000000000"),
            ("mod", "65"),
            ("serie", "2"),
            ("serie", "0"),
            ("serie", "um"),
            ("nNFIni", "1"),
            ("nNFIni", "100"),
            ("nNFFin", "13"),
            ("nNFFin", "0"),
        ],
    )
    def test_judges_nothing_by_an_answer_about_another_range(self, tag: str, other: str) -> None:
        wrong, expected = {}, (Cause.UNEXPECTED_ANSWER, "retInutNFe de outra faixa")
        for code in ("102", "241", "256", "108", "656"):
            body = inutilization(code, "Texto", PROTOCOL, VOIDED_RANGE | {tag: other}).encode()
            outcome = read_inutilization(body, VOIDED)
            if not isinstance(outcome, NotJudged) or (outcome.cause, outcome.detail) != expected:
                wrong[code] = outcome
        assert wrong == {}

    @pytest.mark.parametrize("tag", VOIDED_RANGE)
    def test_takes_an_answer_that_does_not_repeat_all_of_the_range(self, tag: str) -> None:
        told = {name: value for name, value in VOIDED_RANGE.items() if name != tag}
        for less in (told, VOIDED_RANGE | {tag: ""}, {}):
            body = inutilization("102", "Homologado", PROTOCOL, less).encode()
            assert authorized(read_inutilization(body, VOIDED)).protocol == PROTOCOL

    def test_takes_zeros_in_front_of_the_numbers(self) -> None:
        told = VOIDED_RANGE | {"serie": "001", "nNFIni": "000000010", "nNFFin": "000000012"}
        body = inutilization("102", "Homologado", PROTOCOL, told).encode()
        assert authorized(read_inutilization(body, VOIDED))

    @pytest.mark.parametrize("told", ["0", "000"])
    def test_takes_series_zero_for_what_it_is(self, told: str) -> None:
        body = inutilization("102", "Homologado", PROTOCOL, VOIDED_RANGE | {"serie": told}).encode()
        assert authorized(read_inutilization(body, replace(VOIDED, series=0)))

    def test_knows_a_range_of_a_cnpj_with_letters(self) -> None:
        letters = replace(VOIDED, cnpj="12ABC34501DE35")
        body = inutilization("102", "Homologado", PROTOCOL, VOIDED_RANGE | {"CNPJ": "12ABC34501DE35"})
        assert authorized(read_inutilization(body.encode(), letters))


class TestReadingAStatus:
    def test_tells_a_service_at_work(self) -> None:
        inside = "<tMed>1</tMed><xObs>Manutenção no domingo</xObs>"
        found = read_status(status("107", "Serviço em Operação", inside).encode())
        assert found == Available(
            code="107", message="Serviço em Operação", response_seconds=1, note="Manutenção no domingo"
        )

    def test_tells_when_a_service_will_be_back(self) -> None:
        body = status("108", "Serviço Paralisado", f"<dhRetorno>{CANCELED_AT}</dhRetorno>").encode()
        assert read_status(body) == Unavailable(
            code="108", message="Serviço Paralisado", outage=Outage.SHORT, back_at=AT_CANCELLATION
        )

    @pytest.mark.parametrize("code", ["215", "280", "999"])
    def test_learns_nothing_from_a_refused_question(self, code: str) -> None:
        assert not_judged(read_status(status(code, "Rejeição: Texto").encode())).code == code
