"""Answers of the national environment about notes, and their outcomes."""

from datetime import datetime

import pytest

import nfse_answers as nfse
from carimbo.fiscal.layouts.dps_v1.answers import read_key, read_note, read_presence
from carimbo.fiscal.outcome import Alert, Authorized, Available, Cause, Throttled, Unknown
from nfse_answers import DIGEST, DPS_ID, KEY, OTHER_DPS_ID, PAGE, PROTOCOL, body, issued, note
from unit.fiscal.layouts.outcomes import cause, sent


class TestANote:
    def test_issued_note_is_authorized_with_the_data_of_the_authority(self) -> None:
        assert sent(201, issued()) == Authorized(
            code="100",
            message="NFS-e Gerada",
            protocol=PROTOCOL,
            authorized_at=datetime.fromisoformat(nfse.PROCESSED),
            protocol_xml=note().encode(),
            access_key=KEY,
            number=123,
            digest=DIGEST,
        )

    def test_issued_note_is_kept_byte_by_byte_except_its_declaration(self) -> None:
        text = note().replace("<emit/>", "<emit />\n <!-- x -->&#233;")
        outcome = sent(201, issued(text))
        assert isinstance(outcome, Authorized)
        assert outcome.protocol_xml == text.encode()

    @pytest.mark.parametrize(
        ("code", "message"),
        [("107", "NFS-e MEI"), ("103", "NFS-e Avulsa"), ("101", "NFS-e Gerada")],
    )
    def test_issued_note_has_the_message_of_its_status(self, code: str, message: str) -> None:
        outcome = sent(201, issued(note(code=code)))
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.message) == (code, message)

    def test_issued_note_may_have_letters_in_its_key(self) -> None:
        outcome = sent(201, issued(note(key=nfse.OTHER_KEY)))
        assert isinstance(outcome, Authorized)
        assert outcome.access_key == nfse.OTHER_KEY

    def test_issued_note_may_come_with_alerts(self) -> None:
        alerts = [{"codigo": "A0001", "descricao": "Confira a alíquota."}, {"mensagem": "Outro"}, "texto"]
        outcome = sent(201, issued(alertas=alerts))
        assert isinstance(outcome, Authorized)
        assert outcome.alerts == (Alert("A0001", "Confira a alíquota."), Alert("", "Outro"))

    def test_note_without_a_signed_dps_still_answers_the_request(self) -> None:
        outcome = sent(201, issued(note(digest=None)))
        assert isinstance(outcome, Authorized)
        assert outcome.digest is None

    def test_field_names_of_an_answer_may_have_any_case(self) -> None:
        answer = issued().replace(b"nfseXmlGZipB64", b"NfseXMLGzipB64")
        assert isinstance(sent(200, answer), Authorized)

    @pytest.mark.parametrize(
        "changed",
        [
            note(dps_id=OTHER_DPS_ID),
            note(key=KEY[:-1]),
            note(key=KEY.replace("3550308", "../../x")),
            note(code=None),
            note(code="1<!-- -->00"),
            note(number=None),
            note(number="doze"),
            note(processed=None),
            note(processed="ontem"),
            note(protocol=None),
            note().replace("infDPS", "infRPS"),
            note().replace("</DPS>", "</RPS>").replace("<DPS ", "<RPS "),
            note().replace("infNFSe", "infNota"),
            note().replace(nfse.NAMESPACE, "urn:x"),
            nfse.event(),
        ],
    )
    def test_note_of_another_dps_or_without_required_parts_judges_nothing(self, changed: str) -> None:
        assert cause(sent(201, issued(changed))) is Cause.UNEXPECTED_ANSWER

    @pytest.mark.parametrize(
        "changed",
        [
            note()[:-20],
            "<!DOCTYPE a>" + note(),
            "texto",
            "",
        ],
    )
    def test_text_that_is_no_note_judges_nothing(self, changed: str) -> None:
        assert cause(sent(201, issued(changed))) is Cause.UNREADABLE

    @pytest.mark.parametrize("packed", [None, 5, ["x"], "", "x", "H4sIAAAA"])
    def test_note_that_cannot_be_unpacked_judges_nothing(self, packed: object) -> None:
        assert cause(sent(201, body(nfseXmlGZipB64=packed, chaveAcesso=KEY))) is Cause.UNREADABLE


