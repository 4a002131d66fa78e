"""The WSDL of each service."""

import pytest
from lxml import etree

from carimbo.simulator.family import HOMOLOGATION, ServicePath
from carimbo.simulator.nfe.family import SERVICES
from carimbo.simulator.sefaz.services import wsdl_reply

NAMES = {
    "w": "http://schemas.xmlsoap.org/wsdl/",
    "s12": "http://schemas.xmlsoap.org/wsdl/soap12/",
    "s": "http://www.w3.org/2001/XMLSchema",
}
ADDRESS = "https://localhost:8443/sp/nfe/NFeAutorizacao4?a=1&b=2"
OPERATIONS = {
    "NFeAutorizacao4": ["nfeAutorizacaoLote", "nfeAutorizacaoLoteZip"],
    "NFeRetAutorizacao4": ["nfeRetAutorizacaoLote"],
    "NFeConsultaProtocolo4": ["nfeConsultaNF"],
    "NFeStatusServico4": ["nfeStatusServicoNF"],
    "NFeInutilizacao4": ["nfeInutilizacaoNF"],
    "NFeRecepcaoEvento4": ["nfeRecepcaoEvento"],
    "CadConsultaCadastro4": ["consultaCadastro"],
    "NFeDistribuicaoDFe": ["nfeDistDFeInteresse"],
}
each_service = pytest.mark.parametrize("name", OPERATIONS)


def wsdl(name: str) -> etree._Element:
    reply = wsdl_reply(SERVICES.by_name[name.lower()].description, ADDRESS)
    assert (reply.status, reply.media_type) == (200, "text/xml; charset=utf-8")
    return etree.fromstring(reply.body)


def attributes(root: etree._Element, path: str, name: str) -> list[str]:
    return [element.get(name, "") for element in root.findall(path, NAMES)]


class TestDescription:
    def test_every_service_is_described(self) -> None:
        assert {service.name for service in SERVICES.by_name.values()} == set(OPERATIONS)

    @each_service
    def test_wsdl_has_the_official_operation_names(self, name: str) -> None:
        root = wsdl(name)
        assert attributes(root, "w:portType/w:operation", "name") == OPERATIONS[name]
        namespace = f"http://www.portalfiscal.inf.br/nfe/wsdl/{name}"
        actions = [f"{namespace}/{operation}" for operation in OPERATIONS[name]]
        assert attributes(root, "w:binding/w:operation/s12:operation", "soapAction") == actions
        assert root.get("targetNamespace") == namespace

    @each_service
    def test_wsdl_has_the_address_of_the_service(self, name: str) -> None:
        assert attributes(wsdl(name), "w:service/w:port/s12:address", "location") == [ADDRESS]

    @each_service
    def test_wsdl_contains_everything_that_it_refers_to(self, name: str) -> None:
        root = wsdl(name)
        elements = {f"tns:{element}" for element in attributes(root, "w:types/s:schema/s:element", "name")}
        messages = {f"tns:{message}" for message in attributes(root, "w:message", "name")}
        inputs = attributes(root, "w:portType/w:operation/w:input", "message")
        outputs = attributes(root, "w:portType/w:operation/w:output", "message")
        assert set(attributes(root, "w:message/w:part", "element")) == elements
        assert {*inputs, *outputs} == messages
        assert attributes(root, "w:binding", "type") == [f"tns:{name}Soap"]
        assert attributes(root, "w:service/w:port", "binding") == [f"tns:{name}Soap12"]

    def test_wsdl_types_are_a_valid_schema(self) -> None:
        for name in OPERATIONS:
            schema = wsdl(name).find("w:types/s:schema", NAMES)
            assert schema is not None
            etree.XMLSchema(etree.fromstring(etree.tostring(schema)))

    def test_distribution_has_its_operation_as_an_element(self) -> None:
        elements = attributes(wsdl("NFeDistribuicaoDFe"), "w:types/s:schema/s:element", "name")
        assert elements == ["nfeDistDFeInteresse", "nfeDistDFeInteresseResponse"]


class TestServiceAt:
    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("nfeconsultaprotocolo4.asmx", "NFeConsultaProtocolo4"),
            ("NfeConsulta4", "NFeConsultaProtocolo4"),
            ("RecepcaoEvento4.asmx", "NFeRecepcaoEvento4"),
        ],
    )
    def test_state_specific_service_names_are_recognized(self, path: str, name: str) -> None:
        service = SERVICES.at(ServicePath("RS", HOMOLOGATION, "nfe", path), "55")
        assert service is not None
        assert service.name == name

    def test_service_that_an_authority_lacks_is_none(self) -> None:
        assert SERVICES.at(ServicePath("SVCAN", HOMOLOGATION, "nfe", "NFeInutilizacao4"), "55") is None
        assert SERVICES.at(ServicePath("SP", HOMOLOGATION, "nfe", "NFeNada4"), "55") is None

    def test_national_environment_has_another_event_operation(self) -> None:
        national = SERVICES.at(ServicePath("AN", HOMOLOGATION, "nfe", "NFeRecepcaoEvento4"), "55")
        assert national is not None
        assert national.wrapping.answers == ("nfeRecepcaoEventoNFResult",)
        root = etree.fromstring(wsdl_reply(national.description, ADDRESS).body)
        assert attributes(root, "w:portType/w:operation", "name") == ["nfeRecepcaoEventoNF"]
