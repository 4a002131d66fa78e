"""Answers about documents, voided ranges and services: every code that a caller acts on."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.answers import (
    read_authorization,
    read_consult,
    read_inutilization,
    read_receipt,
    read_status,
)
from carimbo.fiscal.outcome import (
    Alert,
    Authorized,
    Available,
    Canceled,
    Cause,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Processing,
    Rejected,
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
    RECEIPT,
    RECEIVED,
    VOIDED,
    VOIDED_RANGE,
    consult,
    dressed,
    inutilization,
    lot,
    message,
    note_protocol,
    processed,
    receipt_answer,
    refused_note,
    rejected,
    status,
    stored_event,
    verdict,
)

BRASILIA = timezone(timedelta(hours=-3))
AT_RECEPTION = datetime(2026, 11, 15, 9, 30, tzinfo=BRASILIA)
AT_CANCELLATION = datetime(2026, 11, 15, 10, tzinfo=BRASILIA)
AUTHORIZED = note_protocol("100", "Autorizado o uso da NF-e")
ALERTS = "<cMsg>1001</cMsg><xMsg>Confira o NCM</xMsg><cMsg>12</cMsg><xMsg>Confira o CST</xMsg>"


def authorized(outcome: Outcome | Available) -> Authorized:
    assert isinstance(outcome, Authorized), outcome
    return outcome


def canceled(outcome: Outcome | Available) -> Canceled:
    assert isinstance(outcome, Canceled), outcome
    return outcome


def not_judged(outcome: Outcome | Available) -> NotJudged:
    assert isinstance(outcome, NotJudged), outcome
    return outcome


class TestReadingAnAuthorization:
    def test_tells_all_that_the_protocol_says(self) -> None:
        found = authorized(read_authorization(processed(AUTHORIZED).encode(), KEY))
        assert (found.code, found.message) == ("100", "Autorizado o uso da NF-e")
        assert (found.access_key, found.protocol, found.digest) == (KEY, PROTOCOL, DIGEST)
        assert found.authorized_at == AT_RECEPTION
        assert (found.late, found.alerts) == (False, ())

    def test_keeps_the_protocol_as_xml_that_stands_alone(self) -> None:
        expected = AUTHORIZED.replace("<protNFe ", f'<protNFe xmlns="{NAMESPACE}" ')
        for body in dressed(processed(AUTHORIZED))[:3]:
            assert authorized(read_authorization(body)).protocol_xml == expected.encode()

    def test_keeps_a_prefixed_protocol_without_the_namespaces_of_the_envelope(self) -> None:
        text = authorized(read_authorization(dressed(processed(AUTHORIZED))[3])).protocol_xml
        element = etree.fromstring(text)
        assert element.tag == f"{{{NAMESPACE}}}protNFe"
        assert element.nsmap == {"n": NAMESPACE}

    def test_keeps_the_protocol_without_what_stands_around_it(self) -> None:
        text = authorized(read_authorization(dressed(processed(AUTHORIZED))[4])).protocol_xml
        assert text.startswith(f'<protNFe xmlns="{NAMESPACE}" versao="4.00">'.encode())
        assert text.endswith(b"</protNFe>")

    def test_keeps_accents_and_escapes_of_the_protocol(self) -> None:
        body = processed(note_protocol("100", "Autorização &amp; &lt;uso&gt;")).encode()
        found = authorized(read_authorization(body))
        assert found.message == "Autorização & <uso>"
        assert "<xMotivo>Autorização &amp; &lt;uso&gt;</xMotivo>" in found.protocol_xml.decode()

    def test_takes_an_authorization_with_alerts(self) -> None:
        body = processed(note_protocol("120", "Autorizado o uso, com alerta", alerts=ALERTS)).encode()
        found = authorized(read_authorization(body))
        assert found.alerts == (Alert("1001", "Confira o NCM"), Alert("12", "Confira o CST"))

    def test_takes_a_late_authorization(self) -> None:
        text = "Autorizado o uso da NF-e, autorização fora de prazo"
        assert authorized(read_authorization(processed(note_protocol("150", text)).encode())).late

    def test_takes_a_key_with_letters_and_a_protocol_of_17_digits(self) -> None:
        body = processed(note_protocol("100", "Autorizado", key=OTHER_KEY, protocol="13526000000000123"))
        found = authorized(read_authorization(body.encode(), OTHER_KEY))
        assert (found.access_key, found.protocol) == (OTHER_KEY, "13526000000000123")

    def test_takes_a_moment_without_offset_as_brasilia_s(self) -> None:
        body = processed(note_protocol("100", "Autorizado", received=RECEIVED[:19])).encode()
        assert authorized(read_authorization(body)).authorized_at == AT_RECEPTION

    @pytest.mark.parametrize(
        "protocol",
        [
            note_protocol("100", "Autorizado", protocol=None),
            note_protocol("100", "Autorizado", protocol="1352600000000012"),
            note_protocol("100", "Autorizado", key=None),
            note_protocol("100", "Autorizado", key=KEY[:-1]),
            note_protocol("100", "Autorizado", received=None),
            note_protocol("100", "Autorizado", received="ontem"),
            note_protocol("100", "Autorizado", received="2026-02-30T09:30:00-03:00"),
            note_protocol("100", "Autorizado", received="0001-01-01T00:00:00+23:59"),
            "",
            "<protNFe/>",
            AUTHORIZED.replace("<protNFe ", '<protNFe xmlns="" '),
            AUTHORIZED + AUTHORIZED,
        ],
    )
    def test_does_not_believe_an_authorization_that_lacks_what_makes_it_one(self, protocol: str) -> None:
        assert not_judged(read_authorization(processed(protocol).encode())).cause is Cause.UNEXPECTED_ANSWER

    def test_does_not_believe_a_lot_that_calls_itself_authorized(self) -> None:
        assert not_judged(read_authorization(lot("100", "Autorizado").encode()))

    @pytest.mark.parametrize(
        "protocol", [AUTHORIZED, refused_note("232", "Rejeição: IE"), note_protocol("302", "Uso Denegado")]
    )
    def test_judges_nothing_by_the_protocol_of_another_document(self, protocol: str) -> None:
        found = not_judged(read_authorization(processed(protocol).encode(), OTHER_KEY))
        assert found.cause is Cause.UNEXPECTED_ANSWER

    @pytest.mark.parametrize(
        ("code", "text"),
        [
            ("225", "Rejeição: Falha no Schema XML da NFe"),
            ("217", "Rejeição: NF-e não consta na base de dados da SEFAZ"),
            ("678", "Rejeição: NF referenciada com UF diferente da NF-e complementar"),
            ("1115", "Rejeição: IBS/CBS"),
            ("180", "Rejeição: CRT do emitente diverge do cadastro da RFB"),
            ("181", "REJEICAO: CNPJ do destinatario nao cadastrado"),
        ],
    )
    def test_tells_a_rejection_of_the_document_or_of_its_lot(self, code: str, text: str) -> None:
        for note in (refused_note(code, text), refused_note(code, text, key=None)):
            assert read_authorization(processed(note).encode(), KEY) == rejected(code, text, note)
        assert read_authorization(lot(code, text).encode(), KEY) == rejected(code, text, lot(code, text))

    def test_tells_that_the_number_of_a_document_was_voided(self) -> None:
        text = "Rejeição: NF-e já está inutilizada na Base de dados da SEFAZ"
        found = read_authorization(processed(refused_note("206", text)).encode(), KEY)
        assert isinstance(found, Rejected)
        assert found.spends_number

    def test_one_that_came_too_late_may_pass_when_it_is_made_anew(self) -> None:
        text = "Rejeição: NFC-e com Data-Hora de emissão atrasada"
        found = read_authorization(processed(refused_note("704", text)).encode(), KEY)
        assert isinstance(found, Rejected)
        assert found.retryable

    @pytest.mark.parametrize("code", [str(code) for code in range(178, 187)])
    def test_tells_a_rejection_below_200_by_its_code_whatever_its_text(self, code: str) -> None:
        text = "CRT do emitente diverge"
        for body in (lot(code, text), processed(refused_note(code, text))):
            found = read_authorization(body.encode(), KEY)
            assert isinstance(found, Rejected)
            assert (found.code, found.message) == (code, text)

    @pytest.mark.parametrize("code", ["106", "635", "999", "160", "189", "199", "130", "000", "0100", "0180"])
    def test_leaves_open_what_a_code_leaves_open(self, code: str) -> None:
        for body in (lot(code, "Texto"), processed(refused_note(code, "Texto"))):
            found = not_judged(read_authorization(body.encode(), KEY))
            assert (found.cause, found.code, found.message) == (Cause.UNDECIDED, code, "Texto")

    @pytest.mark.parametrize("code", ["103", "105"])
    @pytest.mark.parametrize(("told", "pause"), [("1", 15), ("40", 40), ("x", 15)])
    def test_tells_where_to_ask_about_a_lot_in_process(self, code: str, told: str, pause: int) -> None:
        inside = f"<infRec><nRec>{RECEIPT}</nRec><tMed>{told}</tMed></infRec>"
        found = read_authorization(lot(code, "Lote recebido", inside).encode())
        assert found == Processing(code=code, message="Lote recebido", receipt=RECEIPT, wait_seconds=pause)

    def test_does_not_wait_for_a_lot_without_receipt(self) -> None:
        assert not_judged(read_authorization(lot("103", "Lote recebido com sucesso").encode()))

    def test_tells_a_duplicate_of_the_same_key(self) -> None:
        text = f"Duplicidade de NF-e [nRec:{RECEIPT}]"
        found = read_authorization(processed(refused_note("204", text)).encode(), KEY)
        assert found == Duplicate(code="204", message=text, receipt=RECEIPT)

    @pytest.mark.parametrize("space", ["", " "])
    @pytest.mark.parametrize("other", [KEY, OTHER_KEY])
    def test_tells_the_key_that_has_the_number(self, space: str, other: str) -> None:
        told = f"[chNFe:{space}{other}][nRec:{space}{RECEIPT}][nProt:{space}{PROTOCOL}]"
        text = f"Rejeição: Duplicidade de NF-e com diferença na Chave de Acesso {told}"
        found = read_authorization(lot("539", text).encode(), KEY)
        assert found == Duplicate(
            code="539", message=text, other_key=other, protocol=PROTOCOL, receipt=RECEIPT
        )

    def test_takes_no_longer_run_of_digits_for_a_key(self) -> None:
        found = read_authorization(lot("539", f"[chNFe:{KEY}1][nRec:1{RECEIPT}]").encode())
        assert found == Duplicate(code="539", message=f"[chNFe:{KEY}1][nRec:1{RECEIPT}]")

    @pytest.mark.parametrize("code", ["110", "301", "302", "303"])
    def test_tells_a_denial_with_its_protocol(self, code: str) -> None:
        found = read_authorization(processed(note_protocol(code, "Uso Denegado")).encode(), KEY)
        assert isinstance(found, Denied)
        assert (found.code, found.access_key, found.protocol) == (code, KEY, PROTOCOL)
        assert found.denied_at == AT_RECEPTION
        assert found.protocol_xml is not None
        assert found.protocol_xml.startswith(b"<protNFe ")

    def test_tells_a_document_denied_before(self) -> None:
        found = read_authorization(processed(refused_note("205", "NF-e está denegada")).encode(), KEY)
        assert isinstance(found, Denied)
        assert (found.protocol, found.denied_at, found.protocol_xml) == (None, None, None)

    def test_tells_a_document_canceled_before(self) -> None:
        found = read_authorization(processed(refused_note("218", "NF-e já está cancelada")).encode(), KEY)
        assert found == Canceled(code="218", message="NF-e já está cancelada", access_key=KEY)


class TestReadingAReceipt:
    def test_finds_the_document_among_the_others_of_its_lot(self) -> None:
        others = refused_note("232", "Rejeição: IE", key=OTHER_KEY)
        body = receipt_answer("104", "Lote processado", others + AUTHORIZED).encode()
        assert authorized(read_receipt(body, KEY)).access_key == KEY
        assert read_receipt(body, OTHER_KEY) == rejected("232", "Rejeição: IE", others)

    def test_does_not_choose_among_documents(self) -> None:
        others = refused_note("232", "Rejeição: IE", key=OTHER_KEY)
        assert not_judged(read_receipt(receipt_answer("104", "Lote", others + AUTHORIZED).encode()))

    def test_goes_on_waiting(self) -> None:
        found = read_receipt(receipt_answer("105", "Lote em processamento").encode())
        assert found == Processing(
            code="105", message="Lote em processamento", receipt=RECEIPT, wait_seconds=15
        )

    @pytest.mark.parametrize("code", ["106", "248", "280", "999"])
    def test_never_takes_a_refused_question_for_a_rejection(self, code: str) -> None:
        found = not_judged(read_receipt(receipt_answer(code, "Rejeição: Texto").encode(), KEY))
        assert (found.cause, found.code) == (Cause.UNDECIDED, code)


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

    @pytest.mark.parametrize("code", ["102", "241", "256", "108", "656"])
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
    def test_judges_nothing_by_an_answer_about_another_range(self, code: str, tag: str, other: str) -> None:
        body = inutilization(code, "Texto", PROTOCOL, VOIDED_RANGE | {tag: other}).encode()
        found = not_judged(read_inutilization(body, VOIDED))
        assert (found.cause, found.detail) == (Cause.UNEXPECTED_ANSWER, "retInutNFe de outra faixa")

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
