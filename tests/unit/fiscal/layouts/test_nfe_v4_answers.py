"""Answers about documents that were sent: every code that a caller acts on."""

import pytest
from lxml import etree

from carimbo.fiscal.outcome import Alert, Canceled, Cause, Denied, Duplicate, Processing, Rejected
from nfe_answers import (
    DIGEST,
    KEY,
    NAMESPACE,
    OTHER_KEY,
    PROTOCOL,
    RECEIPT,
    RECEIVED,
    dressed,
    lot,
    note_protocol,
    processed,
    receipt_answer,
    refused_note,
    rejected,
)
from nfe_dialect import read_authorization, read_receipt
from unit.fiscal.layouts.outcomes import AT_RECEPTION, AUTHORIZED, authorized, not_judged

ALERTS = "<cMsg>1001</cMsg><xMsg>Confira o NCM</xMsg><cMsg>12</cMsg><xMsg>Confira o CST</xMsg>"


class TestReadingAnAuthorization:
    def test_authorization_has_the_data_of_the_protocol(self) -> None:
        outcome = authorized(read_authorization(processed(AUTHORIZED).encode(), KEY))
        assert (outcome.code, outcome.message) == ("100", "Autorizado o uso da NF-e")
        assert (outcome.access_key, outcome.protocol, outcome.digest) == (KEY, PROTOCOL, DIGEST)
        assert outcome.authorized_at == AT_RECEPTION
        assert (outcome.late, outcome.alerts) == (False, ())

    def test_protocol_is_kept_as_standalone_xml(self) -> None:
        expected = AUTHORIZED.replace("<protNFe ", f'<protNFe xmlns="{NAMESPACE}" ')
        for body in dressed(processed(AUTHORIZED))[:3]:
            assert authorized(read_authorization(body)).protocol_xml == expected.encode()

    def test_prefixed_protocol_is_kept_without_the_namespaces_of_the_envelope(self) -> None:
        text = authorized(read_authorization(dressed(processed(AUTHORIZED))[3])).protocol_xml
        element = etree.fromstring(text)
        assert element.tag == f"{{{NAMESPACE}}}protNFe"
        assert element.nsmap == {"n": NAMESPACE}

    def test_protocol_is_kept_without_its_surroundings(self) -> None:
        text = authorized(read_authorization(dressed(processed(AUTHORIZED))[4])).protocol_xml
        assert text.startswith(f'<protNFe xmlns="{NAMESPACE}" versao="4.00">'.encode())
        assert text.endswith(b"</protNFe>")

    def test_protocol_keeps_accents_and_escapes(self) -> None:
        body = processed(note_protocol("100", "Autorização &amp; &lt;uso&gt;")).encode()
        outcome = authorized(read_authorization(body))
        assert outcome.message == "Autorização & <uso>"
        assert "<xMotivo>Autorização &amp; &lt;uso&gt;</xMotivo>" in outcome.protocol_xml.decode()

    def test_authorization_may_have_alerts(self) -> None:
        body = processed(note_protocol("120", "Autorizado o uso, com alerta", alerts=ALERTS)).encode()
        outcome = authorized(read_authorization(body))
        assert outcome.alerts == (Alert("1001", "Confira o NCM"), Alert("12", "Confira o CST"))

    def test_authorization_may_be_late(self) -> None:
        text = "Autorizado o uso da NF-e, autorização fora de prazo"
        assert authorized(read_authorization(processed(note_protocol("150", text)).encode())).late

    def test_authorization_may_have_letters_in_the_key_and_a_protocol_of_17_digits(self) -> None:
        body = processed(note_protocol("100", "Autorizado", key=OTHER_KEY, protocol="13526000000000123"))
        outcome = authorized(read_authorization(body.encode(), OTHER_KEY))
        assert (outcome.access_key, outcome.protocol) == (OTHER_KEY, "13526000000000123")

    def test_moment_without_offset_is_in_brasilia_time(self) -> None:
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
    def test_incomplete_authorization_judges_nothing(self, protocol: str) -> None:
        assert not_judged(read_authorization(processed(protocol).encode())).cause is Cause.UNEXPECTED_ANSWER

    def test_lot_with_the_code_of_an_authorization_judges_nothing(self) -> None:
        assert not_judged(read_authorization(lot("100", "Autorizado").encode()))

    @pytest.mark.parametrize(
        "protocol", [AUTHORIZED, refused_note("232", "Rejeição: IE"), note_protocol("302", "Uso Denegado")]
    )
    def test_protocol_of_another_document_judges_nothing(self, protocol: str) -> None:
        outcome = not_judged(read_authorization(processed(protocol).encode(), OTHER_KEY))
        assert outcome.cause is Cause.UNEXPECTED_ANSWER

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
    def test_rejection_of_the_document_or_of_its_lot_is_read(self, code: str, text: str) -> None:
        for note in (refused_note(code, text), refused_note(code, text, key=None)):
            assert read_authorization(processed(note).encode(), KEY) == rejected(code, text, note)
        assert read_authorization(lot(code, text).encode(), KEY) == rejected(code, text, lot(code, text))

    def test_rejection_of_a_voided_number_spends_the_number(self) -> None:
        text = "Rejeição: NF-e já está inutilizada na Base de dados da SEFAZ"
        outcome = read_authorization(processed(refused_note("206", text)).encode(), KEY)
        assert isinstance(outcome, Rejected)
        assert outcome.spends_number

    def test_rejection_for_a_late_issue_date_can_be_retried(self) -> None:
        text = "Rejeição: NFC-e com Data-Hora de emissão atrasada"
        outcome = read_authorization(processed(refused_note("704", text)).encode(), KEY)
        assert isinstance(outcome, Rejected)
        assert outcome.retryable

    @pytest.mark.parametrize("code", ["462", "463", "464"])
    def test_rejection_for_the_security_code_can_be_retried(self, code: str) -> None:
        outcome = read_authorization(processed(refused_note(code, "Rejeição: CSC")).encode(), KEY)
        assert isinstance(outcome, Rejected)
        assert outcome.retryable

    @pytest.mark.parametrize("code", [str(code) for code in range(178, 187)])
    def test_rejection_below_200_is_read_by_its_code_whatever_its_text(self, code: str) -> None:
        text = "CRT do emitente diverge"
        for body in (lot(code, text), processed(refused_note(code, text))):
            outcome = read_authorization(body.encode(), KEY)
            assert isinstance(outcome, Rejected)
            assert (outcome.code, outcome.message) == (code, text)

    @pytest.mark.parametrize("code", ["106", "635", "999", "160", "189", "199", "130", "000", "0100", "0180"])
    def test_undecided_code_leaves_the_outcome_open(self, code: str) -> None:
        for body in (lot(code, "Texto"), processed(refused_note(code, "Texto"))):
            outcome = not_judged(read_authorization(body.encode(), KEY))
            assert (outcome.cause, outcome.code, outcome.message) == (Cause.UNDECIDED, code, "Texto")

    @pytest.mark.parametrize("code", ["103", "105"])
    @pytest.mark.parametrize(("seconds", "pause"), [("1", 15), ("40", 40), ("x", 15)])
    def test_lot_in_process_has_a_receipt_and_a_pause(self, code: str, seconds: str, pause: int) -> None:
        inside = f"<infRec><nRec>{RECEIPT}</nRec><tMed>{seconds}</tMed></infRec>"
        outcome = read_authorization(lot(code, "Lote recebido", inside).encode())
        assert outcome == Processing(code=code, message="Lote recebido", receipt=RECEIPT, wait_seconds=pause)

    def test_lot_in_process_without_a_receipt_judges_nothing(self) -> None:
        assert not_judged(read_authorization(lot("103", "Lote recebido com sucesso").encode()))

    def test_duplicate_of_the_same_key_is_read(self) -> None:
        text = f"Duplicidade de NF-e [nRec:{RECEIPT}]"
        outcome = read_authorization(processed(refused_note("204", text)).encode(), KEY)
        assert outcome == Duplicate(code="204", message=text, receipt=RECEIPT)

    @pytest.mark.parametrize("space", ["", " "])
    @pytest.mark.parametrize("other", [KEY, OTHER_KEY])
    def test_duplicate_has_the_key_that_uses_the_number(self, space: str, other: str) -> None:
        references = f"[chNFe:{space}{other}][nRec:{space}{RECEIPT}][nProt:{space}{PROTOCOL}]"
        text = f"Rejeição: Duplicidade de NF-e com diferença na Chave de Acesso {references}"
        outcome = read_authorization(lot("539", text).encode(), KEY)
        assert outcome == Duplicate(
            code="539", message=text, other_key=other, protocol=PROTOCOL, receipt=RECEIPT
        )

    def test_longer_run_of_digits_is_not_taken_for_a_key(self) -> None:
        outcome = read_authorization(lot("539", f"[chNFe:{KEY}1][nRec:1{RECEIPT}]").encode())
        assert outcome == Duplicate(code="539", message=f"[chNFe:{KEY}1][nRec:1{RECEIPT}]")

    @pytest.mark.parametrize("code", ["110", "301", "302", "303"])
    def test_denial_is_read_with_its_protocol(self, code: str) -> None:
        outcome = read_authorization(processed(note_protocol(code, "Uso Denegado")).encode(), KEY)
        assert isinstance(outcome, Denied)
        assert (outcome.code, outcome.access_key, outcome.protocol) == (code, KEY, PROTOCOL)
        assert outcome.denied_at == AT_RECEPTION
        assert outcome.protocol_xml is not None
        assert outcome.protocol_xml.startswith(b"<protNFe ")

    def test_document_denied_before_is_read(self) -> None:
        outcome = read_authorization(processed(refused_note("205", "NF-e está denegada")).encode(), KEY)
        assert isinstance(outcome, Denied)
        assert (outcome.protocol, outcome.denied_at, outcome.protocol_xml) == (None, None, None)

    def test_document_canceled_before_is_read(self) -> None:
        outcome = read_authorization(processed(refused_note("218", "NF-e já está cancelada")).encode(), KEY)
        assert outcome == Canceled(code="218", message="NF-e já está cancelada", access_key=KEY)


