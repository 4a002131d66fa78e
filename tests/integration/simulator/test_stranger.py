"""PyNFe, an independent client, issues and cancels an NF-e at the simulator.

Only its addresses are changed; it never checks certificates.
"""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from pynfe.entidades.cliente import Cliente
from pynfe.entidades.emitente import Emitente
from pynfe.entidades.evento import EventoCancelarNota
from pynfe.entidades.fonte_dados import _fonte_dados
from pynfe.entidades.notafiscal import NotaFiscal
from pynfe.processamento.assinatura import AssinaturaA1
from pynfe.processamento.comunicacao import ComunicacaoSefaz
from pynfe.processamento.serializacao import SerializacaoXML
from pynfe.utils.webservices import NFE

from carimbo.simulator.program.run import Simulator
from support import CNPJ

PASSWORD = "carimbo"
SERVICES = {
    "STATUS": "NFeStatusServico4",
    "AUTORIZACAO": "NFeAutorizacao4",
    "CHAVE": "NFeConsultaProtocolo4",
    "INUTILIZACAO": "NFeInutilizacao4",
    "EVENTOS": "NFeRecepcaoEvento4",
    "CADASTRO": "CadConsultaCadastro4",
}
SELLER: dict[str, Any] = {
    "razao_social": "LOJA MODELO LTDA",
    "nome_fantasia": "LOJA MODELO",
    "cnpj": CNPJ,
    "codigo_de_regime_tributario": "1",
    "inscricao_estadual": "111111110110",
    "endereco_logradouro": "Praça da Sé",
    "endereco_numero": "100",
    "endereco_bairro": "Sé",
    "endereco_municipio": "São Paulo",
    "endereco_uf": "SP",
    "endereco_cep": "01001000",
    "endereco_pais": "1058",
}
BUYER: dict[str, Any] = {
    "razao_social": "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL",
    "tipo_documento": "CPF",
    "numero_documento": "52998224725",
    "indicador_ie": 9,
    "endereco_logradouro": "Rua Direita",
    "endereco_numero": "10",
    "endereco_bairro": "Sé",
    "endereco_municipio": "São Paulo",
    "endereco_uf": "SP",
    "endereco_cep": "01002000",
    "endereco_pais": "1058",
}
INVOICE: dict[str, Any] = {
    "uf": "SP",
    "natureza_operacao": "VENDA",
    "modelo": 55,
    "serie": "1",
    "numero_nf": "111",
    "tipo_documento": 1,
    "municipio": "3550308",
    "tipo_impressao_danfe": 1,
    "forma_emissao": "1",
    "cliente_final": 1,
    "indicador_destino": 1,
    "indicador_presencial": 1,
    "finalidade_emissao": "1",
    "processo_emissao": "0",
    "transporte_modalidade_frete": 9,
    "totais_tributos_aproximado": Decimal("21.06"),
}
ITEM: dict[str, Any] = {
    "codigo": "000328",
    "descricao": "Caneca",
    "ncm": "69120000",
    "cfop": "5102",
    "unidade_comercial": "UN",
    "ean": "SEM GTIN",
    "ean_tributavel": "SEM GTIN",
    "quantidade_comercial": Decimal("12"),
    "valor_unitario_comercial": Decimal("9.75"),
    "valor_total_bruto": Decimal("117.00"),
    "unidade_tributavel": "UN",
    "quantidade_tributavel": Decimal("12"),
    "valor_unitario_tributavel": Decimal("9.75"),
    "ind_total": 1,
    "icms_modalidade": "102",
    "icms_origem": 0,
    "icms_csosn": "102",
    "pis_modalidade": "07",
    "cofins_modalidade": "07",
    "valor_tributos_aprox": "21.06",
}
PAYMENT: dict[str, Any] = {"t_pag": "01", "x_pag": "", "v_pag": Decimal("117.00"), "ind_pag": 0}
# PyNFe never verifies the server's certificate.
pytestmark = pytest.mark.filterwarnings("ignore:Unverified HTTPS request")


@pytest.fixture(scope="module")
def pynfe(simulator: Simulator, pfx_file: Path) -> Iterator[ComunicacaoSefaz]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(NFE["SP"], "HOMOLOGACAO", f"{simulator.url}/sp/nfe/")
        for name, service in SERVICES.items():
            patch.setitem(NFE["SP"], name, service)
        yield ComunicacaoSefaz("SP", str(pfx_file), PASSWORD, homologacao=True)


def signed(content: etree._Element, pfx_file: Path) -> etree._Element:
    done: etree._Element = AssinaturaA1(str(pfx_file), PASSWORD).assinar(content)
    return done


def local_time() -> datetime:
    """Returns the local time: PyNFe writes the machine's offset after any time."""
    return datetime.now(UTC).astimezone()


def sale() -> etree._Element:
    """Returns a sale as in PyNFe's documentation."""
    now = local_time()
    invoice = NotaFiscal(
        emitente=Emitente(**SELLER),
        cliente=Cliente(**BUYER),
        data_emissao=now,
        data_saida_entrada=now,
        **INVOICE,
    )
    invoice.adicionar_produto_servico(**ITEM)
    invoice.adicionar_pagamento(**PAYMENT)
    written: etree._Element = SerializacaoXML(_fonte_dados, homologacao=True).exportar()
    return written


@pytest.fixture(scope="module")
async def authorized(pynfe: ComunicacaoSefaz, pfx_file: Path) -> etree._Element:
    """The document with its protocol, as PyNFe returns it."""
    _fonte_dados.limpar_dados()
    document = signed(sale(), pfx_file)
    sent: tuple[Any, ...] = await asyncio.to_thread(pynfe.autorizacao, "nfe", document)
    assert sent[0] == 0, sent[1].text
    authorized_document: etree._Element = sent[1]
    return authorized_document


def texts(answer: etree._Element, tag: str) -> list[str | None]:
    return [element.text for element in answer.iter(f"{{*}}{tag}")]


class TestPynfe:
    async def test_pynfe_gets_the_status(self, pynfe: ComunicacaoSefaz) -> None:
        answer = await asyncio.to_thread(pynfe.status_servico, "nfe")
        assert texts(etree.fromstring(answer.content), "cStat") == ["107"]

    def test_pynfe_gets_its_document_authorized(self, authorized: etree._Element) -> None:
        assert texts(authorized, "cStat") == ["100"]

    async def test_pynfe_finds_its_document(
        self, pynfe: ComunicacaoSefaz, authorized: etree._Element
    ) -> None:
        (key,) = texts(authorized, "chNFe")
        answer = await asyncio.to_thread(pynfe.consulta_nota, "nfe", key)
        assert texts(etree.fromstring(answer.content), "cStat") == ["100", "100"]

    async def test_pynfe_gets_its_cancellation_registered(
        self, pynfe: ComunicacaoSefaz, authorized: etree._Element, pfx_file: Path
    ) -> None:
        (key,), (protocol,) = texts(authorized, "chNFe"), texts(authorized, "nProt")
        _fonte_dados.limpar_dados()
        event = EventoCancelarNota(
            cnpj=CNPJ,
            chave=key,
            data_emissao=local_time(),
            uf="SP",
            protocolo=protocol,
            justificativa="Venda desfeita a pedido do cliente",
        )
        content = SerializacaoXML(_fonte_dados, homologacao=True).serializar_evento(event)
        answer = await asyncio.to_thread(pynfe.evento, "nfe", signed(content, pfx_file))
        assert texts(etree.fromstring(answer.content), "cStat") == ["128", "135"]
