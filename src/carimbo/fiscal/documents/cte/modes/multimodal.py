"""Multimodal transport: the operator's certificate, and the insurance."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import TAKES_NUMBERS, Body, Cnpj, Flag, Text
from carimbo.fiscal.documents.cte.modes.mode import missing_in_mode
from carimbo.fiscal.layouts.cte_v4.multimodal import Insurer, Multimodal, MultimodalInsurance
from carimbo.fiscal.transport.request import TransportMode

_Text20 = Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS]


class MultimodalInsuranceBody(Body):
    """The insurance of the cargo."""

    insurer_name: Annotated[Text, StringConstraints(max_length=30)] = Field(
        description="Nome da seguradora (xSeg)."
    )
    insurer_tax_id: Cnpj = Field(description="CNPJ da seguradora.")
    policy_number: _Text20 = Field(description="Número da apólice (nApol).")
    endorsement: _Text20 = Field(description="Número da averbação (nAver).")


class MultimodalBody(Body):
    """Transport by several modes under one contract."""

    kind: Literal[TransportMode.MULTIMODAL] = Field(description="Modal: multimodal.")
    cotm: _Text20 | None = Field(
        default=None,
        description="Certificado do operador de transporte multimodal; obrigatório, exceto no complemento"
        " (COTM).",
    )
    negotiable: Flag | None = Field(
        default=None, description="Se é negociável; obrigatório, exceto no complemento (indNegociavel)."
    )
    insurance: MultimodalInsuranceBody | None = Field(default=None, description="Seguro da carga (seg).")


def multimodal_group(body: MultimodalBody) -> Multimodal:
    """Returns the group of a multimodal transport."""
    cotm, negotiable, insurance = body.cotm, body.negotiable, body.insurance
    if cotm is None or negotiable is None:
        raise missing_in_mode(cotm=cotm, negotiable=negotiable)
    return Multimodal(
        cotm=cotm,
        negotiable="1" if negotiable else "0",
        insurance=MultimodalInsurance(
            insurer=Insurer(name=insurance.insurer_name, cnpj=insurance.insurer_tax_id),
            policy_number=insurance.policy_number,
            endorsement=insurance.endorsement,
        )
        if insurance
        else None,
    )
