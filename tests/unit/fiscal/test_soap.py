"""SOAP envelopes around messages, and the answers of hosts, proxies and accidents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.layouts.soap import envelope, open_envelope
from carimbo.fiscal.outcome import Cause, NotJudged

SERVICE = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeStatusServico4"
WRAPPER = "nfeDadosMsg"
NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
SOAP_1_1 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_1_2 = "http://www.w3.org/2003/05/soap-envelope"
MESSAGE = f'<retConsStatServ xmlns="{NAMESPACE}" versao="4.00"><cStat>107</cStat></retConsStatServ>'
ESCAPED = MESSAGE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
BODY = f'<nfeResultMsg xmlns="{SERVICE}">{MESSAGE}</nfeResultMsg>'
HEADER = f'<s:Header><nfeCabecMsg xmlns="{SERVICE}"><cUF>35</cUF></nfeCabecMsg></s:Header>'
FAULT_1_1 = "<faultcode>s:Server</faultcode><faultstring>Erro interno</faultstring>"
FAULT_1_2 = "<s:Code><s:Value>s:Server</s:Value></s:Code><s:Reason><s:Text>Erro interno</s:Text></s:Reason>"
PAGE = b"<html><head><title>502 Bad Gateway</title></head><body><hr>nginx</body></html>"


def in_soap(inside: str, namespace: str = SOAP_1_2, header: str = "") -> bytes:
    return f'<s:Envelope xmlns:s="{namespace}">{header}<s:Body>{inside}</s:Body></s:Envelope>'.encode()


def in_result(inside: str) -> bytes:
    return in_soap(f'<nfeResultMsg xmlns="{SERVICE}">{inside}</nfeResultMsg>')


def not_judged(body: bytes) -> NotJudged:
    answer = open_envelope(body)
    assert isinstance(answer, NotJudged)
    return answer


class TestEnvelope:
    def test_envelope_contains_the_message_unchanged(self) -> None:
        message = f'<a xmlns="{NAMESPACE}" Id="é"><b></b>  <c>&amp;</c></a>'.encode()
        written = envelope(SERVICE, message, WRAPPER)
        assert written.startswith(b'<?xml version="1.0" encoding="UTF-8"?><soap:Envelope ')
        assert message in written

    def test_message_is_in_the_body_of_soap_1_2(self) -> None:
        root = etree.fromstring(envelope(SERVICE, MESSAGE.encode(), WRAPPER))
        path = [element.tag for element in root.iter()][:4]
        assert path == [
            f"{{{SOAP_1_2}}}Envelope",
            f"{{{SOAP_1_2}}}Body",
            f"{{{SERVICE}}}nfeDadosMsg",
            f"{{{NAMESPACE}}}retConsStatServ",
        ]

    def test_header_is_before_the_body(self) -> None:
        header = f'<mdfeCabecMsg xmlns="{SERVICE}"><cUF>35</cUF></mdfeCabecMsg>'.encode()
        root = etree.fromstring(envelope(SERVICE, MESSAGE.encode(), WRAPPER, header))
        assert [part.tag for part in root] == [f"{{{SOAP_1_2}}}Header", f"{{{SOAP_1_2}}}Body"]
        assert root.findtext(f"{{{SOAP_1_2}}}Header/{{{SERVICE}}}mdfeCabecMsg/{{{SERVICE}}}cUF") == "35"

    def test_envelope_may_have_another_wrapper_around_the_usual_one(self) -> None:
        inner = f"<nfeDadosMsg>{MESSAGE}</nfeDadosMsg>".encode()
        root = etree.fromstring(envelope(SERVICE, inner, tag="nfeDistDFeInteresse"))
        wrapper = root.find(f".//{{{SERVICE}}}nfeDistDFeInteresse/{{{SERVICE}}}nfeDadosMsg")
        assert wrapper is not None
        assert len(wrapper) == 1

    @given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="<>&")))
    def test_opened_envelope_gives_back_the_message(self, text: str) -> None:
        message = open_envelope(envelope(SERVICE, f'<a xmlns="{NAMESPACE}">{text}</a>'.encode(), WRAPPER))
        assert not isinstance(message, NotJudged)
        assert (message.text or "") == text


class TestOpeningAnEnvelope:
    @pytest.mark.parametrize(
        "body",
        [
            in_soap(BODY),
            in_soap(BODY, SOAP_1_1),
            in_soap(
                BODY,
                header=f'<s:Header><nfeCabecMsg xmlns="{SERVICE}"><cUF>35</cUF></nfeCabecMsg></s:Header>',
            ),
            in_soap(f"<outroNome>{MESSAGE}</outroNome>"),
            in_soap(f'<a xmlns="{SERVICE}"><aResult><b>{MESSAGE}</b></aResult></a>'),
            in_soap(f"\n  <!-- c --><?p i?>\n  {BODY}\n"),
            in_result(ESCAPED),
            in_result(f"\n{ESCAPED}\n"),
            in_result(f"<![CDATA[{MESSAGE}]]>"),
            in_result(f'<![CDATA[<?xml version="1.0" encoding="utf-16"?>{MESSAGE}]]>'),
            MESSAGE.encode(),
            f'\n<?xml version="1.0" encoding="utf-8"?>\n{MESSAGE}\n'.encode(),
            b"\xef\xbb\xbf" + MESSAGE.encode(),
        ],
    )
    def test_message_is_found_however_it_is_wrapped(self, body: bytes) -> None:
        message = open_envelope(body)
        assert not isinstance(message, NotJudged)
        assert message.tag == f"{{{NAMESPACE}}}retConsStatServ"
        assert message.findtext(f"{{{NAMESPACE}}}cStat") == "107"

    def test_prefixed_messages_of_other_documents_are_found(self) -> None:
        cte = "http://www.portalfiscal.inf.br/cte"
        message = open_envelope(in_soap(f'<x:retCTe xmlns:x="{cte}"><x:cStat>100</x:cStat></x:retCTe>'))
        assert not isinstance(message, NotJudged)
        assert message.tag == f"{{{cte}}}retCTe"

    @pytest.mark.parametrize("body", [b"", b" \r\n\t"])
    def test_empty_answer_has_its_own_cause(self, body: bytes) -> None:
        assert not_judged(body).cause is Cause.EMPTY

    @pytest.mark.parametrize(
        "body",
        [
            PAGE,
            b"<!DOCTYPE html>\n" + PAGE,
            b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">' + PAGE,
            PAGE.upper(),
            PAGE.replace(b"<hr>", b""),
            PAGE.replace(b"<hr>", b"").replace(b"<html>", b'<html xmlns="http://www.w3.org/1999/xhtml">'),
        ],
    )
    def test_web_page_is_reported_with_its_text(self, body: bytes) -> None:
        answer = not_judged(body)
        assert answer.cause is Cause.HTML
        assert answer.detail.upper() == "502 BAD GATEWAY NGINX"

    @pytest.mark.parametrize(("namespace", "inside"), [(SOAP_1_1, FAULT_1_1), (SOAP_1_2, FAULT_1_2)])
    def test_fault_is_reported_with_its_reason(self, namespace: str, inside: str) -> None:
        answer = not_judged(in_soap(f"<s:Fault>{inside}</s:Fault>", namespace))
        assert (answer.cause, answer.detail) == (Cause.FAULT, "s:Server Erro interno")

    @pytest.mark.parametrize(
        "body",
        [
            b"Service Unavailable",
            b"\x00\xff\xfe",
            MESSAGE.encode()[:-1],
            in_soap(BODY)[:-20],
            in_result(ESCAPED[:-8]),
            b'<!DOCTYPE a [<!ENTITY b "c">]>' + MESSAGE.encode(),
            MESSAGE.encode().replace(b"107", b"1" * 11_000_000),
            MESSAGE.replace("107", "ação").encode("latin-1"),
        ],
    )
    def test_unreadable_answer_has_its_own_cause(self, body: bytes) -> None:
        assert not_judged(body).cause is Cause.UNREADABLE

    @pytest.mark.parametrize(
        "body",
        [
            b"<a>b</a>",
            in_soap(""),
            in_soap(f'<nfeResultMsg xmlns="{SERVICE}"/>'),
            in_result("&lt;a&gt;b&lt;/a&gt;"),
            in_soap('<ret xmlns="http://www.portalfiscal.inf.br.example.com/nfe"/>'),
        ],
    )
    def test_xml_without_a_message_is_unexpected(self, body: bytes) -> None:
        assert not_judged(body).cause is Cause.UNEXPECTED_ANSWER

    def test_detail_has_only_the_beginning_of_the_answer(self) -> None:
        assert not_judged(b"<a>" + b"b " * 100_000 + b"</a>").detail.startswith("a b b")
        for body in (b"x" * 100_000, PAGE.replace(b"502", b"502" * 9_999), b"<a>" + b"b" * 99_999 + b"</a>"):
            assert 0 < len(not_judged(body).detail) <= 200

    @pytest.mark.parametrize("hidden", ["\x85", "\xa0", "\u200b", "\u202e", "\u2028", "\ufeff", "\ue000"])
    def test_detail_has_a_space_for_unprintable_characters(self, hidden: str) -> None:
        fault = in_soap(f"<s:Fault>Erro{hidden}interno</s:Fault>")
        page = f"<html>Erro{hidden}interno</html>".encode()
        bodies = (fault, page, f"<a>{hidden}Erro{hidden * 3}interno{hidden}</a>".encode())
        assert [not_judged(body).detail for body in bodies] == [
            "Erro interno",
            "Erro interno",
            "a Erro interno",
        ]

    def test_detail_has_no_control_characters(self) -> None:
        answer = not_judged(b"\x1b[2J\x00\x07falha\r\nno\x08 servidor\x9b")
        assert answer.cause is Cause.UNREADABLE
        assert answer.detail.endswith(" [2J falha no servidor\ufffd")

    @given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode(errors="replace")))
    def test_detail_of_any_answer_is_printable(self, body: bytes) -> None:
        assert not_judged(body).detail.isprintable()

    @given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="<>&"), max_size=100))
    def test_detail_of_any_fault_is_printable(self, words: str) -> None:
        answer = not_judged(in_soap(f"<s:Fault>{words}</s:Fault>"))
        assert answer.cause is Cause.FAULT
        assert answer.detail.isprintable()

    @given(st.binary(max_size=300))
    def test_any_bytes_give_a_cause_and_no_exception(self, body: bytes) -> None:
        assert not_judged(body).cause in (Cause.EMPTY, Cause.UNREADABLE, Cause.UNEXPECTED_ANSWER, Cause.HTML)

    @given(st.integers(0, len(in_soap(BODY)) - 1), st.integers(0, 255))
    def test_damaged_answer_never_raises(self, place: int, byte: int) -> None:
        body = bytearray(in_soap(BODY))
        body[place] = byte
        answer = open_envelope(bytes(body))
        assert isinstance(answer, NotJudged) or answer.tag.startswith("{http://www.portalfiscal.inf.br/")
