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
    INUTILIZED,
    INUTILIZED_RANGE,
    KEY,
    NAMESPACE,
    OTHER_KEY,
    PROTOCOL,
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
    def test_consult_shows_an_authorized_document(self, code: str) -> None:
        body = consult(code, "Autorizado", note_protocol(code, "Autorizado")).encode()
        outcome = authorized(read_consult(body, KEY))
        assert (outcome.access_key, outcome.protocol, outcome.digest) == (KEY, PROTOCOL, DIGEST)
        assert outcome.late is (code == "150")

    def test_consult_ignores_events_that_do_not_cancel(self) -> None:
        events = stored_event(event_type=CORRECTION) + stored_event("573")
        assert authorized(read_consult(consult("100", "Autorizado", AUTHORIZED + events).encode(), KEY))

    @pytest.mark.parametrize("code", ["101", "151", "155"])
    def test_consult_shows_a_cancellation_with_its_event_and_the_authorization(self, code: str) -> None:
        body = consult(code, "Cancelamento homologado", AUTHORIZED + stored_event()).encode()
        outcome = canceled(read_consult(body, KEY))
        assert (outcome.code, outcome.message, outcome.access_key) == (code, "Cancelamento homologado", KEY)
        assert (outcome.protocol, outcome.canceled_at) == ("135260000000009", AT_CANCELLATION)
        assert outcome.authorization == read_authorization(processed(AUTHORIZED).encode())
        alone = stored_event().replace("<procEventoNFe ", f'<procEventoNFe xmlns="{NAMESPACE}" ')
        assert outcome.cancellation_xml == alone.encode()

    @pytest.mark.parametrize("event_type", ["110111", "110112"])
    @pytest.mark.parametrize("code", ["135", "136", "155"])
    def test_consult_shows_a_cancellation_that_only_the_event_proves(
        self, event_type: str, code: str
    ) -> None:
        inside = AUTHORIZED + stored_event(code, event_type=event_type)
        outcome = canceled(read_consult(consult("100", "Autorizado", inside).encode(), KEY))
        assert (outcome.code, outcome.message) == (code, "Evento registrado")

    def test_consult_shows_a_cancellation_in_the_older_form(self) -> None:
        details = f"<dhRecbto>{CANCELED_AT[:19]}</dhRecbto><nProt>135260000000009</nProt>"
        older = f"<retCancNFe><infCanc>{verdict('101', 'Homologado')}{details}</infCanc></retCancNFe>"
        outcome = canceled(read_consult(consult("101", "Cancelada", AUTHORIZED + older).encode(), KEY))
        assert (outcome.protocol, outcome.canceled_at) == ("135260000000009", AT_CANCELLATION)
        assert outcome.cancellation_xml is not None

    @pytest.mark.parametrize("inside", ["", "<retCancNFe/>", "<procEventoNFe/>", note_protocol("101", "C")])
    def test_consult_shows_a_cancellation_without_details(self, inside: str) -> None:
        outcome = read_consult(consult("101", "Cancelada", inside, key=None).encode(), KEY)
        assert outcome == Canceled(code="101", message="Cancelada", access_key=KEY)

    def test_consult_ignores_the_cancellation_of_another_document(self) -> None:
        inside = AUTHORIZED + stored_event(key=OTHER_KEY)
        assert authorized(read_consult(consult("100", "Autorizado", inside).encode(), KEY))

    def test_consult_shows_an_unknown_document(self) -> None:
        outcome = read_consult(consult("217", "Rejeição: NF-e não consta na base").encode(), KEY)
        assert outcome == Unknown(code="217", message="Rejeição: NF-e não consta na base")

    @pytest.mark.parametrize("code", ["561", "562", "613"])
    def test_consult_shows_that_another_key_uses_the_number(self, code: str) -> None:
        outcome = read_consult(consult(code, f"Rejeição: Chave difere [chNFe:{OTHER_KEY}]").encode(), KEY)
        assert isinstance(outcome, Duplicate)
        assert (outcome.other_key, outcome.is_another) == (OTHER_KEY, True)

    def test_consult_shows_a_denied_document(self) -> None:
        inside = note_protocol("302", "Uso Denegado: Irregularidade fiscal do destinatário")
        outcome = read_consult(consult("110", "Uso Denegado", inside).encode(), KEY)
        assert isinstance(outcome, Denied)
        assert (outcome.code, outcome.protocol) == ("302", PROTOCOL)

    @pytest.mark.parametrize("inside", ["", AUTHORIZED, AUTHORIZED.replace(KEY, OTHER_KEY)])
    def test_consult_shows_a_denied_document_without_its_protocol(self, inside: str) -> None:
        outcome = read_consult(consult("205", "NF-e está denegada", inside).encode(), KEY)
        assert outcome == Denied(code="205", message="NF-e está denegada", access_key=KEY)

    @pytest.mark.parametrize("code", ["215", "226", "252", "280", "526", "999", "124", "180"])
    def test_refused_consult_is_no_rejection(self, code: str) -> None:
        outcome = not_judged(read_consult(consult(code, "Rejeição: Texto").encode(), KEY))
        assert (outcome.cause, outcome.code) == (Cause.UNDECIDED, code)

    @pytest.mark.parametrize("inside", [refused_note("225", "Rejeição"), refused_note("204", "Duplicidade")])
    def test_consult_whose_protocol_contradicts_it_judges_nothing(self, inside: str) -> None:
        assert not_judged(read_consult(consult("100", "Autorizado", inside).encode(), KEY))

    @pytest.mark.parametrize("code", ["100", "101", "110", "217", "562"])
    def test_consult_about_another_key_judges_nothing(self, code: str) -> None:
        body = consult(code, "Texto", AUTHORIZED).encode()
        assert not_judged(read_consult(body, OTHER_KEY)).cause is Cause.UNEXPECTED_ANSWER


