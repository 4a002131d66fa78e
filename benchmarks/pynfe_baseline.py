"""The same sales through PyNFe, with its own classes from entity to SOAP text.

PyNFe 0.6.5 knows no IBS and CBS, so it races on sales of the Simples Nacional. Its package has no XSDs; its
validation gets the official ones that carimbo uses.
"""

from typing import Any

from lxml import etree
from pynfe.entidades import Cliente, Emitente, NotaFiscal
from pynfe.entidades.fonte_dados import _fonte_dados
from pynfe.processamento.assinatura import AssinaturaA1
from pynfe.processamento.comunicacao import ComunicacaoSefaz
from pynfe.processamento.serializacao import SerializacaoXML
from pynfe.processamento.validacao import Validacao
from pynfe.utils.flags import NAMESPACE_NFE, VERSAO_PADRAO

from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.money import cents
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.parties.recipient import Contribution, RecipientBody, contribution_of, split_tax_id
from carimbo.fiscal.schemas import Schema, Schemas
from invoices import EXAMPLES, Sale, company

_BRAZIL = "1058"


class PyNfe:
    """PyNFe with the company's certificate, set up once for all documents."""

    def __init__(self) -> None:
        seller = company(TaxRegime.SIMPLES)
        pfx, password = str(EXAMPLES / seller.certificate.file), seller.certificate.password
        self._signer = AssinaturaA1(pfx, password)
        self._validation = Validacao()
        self._sender = ComunicacaoSefaz(seller.address.state, pfx, password)
        self._xsd = str(Schemas().file_of(Schema.NFE).path)

    def make(self, sale: Sale) -> bytes:
        """Make one document: entities, XML, signature, XSD, SOAP text."""
        _enter(sale)
        signed = self._signer.assinar(SerializacaoXML(_fonte_dados).exportar())
        if not self._validation.validar_etree(signed, self._xsd):
            raise RuntimeError("PyNFe made a document that the XSD refuses")
        return self._soap_text(sale.issuance.emission.number, signed)

    def _soap_text(self, lot: int, signed: etree._Element) -> bytes:
        """What `autorizacao` does before it opens the certificate again and connects."""
        message = etree.Element("enviNFe", xmlns=NAMESPACE_NFE, versao=VERSAO_PADRAO)
        etree.SubElement(message, "idLote").text = str(lot)
        etree.SubElement(message, "indSinc").text = "1"
        message.append(signed)
        envelope = self._sender._construir_xml_soap("NFeAutorizacao4", message)
        text: str = etree.tostring(envelope, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()


def _enter(sale: Sale) -> None:
    """Put the sale into PyNFe's store of objects, where its serializer looks for it."""
    request, seller, emission = sale.request, sale.issuance.company, sale.issuance.emission
    invoice = NotaFiscal(
        emitente=_seller(seller),
        cliente=_buyer(request.recipient),
        uf=seller.address.state,
        codigo_numerico_aleatorio=emission.numeric_code,
        natureza_operacao=request.nature,
        modelo=55,
        serie=str(emission.series),
        numero_nf=str(emission.number),
        data_emissao=emission.issued_at,
        tipo_documento=1,
        municipio=seller.address.city_code,
        tipo_impressao_danfe=1,
        forma_emissao="1",
        finalidade_emissao=1,
        cliente_final=int(contribution_of(request.recipient) is Contribution.NONE),
        indicador_destino=1,
        indicador_presencial=1,
        transporte_modalidade_frete=9,
    )
    for item in request.items:
        invoice.adicionar_produto_servico(**_product(item), **_taxes(item))
    invoice.adicionar_pagamento(t_pag="01", v_pag=invoice.totais_icms_total_nota)


def _seller(company: Company) -> Emitente:
    address = company.address
    return Emitente(
        cnpj=company.tax_id,
        razao_social=company.legal_name,
        nome_fantasia=company.trade_name,
        codigo_de_regime_tributario=company.tax_regime.crt,
        inscricao_estadual=company.registration_in(address.state),
        endereco_logradouro=address.street,
        endereco_numero=address.number,
        endereco_bairro=address.district,
        endereco_municipio=address.city,
        endereco_uf=address.state,
        endereco_cep=address.zipcode,
        endereco_pais=_BRAZIL,
        endereco_telefone=company.phone,
    )


def _buyer(recipient: RecipientBody) -> Cliente:
    address: Any = recipient.address
    cnpj, _ = split_tax_id(recipient.tax_id)
    return Cliente(
        razao_social=recipient.name,
        tipo_documento="CNPJ" if cnpj else "CPF",
        numero_documento=recipient.tax_id,
        indicador_ie=int(contribution_of(recipient).code),
        inscricao_estadual=recipient.state_registration,
        email=recipient.email,
        endereco_logradouro=address.street,
        endereco_numero=address.number,
        endereco_bairro=address.district,
        endereco_municipio=address.city,
        endereco_uf=address.state,
        endereco_cep=address.zipcode,
        endereco_pais=_BRAZIL,
    )


def _product(item: ItemBody) -> dict[str, object]:
    return {
        "codigo": item.sku,
        "ean": item.gtin,
        "ean_tributavel": item.gtin,
        "descricao": item.description,
        "ncm": item.ncm,
        "cfop": "5102",
        "unidade_comercial": item.unit,
        "unidade_tributavel": item.unit,
        "quantidade_comercial": item.quantity,
        "quantidade_tributavel": item.quantity,
        "valor_unitario_comercial": item.price,
        "valor_unitario_tributavel": item.price,
        "valor_total_bruto": cents(item.quantity * item.price),
        "ind_total": 1,
        # The serializer asks for it though the class does not declare it.
        "valor_tributos_aprox": None,
    }


def _taxes(item: ItemBody) -> dict[str, object]:
    """What carimbo writes for a company of the Simples Nacional that says nothing else."""
    return {
        "icms_modalidade": "102",
        "icms_csosn": "102",
        "icms_origem": item.origin or "0",
        "pis_modalidade": "49",
        "cofins_modalidade": "49",
    }