class TestTheKeyOfADps:
    def test_key_of_a_dps_is_read_if_there_is_a_note(self) -> None:
        assert read_key(200, nfse.of_dps()) == KEY

    def test_dps_is_unknown_if_the_service_says_so(self) -> None:
        assert read_key(404, nfse.NO_NOTE) == Unknown(
            code="E2404", message="Não foi gerada uma NFS-e com o identificador de DPS informado"
        )

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (PAGE, Cause.HTML),
            (b"", Cause.EMPTY),
            (b'{"title":"Not Found","status":404}', Cause.UNEXPECTED_ANSWER),
        ],
    )
    def test_dps_is_not_unknown_if_an_intermediate_server_says_so(self, answer: bytes, reason: Cause) -> None:
        assert cause(read_key(404, answer)) is reason

    @pytest.mark.parametrize("key", ["", None, 7, KEY[:-1], f"{KEY}0", f"{KEY[:-3]}/..", "Ａ" * 50])
    def test_malformed_key_of_a_dps_judges_nothing(self, key: str) -> None:
        assert cause(read_key(200, nfse.of_dps(key))) is Cause.UNEXPECTED_ANSWER

    def test_error_about_the_query_does_not_judge_the_dps(self) -> None:
        answer = body(erro={"codigo": "E2403", "descricao": "Identificador de DPS inválido"})
        assert cause(read_key(400, answer)) is Cause.UNDECIDED

    @pytest.mark.parametrize(
        ("status", "reason"),
        [
            (401, Cause.CERTIFICATE_NOT_ACCEPTED),
            (403, Cause.CERTIFICATE_NOT_ACCEPTED),
            (500, Cause.HTTP_STATUS),
        ],
    )
    def test_failure_does_not_judge_the_dps(self, status: int, reason: Cause) -> None:
        assert cause(read_key(status, nfse.NO_NOTE)) is reason

    def test_query_for_a_dps_may_be_throttled(self) -> None:
        assert isinstance(read_key(429, PAGE), Throttled)


class TestAStoredNote:
    def test_stored_note_is_read_as_when_it_was_issued(self) -> None:
        assert read_note(200, nfse.stored(), DPS_ID) == sent(201, issued())

    @pytest.mark.parametrize("xml", [note(dps_id=OTHER_DPS_ID), note(digest=None), note(digest="a<b/>c")])
    def test_stored_note_of_another_dps_judges_nothing(self, xml: str) -> None:
        assert cause(read_note(200, nfse.stored(xml), DPS_ID)) is Cause.UNEXPECTED_ANSWER

    def test_stored_note_that_has_vanished_judges_nothing(self) -> None:
        gone = body(erro={"codigo": "E2401", "descricao": "Chave de acesso não encontrada."})
        assert cause(read_note(404, gone, DPS_ID)) is Cause.UNDECIDED

    def test_stored_note_that_does_not_arrive_judges_nothing(self) -> None:
        assert cause(read_note(503, PAGE, DPS_ID)) is Cause.HTTP_STATUS
        assert cause(read_note(200, b"", DPS_ID)) is Cause.EMPTY


class TestPresence:
    @pytest.mark.parametrize("status", [200, 400, 404])
    def test_any_answer_about_a_dps_shows_that_the_service_is_available(self, status: int) -> None:
        assert read_presence(status, b"") == Available(code="", message="A Sefin Nacional responde")

    @pytest.mark.parametrize(
        ("status", "reason"),
        [
            (403, Cause.CERTIFICATE_NOT_ACCEPTED),
            (496, Cause.CERTIFICATE_NOT_ACCEPTED),
            (502, Cause.HTTP_STATUS),
        ],
    )
    def test_failure_does_not_show_that_the_service_is_available(self, status: int, reason: Cause) -> None:
        assert cause(read_presence(status, b"")) is reason

    def test_availability_query_may_be_throttled(self) -> None:
        assert isinstance(read_presence(429, b""), Throttled)
