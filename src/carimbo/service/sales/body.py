"""The body of a request for a sale."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, NoReturn
from uuid import UUID

from pydantic import BeforeValidator, Discriminator, Field, StringConstraints, Tag, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import (
    Body,
    Category,
    CityCode,
    Email,
    ExternalId,
    FederalServiceCode,
    Flag,
    ItemName,
    Money,
    Ncm,
    Notes,
    Quantity,
    Sku,
    UnitValue,
)
from carimbo.fiscal.body.published import Published
from carimbo.fiscal.body.reading import MAY_BE_MISSING, Missing, is_blank
from carimbo.fiscal.goods.payments import ACCEPTED_METHODS, PaymentBody, PaymentMethodText
from carimbo.service.catalog.customers import CustomerDetails, CustomerName
from carimbo.service.catalog.product_bodies import ProductType
from carimbo.service.catalog.split_items import ProductId

MAX_LINES = 990
USUAL_PAYMENT = "credit_card"


def _use_instead(advice: str) -> BeforeValidator:
    """Returns a validator that refuses a field name of other APIs and names ours."""

    def refuse(_: Any) -> NoReturn:
        raise PydanticCustomError("named_otherwise", "{advice}", {"advice": advice})

    return BeforeValidator(refuse)


class EmitWhen(StrEnum):
    """When the documents of a sale are issued."""

    IMMEDIATELY = "immediately"
    AFTER_GUARANTEE = "after_guarantee"
    MANUAL = "manual"


class BuyerBody(CustomerDetails):
    """The buyer of a sale; it fills gaps of the catalog's customer but does not overwrite it."""

    name: CustomerName | None = Field(
        default=None,
        description="Nome, de 3 a 64 caracteres; obrigatório para quem o catálogo não conhece.",
        examples=["Maria da Silva"],
    )
    email: Email | None = Field(default=None, description="E-mail.", examples=["maria@example.com"])


class SaleLineBody(Body):
    """A line of a sale: an item of the catalog, or a new one."""

    sku: Annotated[Sku | None, MAY_BE_MISSING] = Field(
        default=None, description="SKU do item; um desconhecido, com name, type e category, é cadastrado."
    )
    id: ProductId | None = Field(default=None, description="Id do item no catálogo (ULID).")
    price: UnitValue | None = Field(
        default=None, description="Preço de uma unidade, em reais; na falta, o do catálogo.", examples=[97]
    )
    quantity: Annotated[Quantity, Field(gt=0), Published(exclusiveMinimum=0)] = Field(
        default=Decimal(1), description="Quantidade; na falta, 1."
    )
    name: ItemName | None = Field(default=None, description="Nome nesta venda; na falta, o do catálogo.")
    type: ProductType | None = Field(
        default=None, description="Tipo do item; de um que ainda não está no catálogo, service ou product."
    )
    category: Category | None = Field(
        default=None, description="Categoria de um item que ainda não está no catálogo."
    )
    ncm: Ncm | None = Field(
        default=None,
        description="NCM de um produto que ainda não está no catálogo; o de um que está não muda.",
        examples=["69120000"],
    )
    service_item_code: FederalServiceCode | None = Field(
        default=None,
        description="Item da lista de um serviço que não está no catálogo; o de um que está não muda.",
    )
    amount: SkipJsonSchema[Annotated[None, _use_instead("Use price, o preço de uma unidade.")]] = None
    product_type: SkipJsonSchema[Annotated[None, _use_instead("Use type.")]] = None

    @model_validator(mode="before")
    @classmethod
    def require_item(cls, line: Any) -> Any:
        """Returns the line, with a missing-field mark if it has neither a SKU nor an id."""
        if isinstance(line, dict) and is_blank(line.get("sku")) and is_blank(line.get("id")):
            return line | {"sku": Missing("Informe sku ou id.")}
        return line


