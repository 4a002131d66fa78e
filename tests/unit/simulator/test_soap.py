"""SOAP envelopes, parsed and written."""

import gzip
from base64 import b64encode

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.soap import open_envelope
from carimbo.simulator.sefaz import soap
from carimbo.simulator.sefaz.soap import MessageDamage, SoapFault, SoapVersion, SoapWrapping, open_request
from carimbo.simulator.signatures import signature_of
from unit.simulator.mutating import nfe

SERVICE = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeAutorizacao4"
PLAIN = SoapWrapping(SERVICE, ("nfeDadosMsg",), ("nfeResultMsg",), zipped="nfeDadosMsgZip")
NESTED = SoapWrapping(SERVICE, ("ask", "nfeDadosMsg"), ("askResponse", "askResult"))
NFE = "http://www.portalfiscal.inf.br/nfe"
MESSAGE = f'<consSitNFe xmlns="{NFE}" versao="4.00"><xServ>CONSULTAR</xServ></consSitNFe>'
FOREIGN = (
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
    ' xmlns:wsa="http://www.w3.org/2005/08/addressing" xmlns:n1="urn:um" xmlns:n2="urn:dois"'
)
GZIPPED = gzip.compress(MESSAGE.encode())
V11, V12 = SoapVersion.SOAP_1_1, SoapVersion.SOAP_1_2


