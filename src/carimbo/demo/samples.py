"""The requests of the demo: documents of a small shop and a sale; one is rejected, two lose an answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """A request for a document, or for a sale with several documents."""

    title: str
    collection: str
    """The path below the company that it is posted to."""
    about: str
    """One line about it, in Portuguese."""
    body: Mapping[str, Any]


_HOME: Mapping[str, Any] = {
    "zipcode": "01001-000", "street": "Praça da Sé", "number": "100",
    "district": "Sé", "city": "São Paulo", "state": "SP",
}  # fmt: skip
_BUYER: Mapping[str, Any] = {
    "taxId": "529.982.247-25",
    "name": "Maria da Silva",
    "email": "maria@example.com",
}
NFE_BODY: Mapping[str, Any] = {
    "recipient": {**_BUYER, "address": _HOME},
    "items": [{"description": "Caneca de cerâmica", "ncm": "69120000", "quantity": 2, "unitValue": 29.9}],
    "payments": [{"method": "pix", "amount": 59.8}],
}
CATALOG: tuple[Mapping[str, Any], ...] = (
    {
        "type": "service", "name": "Programa de estoque", "sku": "programa-estoque",
        "category": "saas", "price": 89.9, "guarantee": 7,
    },
    {
        "type": "product", "name": "Leitor de código de barras", "sku": "leitor-usb",
        "category": "informática", "price": 219.9, "ncm": "8471.90.12",
    },
)  # fmt: skip
SALE_BODY: Mapping[str, Any] = {
    "customer": {
        "document": "529.982.247-25",
        "name": "Maria da Silva",
        "email": "maria@example.com",
        "address": _HOME,
    },
    "products": [{"sku": item["sku"]} for item in CATALOG],
    "paymentMethod": "pix",
    "shipping": 15,
}
_STATIONER: Mapping[str, Any] = {
    "taxId": "44.455.566/0001-83",
    "name": "Papelaria Central Ltda",
    "email": "compras@example.com",
    "address": {
        "zipcode": "13010-001", "street": "Rua Barão de Jaguara", "number": "901",
        "district": "Centro", "city": "Campinas", "state": "SP",
    },
}  # fmt: skip
_LOST_ANSWER: Mapping[str, Any] = {
    "recipient": {**_STATIONER, "stateRegistration": "110.042.490.114"},
    "items": [
        {"description": "Caderno de 200 folhas", "ncm": "48201000", "quantity": 6, "unitValue": 12.5},
        {"description": "Caneta esferográfica azul", "ncm": "96081000", "quantity": 10, "unitValue": 1.75},
    ],
    "payments": [{"method": "boleto", "amount": 92.5}],
    "notes": "SIMULA:RESPOSTA_PERDIDA",
}
_CASH: Mapping[str, Any] = {
    "paymentMethod": "cash",
    "payments": [{"method": "cash", "amount": 50}],
    "change": 12.5,
    "items": [{"description": "Caneca esmaltada", "ncm": "73239400", "quantity": 3, "unitValue": 12.5}],
}
_CARDS: Mapping[str, Any] = {
    "recipient": _BUYER,
    "paymentMethod": "creditCard",
    "payments": [{"method": "debitCard", "amount": 30}, {"method": "creditCard", "amount": 49.9}],
    "items": [{"description": "Luminária de mesa", "ncm": "94052100", "quantity": 1, "unitValue": 79.9}],
}
# A wrong year. Our rules only warn, as the authorities of some states accept such a date.
_REJECTED: Mapping[str, Any] = {
    "recipient": {**_BUYER, "address": _HOME},
    "items": [{"description": "Camiseta de algodão", "ncm": "61091000", "quantity": 1, "unitValue": 49.9}],
    "payments": [{"method": "pix", "amount": 49.9}],
    "departedAt": "2016-11-20T09:00:00-03:00",
}
_SUBSCRIPTION: Mapping[str, Any] = {
    "serviceDescription": "Assinatura do {nomeProduto}, competência {competencia}",
    "name": "Plano Loja Virtual",
    "sku": "plano-loja-virtual",
    "category": "saas",
    "amount": 149.9,
    "borrower": _BUYER,
}
_LICENCE: Mapping[str, Any] = {
    "serviceDescription": "Licença de uso de programa de estoque",
    "cityServiceCode": "02800",
    "federalServiceCode": "01.05",
    "iss": {"rate": 2, "isWithheld": True},
    "amount": 1200,
    "borrower": _STATIONER,
    "notes": "SIMULA:RESPOSTA_PERDIDA",
}
_FREIGHT: Mapping[str, Any] = {
    "municipalityStartIbge": "3509502",
    "municipalityEndIbge": "3304557",
    "shipper": {**_STATIONER, "stateRegistration": "110.042.490.114"},
    "recipient": {
        "taxId": "11.444.777/0001-61",
        "name": "Lojas Guanabara Ltda",
        "stateRegistration": "99999993",
        "address": {
            "zipcode": "20040-030", "street": "Rua do Ouvidor", "number": "50",
            "district": "Centro", "city": "Rio de Janeiro", "state": "RJ",
        },
    },
    "cargo": {
        "amount": 4800,
        "predominantProduct": "Material de papelaria",
        "quantities": [{"unit": "KG", "quantity": 320.5}, {"unit": "UNIT", "quantity": 16}],
    },
    "documents": {"others": [{"type": "declaration", "number": "55", "amount": 4800}]},
    "serviceAmount": 640,
    "icms": {},
}  # fmt: skip

_CHARTER: Mapping[str, Any] = {
    "serviceType": "passengers",
    "serviceDescription": "Fretamento eventual de ônibus",
    "serviceQuantity": 42,
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "3304557",
    "takerParty": {**_STATIONER, "stateRegistration": "110.042.490.114"},
    "taf": "123456789012",
    "vehicle": {"plate": "ABC1D23", "state": "SP"},
    "charter": {"type": "continuous"},
    "serviceAmount": 4100,
    "icms": {},
    "federalTaxes": {"inss": 143.5},
}

SAMPLES = (
    SampleRequest("NF-e", "nfe", "duas canecas, pagas com Pix", NFE_BODY),
    SampleRequest("NF-e", "nfe", "boleto; a resposta se perde e é consultada", _LOST_ANSWER),
    SampleRequest("NFS-e", "nfse", "assinatura, com os padrões da empresa", _SUBSCRIPTION),
    SampleRequest("NFS-e", "nfse", "ISS retido; a resposta se perde e é consultada", _LICENCE),
    SampleRequest("CT-e", "cte", "frete rodoviário, pago pelo remetente", _FREIGHT),
    SampleRequest("CT-e OS", "cte-os", "fretamento de ônibus para uma empresa", _CHARTER),
    SampleRequest("Venda", "sales", "da mesma venda: um serviço e um produto", SALE_BODY),
    SampleRequest("NFC-e", "nfce", "em dinheiro, com troco", _CASH),
    SampleRequest("NFC-e", "nfce", "parte no débito, parte no crédito", _CARDS),
    SampleRequest("NF-e", "nfe", "saída com o ano errado; rejeitada de propósito", _REJECTED),
)
# Where the trip with the goods of an NF-e ends: at the home of the buyer.
ARRIVAL: Mapping[str, Any] = {"cityCode": "3550308"}


def manifest_of(access_key: str) -> SampleRequest:
    """Returns the MDF-e of a trip that takes the goods of an own NF-e to the buyer."""
    body: Mapping[str, Any] = {
        "modal": {
            "vehicle": {
                "plate": "FGH2J45",
                "state": "SP",
                "tareKg": 6800,
                "wheelType": "toco",
                "bodyType": "closed",
            }
        },
        "drivers": [{"name": "João Batista Pereira", "taxId": "529.982.247-25"}],
        "fromDocuments": True,
        "documents": [{"nfeAccessKeys": [access_key]}],
        "cargoQuantity": 2.4,
    }
    return SampleRequest("MDF-e", "mdfe", "as canecas, em caminhão próprio; encerrado na chegada", body)