class ServiceNoteBody(Body):
    """Values of the sale's NFS-e that replace the defaults."""

    discrimination: Annotated[Notes, StringConstraints(max_length=2000)] | None = Field(
        default=None, description="Descrição do serviço, que aceita variáveis como {nomeProduto}."
    )
    competence_date: IsoDay | None = Field(
        default=None, description="Data da competência; na falta, a da emissão.", examples=["2026-11-14"]
    )
    service_location: Annotated[str, StringConstraints(pattern=r"^[12]$")] | None = Field(
        default=None, description="Local da prestação: 1 município do prestador, 2 do tomador."
    )
    city_ibge: CityCode | None = Field(
        default=None, description="Código IBGE do local da prestação, se é outro município."
    )
    property: dict[str, Any] | None = Field(
        default=None, description="Imóvel do serviço, como ibsCbs.property do corpo da NFS-e (imovel)."
    )


_BuyerInput = Annotated[
    Annotated[UUID, Tag("by id")] | Annotated[BuyerBody, Tag("described")],
    Discriminator(lambda value: "described" if isinstance(value, dict | BuyerBody) else "by id"),
]


def _is_empty(value: Any) -> bool:
    return all(map(_is_empty, value.values())) if isinstance(value, dict) else is_blank(value)


def _none_if_empty(value: Any) -> Any:
    """Returns None for an object whose fields are all blank, so that it counts as absent."""
    return None if _is_empty(value) else value


class SaleBody(Body):
    """The body of a sale: the customer, the items, and when its documents are issued."""

    customer: Annotated[_BuyerInput | None, BeforeValidator(_none_if_empty)] = Field(
        default=None,
        description=(
            "Id do cliente, que fica como está, ou seus dados, que completam os do catálogo; obrigatório para"
            " NF-e e NFS-e, dispensado na NFC-e, que aceita só document."
        ),
    )
    # A list, because for a tuple of invalid items pydantic would also report that it is too short.
    products: Annotated[list[SaleLineBody], Field(min_length=1, max_length=MAX_LINES)] = Field(
        description="O que foi vendido, de 1 a 990 linhas."
    )
    sale_date: IsoDay | None = Field(
        default=None, description="Data da venda; na falta, a de hoje.", examples=["2026-11-14"]
    )
    payment_method: PaymentMethodText | None = Field(
        default=None,
        description=f"Meio de pagamento: {ACCEPTED_METHODS}; na falta dele e de payments, credit_card.",
    )
    payments: Annotated[tuple[PaymentBody, ...], Field(max_length=100)] = Field(
        default=(),
        description=(
            "Pagamentos, que somam o total dos documentos da venda, com o IPI; a nota de produtos leva a sua"
            " parte. Na falta, um só, por paymentMethod."
        ),
    )
    emit_when: EmitWhen = Field(
        default=EmitWhen.IMMEDIATELY,
        description=(
            "Quando emitir: immediately (agora), o padrão, after_guarantee (passada a garantia) ou manual"
            " (quando mandado)."
        ),
    )
    guarantee_date: IsoDay | None = Field(
        default=None,
        description=(
            "Com after_guarantee, quando emitir: no começo do dia, ou no instante, se há hora; na falta, a"
            " data da venda mais a maior garantia dos itens."
        ),
        examples=["2026-11-21"],
    )
    send_email: Flag | None = Field(
        default=None, description="Se o cliente recebe os documentos por e-mail; na falta, como na empresa."
    )
    external_id: ExternalId | None = Field(
        default=None, description="Identificador no sistema de quem chama; o mesmo não cria outra venda."
    )
    discount: Money = Field(
        default=Decimal(0), description="Desconto, em reais, repartido pelas linhas na proporção do total."
    )
    shipping: Money = Field(
        default=Decimal(0), description="Frete, em reais, repartido pelas linhas de produtos."
    )
    nfse: ServiceNoteBody | None = Field(
        default=None, description="O que a NFS-e da venda diz de outro modo."
    )
    product_invoice_type: Literal["nfe", "nfce"] | None = Field(
        default=None, description="Documento dos produtos; na falta, o padrão da empresa."
    )
    notes: Annotated[Notes, StringConstraints(max_length=2000)] | None = Field(
        default=None, description="Informações complementares, escritas nos documentos da venda."
    )

    @property
    def paid_by(self) -> str | None:
        """The payment method as given; None if only `payments` is given."""
        return self.payment_method or (None if self.payments else USUAL_PAYMENT)