def request(
    message: str,
    tag: str = "nfeDadosMsg",
    *,
    version: SoapVersion = V12,
    more: str = "",
    namespace: str = SERVICE,
) -> bytes:
    """Returns a request with a message in its body."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="{version.namespace}"{more}>'
        f'<s:Header/><s:Body><{tag} xmlns="{namespace}">{message}</{tag}></s:Body></s:Envelope>'
    ).encode()


def zipped(content: bytes) -> str:
    return b64encode(gzip.compress(content)).decode()


def fault_of(body: bytes, wrapping: SoapWrapping = PLAIN) -> SoapFault:
    with pytest.raises(SoapFault) as raised:
        open_request(body, wrapping)
    return raised.value


class TestOpening:
    @pytest.mark.parametrize("version", list(SoapVersion))
    def test_message_is_the_root_of_its_own_tree(self, version: SoapVersion) -> None:
        opened = open_request(request(MESSAGE, version=version), PLAIN)
        assert (opened.version, opened.encoding, opened.damage) == (version, "UTF-8", None)
        assert opened.root.getparent() is None
        assert etree.tostring(opened.root).decode() == MESSAGE
        assert opened.text.decode() == MESSAGE

    def test_message_may_be_nested(self) -> None:
        inside = f"<nfeDadosMsg>{MESSAGE}</nfeDadosMsg>"
        opened = open_request(request(inside, "ask"), NESTED)
        assert opened.root.tag == f"{{{NFE}}}consSitNFe"

    def test_message_may_be_nested_in_the_operation_as_in_mato_grosso(self) -> None:
        inside = f"<nfeDadosMsg>{MESSAGE}</nfeDadosMsg>"
        opened = open_request(request(inside, "consultaCadastro"), PLAIN)
        assert opened.root.tag == f"{{{NFE}}}consSitNFe"

    def test_signature_is_valid_in_an_envelope_with_foreign_prefixes(self, signer: Signer) -> None:
        body = request(nfe(signer).decode(), more=FOREIGN)
        whole = etree.fromstring(body).find(f".//{{{NFE}}}NFe")
        assert whole is not None
        among_prefixes, alone = signature_of(whole), signature_of(open_request(body, PLAIN).root)
        assert among_prefixes
        assert not among_prefixes.verifies
        assert alone
        assert alone.verifies

    def test_prefixes_that_the_message_uses_are_kept(self) -> None:
        message = f'<n:consSitNFe xmlns:n="{NFE}"/>'
        assert open_request(request(message), PLAIN).root.prefix == "n"

    def test_white_space_around_the_message_is_ignored(self) -> None:
        opened = open_request(request(f"\n  {MESSAGE}\n"), PLAIN)
        assert opened.root.tail is None
        assert etree.tostring(opened.root).decode() == MESSAGE

    def test_request_in_another_encoding_is_parsed_and_its_encoding_reported(self) -> None:
        message = MESSAGE.replace("CONSULTAR", "AÇÃO")
        body = request(message).decode().replace("utf-8", "ISO-8859-1").encode("latin-1")
        opened = open_request(body, PLAIN)
        assert opened.encoding == "ISO-8859-1"
        assert opened.root.findtext(f"{{{NFE}}}xServ") == "AÇÃO"

    def test_byte_order_mark_is_ignored(self) -> None:
        assert open_request(b"\xef\xbb\xbf" + request(MESSAGE), PLAIN).encoding == "UTF-8"


class TestZipped:
    def test_zipped_message_is_opened(self) -> None:
        opened = open_request(request(zipped(MESSAGE.encode()), "nfeDadosMsgZip"), PLAIN)
        assert (opened.damage, opened.text.decode()) == (None, MESSAGE)
        assert opened.root.tag == f"{{{NFE}}}consSitNFe"

    @pytest.mark.parametrize("text", ["não é base64", b64encode(b"sem gzip").decode(), ""])
    def test_message_that_is_not_zipped_is_reported(self, text: str) -> None:
        opened = open_request(request(text, "nfeDadosMsgZip"), PLAIN)
        assert opened.damage is MessageDamage.NOT_ZIPPED

    @pytest.mark.parametrize("content", [GZIPPED[:-12], GZIPPED + b"more"], ids=["cut", "goes on"])
    def test_truncated_or_extended_zip_is_reported(self, content: bytes) -> None:
        opened = open_request(request(b64encode(content).decode(), "nfeDadosMsgZip"), PLAIN)
        assert opened.damage is MessageDamage.NOT_ZIPPED

    def test_zipped_content_that_is_no_xml_is_reported(self) -> None:
        opened = open_request(request(zipped(b"<aberto>"), "nfeDadosMsgZip"), PLAIN)
        assert opened.damage is MessageDamage.MALFORMED

    def test_zip_bomb_is_opened_only_up_to_the_message_limit(self) -> None:
        opened = open_request(request(zipped(b"<a>" + b" " * 50_000_000), "nfeDadosMsgZip"), PLAIN)
        assert opened.damage is MessageDamage.TOO_LARGE

    def test_service_without_zip_support_refuses_a_zipped_message(self) -> None:
        body = request(zipped(MESSAGE.encode()), "nfeDadosMsgZip")
        assert "não tem o elemento ask/nfeDadosMsg" in str(fault_of(body, NESTED))


class TestFaults:
    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            (b"", "vazio"),
            (b"ol\xc3\xa1", "mal formado"),
            (b"<a/>", "não é um envelope SOAP"),
            (b"<Envelope><Body/></Envelope>", "não é um envelope SOAP"),
            (request(MESSAGE)[:-20], "mal formado"),
            (request(MESSAGE, "outroMsg"), "não tem o elemento nfeDadosMsg"),
            (request(MESSAGE, namespace="urn:outro"), "não tem o elemento nfeDadosMsg"),
            (request("só texto"), "não tem mensagem"),
            (b'<?xml version="1.0" encoding="CP-NENHUM"?><a/>', "codificação desconhecida"),
            (b'<?xml version="1.0" encoding="US-ASCII"?><a>\xff</a>', "codificação que declara, US-ASCII"),
        ],
    )
    def test_invalid_call_is_reported(self, body: bytes, reason: str) -> None:
        assert reason in str(fault_of(body))

    @pytest.mark.parametrize("encoding", ["utf-8", "ISO-8859-1"])
    def test_entity_bomb_is_refused_unparsed(self, encoding: str) -> None:
        entities = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        body = request(f"<a>{'&b;' * 1000}</a>").decode().replace("utf-8", encoding)
        bomb = body.replace("?>", f"?>{entities}", 1).encode()
        assert "DOCTYPE" in str(fault_of(bomb))

    @pytest.mark.parametrize("encoding", ["punycode", "undefined", "rot13", "utf-7", "x" * 100])
    def test_unusual_encoding_is_refused_undecoded(self, encoding: str) -> None:
        body = f"<?xml version='1.0' encoding='{encoding}'?>".encode() + b"x" * 100 + b"-" + b"a" * 500_000
        with pytest.raises(SoapFault, match="codificação desconhecida"):
            open_request(body, PLAIN)

    def test_too_many_namespaces_are_refused(self) -> None:
        crowd = "".join(f' xmlns:n{number}="urn:{number}"' for number in range(2_000))
        with pytest.raises(SoapFault, match="namespaces demais"):
            open_request(request(MESSAGE, more=crowd), PLAIN)

    def test_deeply_nested_elements_are_refused(self) -> None:
        assert "níveis" in str(fault_of(request("<a>" * 200 + "</a>" * 200)))

    def test_fault_has_the_soap_version_of_the_request(self) -> None:
        reason = fault_of(request("só texto", version=V11))
        reply = soap.fault(str(reason), reason.version)
        assert (reply.status, reply.media_type) == (500, "text/xml; charset=utf-8")
        root = etree.fromstring(reply.body)
        assert root.tag == f"{{{V11.namespace}}}Envelope"
        assert root.findtext(".//faultcode") == "soap:Client"
        assert "não tem mensagem" in (root.findtext(".//faultstring") or "")

    def test_fault_of_soap_1_2_has_code_and_reason(self) -> None:
        reply = soap.fault("Isto < aquilo")
        root = etree.fromstring(reply.body)
        reason = root.findtext(f".//{{{V12.namespace}}}Text")
        assert (reply.status, reason) == (500, "Isto < aquilo")
        assert root.findtext(f".//{{{V12.namespace}}}Value") == "soap:Sender"


class TestAnswering:
    def test_answer_is_in_the_namespace_of_the_service(self) -> None:
        reply = soap.answer(V12, PLAIN, MESSAGE)
        assert (reply.status, reply.media_type) == (200, "application/soap+xml; charset=utf-8")
        wrapper = etree.fromstring(reply.body).find(f".//{{{SERVICE}}}nfeResultMsg")
        assert wrapper is not None
        assert wrapper[0].tag == f"{{{NFE}}}consSitNFe"

    def test_answer_may_be_nested(self) -> None:
        reply = soap.answer(V11, NESTED, MESSAGE)
        path = f"{{{V11.namespace}}}Body/{{{SERVICE}}}askResponse/{{{SERVICE}}}askResult/{{{NFE}}}consSitNFe"
        assert etree.fromstring(reply.body).find(path) is not None

    def test_answer_is_read_by_our_own_client(self) -> None:
        message = open_envelope(soap.answer(V12, PLAIN, MESSAGE).body)
        assert isinstance(message, etree._Element)
        assert message.tag == f"{{{NFE}}}consSitNFe"
