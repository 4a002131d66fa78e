"""The body of a request for an NFC-e."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator

from carimbo.fiscal.body.date_fields import IsoDay, LocalMoment
from carimbo.fiscal.body.fields import Body, Text
from carimbo.fiscal.body.reading import MAY_BE_MISSING, Missing, is_blank, reading_of, without_blanks
from carimbo.fiscal.body.transmit import Transmit
from carimbo.fiscal.goods.payments import ACCEPTED_METHODS, PaymentMethodCode
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.request import SOLD_QUANTITIES, GoodsRequest
from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.fiscal.module_settings import Number, Series

# The authorities accept messages of at most 500 kB (rule 214).
SignedXml = Annotated[str, StringConstraints(max_length=500_000)]
# As people type it: in groups, in upper or lower case.
PrintedKey = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z ]{44,60}$"), AfterValidator(normalize)]
_UNPAID = Missing("Campo obrigatório: informe paymentMethod ou payments.")
_UNPRINTED = Missing("Campo obrigatório quando issueMode é offlineContingency.")
PRINTED_FIELDS = ("accessKey", "number", "series", "issuedAt", "contingency")
"""The fields that are printed on a receipt, by their JSON names."""


class IssueMode(StrEnum):
    """The issuing system: the service now, or the point of sale earlier, while it was offline."""

    NORMAL = "normal"
    OFFLINE_CONTINGENCY = "offlineContingency"


class ContingencyBody(Body):
    """The beginning of the contingency, and its reason."""

    started_at: IsoDay = Field(
        description="Data e hora de entrada em contingência; sem fuso, no da empresa (dhCont)."
    )
    reason: Annotated[Text, StringConstraints(min_length=15, max_length=256)] = Field(
        description="Justificativa da contingência, de 15 a 256 caracteres (xJust).",
        examples=["Sem conexão com a internet"],
    )


class NfceRequest(GoodsRequest):
    """An NFC-e to issue, or to transmit after the point of sale issued it offline."""

    model_config = ConfigDict(json_schema_extra={"allOf": [SOLD_QUANTITIES]})

    payment_method: Annotated[PaymentMethodCode | None, MAY_BE_MISSING] = Field(
        default=None,
        description=(
            "Meio de pagamento do valor total, obrigatório sem `payments`; com eles, um dos seus meios:"
            f" {ACCEPTED_METHODS}."
        ),
    )
    presence: Presence = Field(
        default=Presence.IN_PERSON,
        description=(
            "Presença do comprador (indPres): inPerson (presencial), o padrão, delivery (entrega em"
            " domicílio) ou outside (presencial, fora da loja); internet, phone, other e none são da NF-e."
        ),
    )
    issue_mode: IssueMode = Field(
        default=IssueMode.NORMAL,
        description=(
            "Modo de emissão: normal, o padrão, ou offlineContingency, para a nota que o ponto de venda já"
            " emitiu sem conexão."
        ),
    )
    transmit: Transmit = Field(
        default=Transmit.NOW,
        description="Quando transmitir: now (agora), o padrão, ou later (só guardar por enquanto).",
    )
    access_key: Annotated[PrintedKey | None, MAY_BE_MISSING] = Field(
        default=None, description="Chave de acesso impressa, com 44 caracteres, só em contingência."
    )
    number: Annotated[Number | None, MAY_BE_MISSING] = Field(
        default=None, description="Número impresso, só em contingência (nNF)."
    )
    series: Annotated[Series | None, MAY_BE_MISSING] = Field(
        default=None, description="Série impressa, só em contingência (serie)."
    )
    issued_at: Annotated[LocalMoment | None, MAY_BE_MISSING] = Field(
        default=None,
        description="Data e hora de emissão impressas, só em contingência; sem fuso, no da empresa (dhEmi).",
    )
    contingency: Annotated[ContingencyBody | None, MAY_BE_MISSING] = Field(
        default=None, description="Início e motivo da contingência."
    )
    signed_xml: SignedXml | None = Field(
        default=None, description="XML já assinado pelo ponto de venda, só em contingência."
    )

    @model_validator(mode="before")
    @classmethod
    def mark_missing(cls, data: Any) -> Any:
        """Marks the fields that payments and mode require, so that they are reported with all other errors.

        A recipient without any value is absent: points of sale send the fields of an empty form.
        """
        given = without_blanks(data, reading_of(cls, clears=False))
        if not isinstance(given, dict):
            return given
        recipient = given.get("recipient")
        if isinstance(recipient, dict) and all(map(is_blank, recipient.values())):
            given = {name: value for name, value in given.items() if name != "recipient"}
        marks = {} if "paymentMethod" in given or given.get("payments") else {"paymentMethod": _UNPAID}
        if given.get("issueMode") == IssueMode.OFFLINE_CONTINGENCY:
            marks |= {name: _UNPRINTED for name in PRINTED_FIELDS if name not in given}
        return given | marks