class TestReadingAnInutilization:
    def test_voided_range_is_read(self) -> None:
        body = inutilization("102", "Inutilização de número homologado", PROTOCOL).encode()
        outcome = authorized(read_inutilization(body, INUTILIZED))
        assert (outcome.protocol, outcome.access_key, outcome.authorized_at) == (PROTOCOL, None, AT_RECEPTION)
        assert outcome.protocol_xml == body

    def test_voided_range_without_a_protocol_judges_nothing(self) -> None:
        assert not_judged(read_inutilization(inutilization("102", "Homologado").encode(), INUTILIZED))

    def test_inutilization_without_the_part_with_the_code_judges_nothing(self) -> None:
        body = message("retInutNFe", verdict("241", "Rejeição")).encode()
        assert not_judged(read_inutilization(body, INUTILIZED))

    @pytest.mark.parametrize("code", ["206", "256", "563"])
    def test_range_voided_before_is_a_duplicate(self, code: str) -> None:
        text = f"Rejeição: Já existe pedido de Inutilização [nProt:{PROTOCOL}]"
        outcome = read_inutilization(inutilization(code, text).encode(), INUTILIZED)
        assert outcome == Duplicate(code=code, message=text, protocol=PROTOCOL)

    @pytest.mark.parametrize("code", ["241", "178", "186"])
    def test_refused_range_is_a_rejection(self, code: str) -> None:
        text = "Um número da faixa já foi utilizado"
        body = inutilization(code, text)
        assert read_inutilization(body.encode(), INUTILIZED) == rejected(code, text, body)

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
    def test_answer_about_another_range_judges_nothing(self, tag: str, other: str) -> None:
        wrong, expected = {}, (Cause.UNEXPECTED_ANSWER, "retInutNFe de outra faixa")
        for code in ("102", "241", "256", "108", "656"):
            body = inutilization(code, "Texto", PROTOCOL, INUTILIZED_RANGE | {tag: other}).encode()
            outcome = read_inutilization(body, INUTILIZED)
            if not isinstance(outcome, NotJudged) or (outcome.cause, outcome.detail) != expected:
                wrong[code] = outcome
        assert wrong == {}

    @pytest.mark.parametrize("tag", INUTILIZED_RANGE)
    def test_answer_need_not_repeat_all_of_the_range(self, tag: str) -> None:
        partial = {name: value for name, value in INUTILIZED_RANGE.items() if name != tag}
        for less in (partial, INUTILIZED_RANGE | {tag: ""}, {}):
            body = inutilization("102", "Homologado", PROTOCOL, less).encode()
            assert authorized(read_inutilization(body, INUTILIZED)).protocol == PROTOCOL

    def test_range_may_have_leading_zeros(self) -> None:
        padded = INUTILIZED_RANGE | {"serie": "001", "nNFIni": "000000010", "nNFFin": "000000012"}
        body = inutilization("102", "Homologado", PROTOCOL, padded).encode()
        assert authorized(read_inutilization(body, INUTILIZED))

    @pytest.mark.parametrize("series", ["0", "000"])
    def test_series_zero_is_compared_as_a_series(self, series: str) -> None:
        body = inutilization("102", "Homologado", PROTOCOL, INUTILIZED_RANGE | {"serie": series}).encode()
        assert authorized(read_inutilization(body, replace(INUTILIZED, series=0)))

    def test_range_of_a_cnpj_with_letters_is_read(self) -> None:
        letters = replace(INUTILIZED, cnpj="12ABC34501DE35")
        body = inutilization("102", "Homologado", PROTOCOL, INUTILIZED_RANGE | {"CNPJ": "12ABC34501DE35"})
        assert authorized(read_inutilization(body.encode(), letters))


class TestReadingAStatus:
    def test_status_of_a_service_in_operation_is_read(self) -> None:
        inside = "<tMed>1</tMed><xObs>Manutenção no domingo</xObs>"
        outcome = read_status(status("107", "Serviço em Operação", inside).encode())
        assert outcome == Available(
            code="107", message="Serviço em Operação", response_seconds=1, note="Manutenção no domingo"
        )

    def test_status_says_when_a_service_returns(self) -> None:
        body = status("108", "Serviço Paralisado", f"<dhRetorno>{CANCELED_AT}</dhRetorno>").encode()
        assert read_status(body) == Unavailable(
            code="108", message="Serviço Paralisado", outage=Outage.SHORT, back_at=AT_CANCELLATION
        )

    @pytest.mark.parametrize("code", ["215", "280", "999"])
    def test_refused_status_query_judges_nothing(self, code: str) -> None:
        assert not_judged(read_status(status(code, "Rejeição: Texto").encode())).code == code
