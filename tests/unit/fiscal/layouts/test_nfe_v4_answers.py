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

    @pytest.mark.parametrize("code", ["462", "463", "464"])
    def test_one_for_the_security_code_passes_once_the_company_has_the_right_one(self, code: str) -> None:
        found = read_authorization(processed(refused_note(code, "Rejeição: CSC")).encode(), KEY)
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
