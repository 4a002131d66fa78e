"""The bodies of requests for a proof of delivery and for a failed delivery."""

from base64 import b64decode
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.date_fields import Moment
from carimbo.fiscal.body.fields import TAKES_NUMBERS, Body, Coded, Integer, Number
from carimbo.fiscal.filing import SingleLineText
from carimbo.fiscal.layouts.cte_v4.delivery import HASH_LENGTH, MAX_DELIVERED_INVOICES
from carimbo.fiscal.transport.request import DocumentKey


def _refuse_no_base64(text: str) -> str:
    try:
        b64decode(text, validate=True)
    except ValueError:
        message = "Deve ser um texto em base64, sem quebras de linha nem o prefixo data:."
        raise PydanticCustomError("base64", message) from None
    return text


_Base64 = Annotated[str, StringConstraints(min_length=4), AfterValidator(_refuse_no_base64)]
_Hash = Annotated[
    str,
    StringConstraints(pattern=f"^[A-Za-z0-9+/]{{{HASH_LENGTH - 1}}}=$"),
    AfterValidator(_refuse_no_base64),
]


class FailureReason(Coded):
    """Why a delivery failed (`tpMotivo`)."""

    NOT_FOUND = "notFound", "1"
    REFUSED = "refused", "2"
    ADDRESS_NOT_FOUND = "addressNotFound", "3"
    OTHER = "other", "4"


class EvidenceBody(Body):
    """Where somebody was with the cargo, a picture that proves it, and the NF-e of the cargo."""

    latitude: Annotated[Number, Field(ge=-90, le=90)] | None = Field(
        default=None,
        description="Latitude em graus, junto com `longitude`; vai com 6 casas (latitude).",
        examples=[-22.906847],
    )
    longitude: Annotated[Number, Field(ge=-180, le=180)] | None = Field(
        default=None,
        description="Longitude em graus, junto com `latitude`; vai com 6 casas (longitude).",
        examples=[-43.172897],
    )
    image: _Base64 | None = Field(
        default=None,
        description=(
            "Imagem do comprovante, em base64; fica guardada aqui, e a SEFAZ recebe só o hash dela com a"
            " chave do CT-e. Não se usa com `imageHash`."
        ),
    )
    image_hash: _Hash | None = Field(
        default=None,
        description=(
            "Hash da imagem que você guarda: base64 do SHA-1 da chave de acesso seguida da imagem em base64."
        ),
        examples=["2jmj7l5rSw0yVb/vlWAYkK/YBwk="],
    )
    hashed_at: Moment | None = Field(
        default=None, description="Quando o hash foi gerado; na falta, agora.", examples=[None]
    )
    nfe_access_keys: Annotated[tuple[DocumentKey, ...], Field(max_length=MAX_DELIVERED_INVOICES)] = Field(
        default=(),
        description=(
            "Chaves das NF-e do CT-e que são desta entrega; na falta, todas. Só no CT-e de serviço normal com"
            " NF-e (chNFe)."
        ),
    )


class ProofOfDeliveryRequest(EvidenceBody):
    """The proof that the cargo was delivered."""

    delivered_at: Moment = Field(
        description="Data e hora da entrega (dhEntrega).", examples=["2026-11-26T09:12:00-03:00"]
    )
    recipient_name: Annotated[SingleLineText, StringConstraints(min_length=2, max_length=60)] = Field(
        description="Nome de quem recebeu (xNome).", examples=["Ana Lúcia Ramos"]
    )
    recipient_document: Annotated[
        SingleLineText, StringConstraints(min_length=2, max_length=20), TAKES_NUMBERS
    ] = Field(description="Documento de quem recebeu, como o RG (nDoc).", examples=["12.345.678-9"])


class FailedDeliveryRequest(EvidenceBody):
    """An attempt to deliver that failed."""

    attempted_at: Moment = Field(
        description="Data e hora da tentativa (dhTentativaEntrega).", examples=["2026-11-26T09:12:00-03:00"]
    )
    attempt: Annotated[Integer, Field(ge=1, le=999)] | None = Field(
        default=None, description="Número da tentativa; na falta, o próximo (nTentativa)."
    )
    reason: FailureReason = Field(
        description=(
            "Motivo: notFound (recebedor não encontrado), refused (recusa), addressNotFound (endereço"
            " inexistente) ou other (tpMotivo)."
        )
    )
    justification: Annotated[SingleLineText, StringConstraints(min_length=15, max_length=256)] | None = Field(
        default=None,
        description="Justificativa, obrigatória com other e só com ele (xJustMotivo).",
        examples=["Rua interditada por obras"],
    )
