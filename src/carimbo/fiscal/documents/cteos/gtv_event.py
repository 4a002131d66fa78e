"""Events that only CT-e OS have: the transport guides (GTV) of valuables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    Coded,
    Money,
    Quantity,
    RecipientRegistration,
    StateCode,
    TaxId,
)
from carimbo.fiscal.documents.cteos.request import CteOsRequest, OsServiceType
from carimbo.fiscal.filing import (
    EventKind,
    EventRoute,
    EventSubject,
    FilingIssuer,
    FilingResult,
    SingleLineText,
)
from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.layouts.cte_v4.valuables import (
    CarriedSpecie,
    GuideParty,
    TransportGuide,
    TransportGuides,
)
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.events import registered, repetition, signed_waybill_event
from carimbo.fiscal.transport.hints import hinted_problem
from carimbo.fiscal.transport.request import Plate

_Text20 = Annotated[SingleLineText, StringConstraints(max_length=20), TAKES_NUMBERS]
_Text3 = Annotated[SingleLineText, StringConstraints(max_length=3), TAKES_NUMBERS]
_MAX_EVENTS = 99
_SOURCE = "MOC CT-e 4.00, evento GTV"


class SpecieType(Coded):
    """A kind of valuables (`tpEspecie`)."""

    CASH = "cash", "1"
    CHECK = "check", "2"
    COIN = "coin", "3"
    OTHER = "other", "4"


class SpecieBody(Body):
    """A kind of valuables and its amount."""

    type: SpecieType = Field(description="Espécie: cash, check, coin ou other (tpEspecie).")
    amount: Money | None = Field(default=None, description="Valor, em reais (vEspecie).")


class GuidePartyBody(Body):
    """The sender or the recipient of the valuables."""

    tax_id: TaxId = Field(description="CPF ou CNPJ.")
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual, ou ISENTO (IE)."
    )
    state: StateCode = Field(description="UF.")
    name: Annotated[SingleLineText, StringConstraints(min_length=2, max_length=60)] = Field(
        description="Nome ou razão social (xNome)."
    )


class GuideBody(Body):
    """A guide of valuables on paper (GTV)."""

    number: _Text20 = Field(description="Número (nDoc).", examples=["4501"])
    id: _Text20 = Field(description="Identificação para fins de AIDF (id).", examples=["AIDF-77"])
    series: _Text3 | None = Field(default=None, description="Série (serie).")
    subseries: _Text3 | None = Field(default=None, description="Subsérie (subserie).")
    issue_date: Day = Field(description="Data de emissão (dEmi).")
    check_digit: Annotated[SingleLineText, StringConstraints(max_length=1), TAKES_NUMBERS] = Field(
        description="Dígito verificador (nDV)."
    )
    volumes: Annotated[Quantity, Field(gt=0)] = Field(
        description="Quantidade de volumes ou malotes (qCarga).", examples=[4]
    )
    species: Annotated[tuple[SpecieBody, ...], Field(min_length=1, max_length=100)] = Field(
        description="Espécies transportadas (infEspecie)."
    )
    shipper: GuidePartyBody = Field(description="Remetente (rem).")
    recipient: GuidePartyBody = Field(description="Destinatário (dest).")
    plate: Plate | None = Field(
        default=None, description="Placa do veículo, com ou sem hífen (placa).", examples=["ABC1D23"]
    )
    state: StateCode | None = Field(default=None, description="UF da placa (UF).")
    rntrc: Annotated[str, StringConstraints(pattern="^([0-9]{8}|ISENTO)$")] | None = Field(
        default=None, description="RNTRC, 8 dígitos ou ISENTO (RNTRC)."
    )

    @property
    def identity(self) -> tuple[str | None, ...]:
        """The fields that distinguish guides."""
        return self.id, self.series, self.subseries, self.number


class GuidesRequest(Body):
    """The guides of a CT-e OS of valuables."""

    gtvs: Annotated[tuple[GuideBody, ...], Field(min_length=1, max_length=1000)] = Field(
        description="Guias de transporte de valores em papel (infGTV)."
    )


def _add_guides(request: GuidesRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the guides of a document (110170)."""
    if problems := tuple(guide_problems(request, about.read_request(), about.read_earlier())):
        return problems
    return signed_waybill_event(guides_group(request), about, issuer)


def guides_group(request: GuidesRequest) -> TransportGuides:
    """Returns the guides as the group of the event."""
    return TransportGuides(guides=tuple(map(_guide, request.gtvs)))


def guide_problems(
    request: GuidesRequest, document: CteOsRequest, earlier: Sequence[GuidesRequest]
) -> Iterator[Problem]:
    """Yields the problems of the guides of a document."""
    if document.service_type is not OsServiceType.VALUABLES:
        yield hinted_problem("889", "gtvs", "O CT-e OS não é de transporte de valores.", _SOURCE)
    if document.gtves:
        yield hinted_problem(
            "890", "gtvs", "O CT-e OS referencia GTV-e, e por isso não tem GTV em papel.", _SOURCE
        )
    sent = {guide.identity for event in earlier for guide in event.gtvs}
    seen: Counter[tuple[str | None, ...]] = Counter()
    for position, guide in enumerate(request.gtvs):
        seen[guide.identity] += 1
        if seen[guide.identity] > 1:
            yield hinted_problem("618", f"gtvs[{position}].number", "A GTV está repetida.", _SOURCE)
        elif guide.identity in sent:
            yield hinted_problem(
                "619", f"gtvs[{position}].number", "A GTV já está em outro evento deste CT-e OS.", _SOURCE
            )


def _guide(body: GuideBody) -> TransportGuide:
    return TransportGuide(
        number=body.number,
        id=body.id,
        series=body.series,
        subseries=body.subseries,
        issue_date=body.issue_date,
        check_digit=body.check_digit,
        volumes=body.volumes,
        species=tuple(CarriedSpecie(type=specie.type.code, amount=specie.amount) for specie in body.species),
        shipper=_party(body.shipper),
        recipient=_party(body.recipient),
        plate=body.plate,
        state=body.state,
        rntrc=body.rntrc,
    )


def _party(body: GuidePartyBody) -> GuideParty:
    is_person = is_cpf(body.tax_id)
    return GuideParty(
        cnpj=None if is_person else body.tax_id,
        cpf=body.tax_id if is_person else None,
        state_registration=body.state_registration,
        state=body.state,
        name=body.name,
    )


CTE_OS_GTV = EventKind(
    name="gtv",
    title="Guia de transporte de valores",
    action="Registrar GTV",
    explanation="A SEFAZ registra as guias de transporte de valores em papel deste CT-e OS.",
    route=EventRoute(
        method="POST",
        path="/gtv",
        operation="addGtvTo",
        summary="Registra as GTV em papel de um CT-e OS de valores",
        description=(
            "Faça-o em até 45 dias da autorização: depois disso a SEFAZ não autoriza outros CT-e OS de"
            " valores."
        ),
    ),
    request=GuidesRequest,
    issue=_add_guides,
    registered=registered,
    print_name="GTV-{key}-{sequence:02}.pdf",
    repetition=repetition(_MAX_EVENTS, "gtvs", "eventos de GTV", "O evento de GTV anterior"),
)
