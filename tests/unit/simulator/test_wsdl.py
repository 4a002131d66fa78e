"""Descriptions of services, which clients make themselves from."""

import pytest
from lxml import etree

from carimbo.simulator.nfe.services import SERVICES
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.wsdl import description

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
    reply = description(SERVICES.by_name[name.lower()].description, ADDRESS)
    assert (reply.status, reply.media_type) == (200, "text/xml; charset=utf-8")
    return etree.fromstring(reply.body)


def attributes(root: etree._Element, path: str, name: str) -> list[str]:
    return [element.get(name, "") for element in root.findall(path, NAMES)]


class TestDescription:
    def test_every_service_is_described(self) -> None:
        assert {service.name for service in SERVICES.by_name.values()} == set(OPERATIONS)

    @each_service
    def test_it_names_its_operations_as_the_authorities_do(self, name: str) -> None:
        root = wsdl(name)
        assert attributes(root, "w:portType/w:operation", "name") == OPERATIONS[name]
        namespace = f"http://www.portalfiscal.inf.br/nfe/wsdl/{name}"
        actions = [f"{namespace}/{operation}" for operation in OPERATIONS[name]]
        assert attributes(root, "w:binding/w:operation/s12:operation", "soapAction") == actions
        assert root.get("targetNamespace") == namespace

    @each_service
    def test_it_tells_its_address(self, name: str) -> None:
        assert attributes(wsdl(name), "w:service/w:port/s12:address", "location") == [ADDRESS]

    @each_service
    def test_what_it_refers_to_is_there(self, name: str) -> None:
        root = wsdl(name)
        elements = {f"tns:{one}" for one in attributes(root, "w:types/s:schema/s:element", "name")}
        messages = {f"tns:{one}" for one in attributes(root, "w:message", "name")}
        asked = attributes(root, "w:portType/w:operation/w:input", "message")
        answered = attributes(root, "w:portType/w:operation/w:output", "message")
        assert set(attributes(root, "w:message/w:part", "element")) == elements
        assert {*asked, *answered} == messages
        assert attributes(root, "w:binding", "type") == [f"tns:{name}Soap"]
        assert attributes(root, "w:service/w:port", "binding") == [f"tns:{name}Soap12"]

    def test_the_types_are_a_schema(self) -> None:
        for name in OPERATIONS:
            found = wsdl(name).find("w:types/s:schema", NAMES)
            assert found is not None
            etree.XMLSchema(etree.fromstring(etree.tostring(found)))

    def test_the_distribution_has_its_operation_as_an_element(self) -> None:
        elements = attributes(wsdl("NFeDistribuicaoDFe"), "w:types/s:schema/s:element", "name")
        assert elements == ["nfeDistDFeInteresse", "nfeDistDFeInteresseResponse"]


class TestServiceAt:
    """Which service a path names."""

    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("nfeconsultaprotocolo4.asmx", "NFeConsultaProtocolo4"),
            ("NfeConsulta4", "NFeConsultaProtocolo4"),
            ("RecepcaoEvento4.asmx", "NFeRecepcaoEvento4"),
        ],
    )
    def test_states_write_names_in_their_own_ways(self, path: str, name: str) -> None:
        found = SERVICES.at(Place("RS", HOMOLOGATION, "nfe", path), "55")
        assert found is not None
        assert found.name == name

    def test_what_an_authority_does_not_have_is_none(self) -> None:
        assert SERVICES.at(Place("SVCAN", HOMOLOGATION, "nfe", "NFeInutilizacao4"), "55") is None
        assert SERVICES.at(Place("SP", HOMOLOGATION, "nfe", "NFeNada4"), "55") is None

    def test_the_national_environment_has_another_operation_for_events(self) -> None:
        national = SERVICES.at(Place("AN", HOMOLOGATION, "nfe", "NFeRecepcaoEvento4"), "55")
        assert national is not None
        assert national.wrapping.answers == ("nfeRecepcaoEventoNFResult",)
        root = etree.fromstring(description(national.description, ADDRESS).body)
        assert attributes(root, "w:portType/w:operation", "name") == ["nfeRecepcaoEventoNF"]