class TestReadingAReceipt:
    def test_receipt_answer_has_each_document_of_the_lot(self) -> None:
        others = refused_note("232", "Rejeição: IE", key=OTHER_KEY)
        body = receipt_answer("104", "Lote processado", others + AUTHORIZED).encode()
        assert authorized(read_receipt(body, KEY)).access_key == KEY
        assert read_receipt(body, OTHER_KEY) == rejected("232", "Rejeição: IE", others)

    def test_receipt_answer_with_several_documents_needs_a_key(self) -> None:
        others = refused_note("232", "Rejeição: IE", key=OTHER_KEY)
        assert not_judged(read_receipt(receipt_answer("104", "Lote", others + AUTHORIZED).encode()))

    def test_receipt_answer_of_a_lot_in_process_is_read(self) -> None:
        outcome = read_receipt(receipt_answer("105", "Lote em processamento").encode())
        assert outcome == Processing(
            code="105", message="Lote em processamento", receipt=RECEIPT, wait_seconds=15
        )

    @pytest.mark.parametrize("code", ["106", "248", "280", "999"])
    def test_refused_receipt_query_is_no_rejection(self, code: str) -> None:
        outcome = not_judged(read_receipt(receipt_answer(code, "Rejeição: Texto").encode(), KEY))
        assert (outcome.cause, outcome.code) == (Cause.UNDECIDED, code)
