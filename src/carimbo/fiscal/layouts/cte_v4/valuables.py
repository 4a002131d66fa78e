"""The event with the transport guides (GTV) of a CT-e OS of valuables."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.dialect import GTV
from carimbo.fiscal.layouts.group import ANY_NUMBER, child, children, day, decimal, group, text
from carimbo.fiscal.schemas import Schema


@group("infEspecie")
class CarriedSpecie:
    """`infEspecie`: a kind of valuables and its amount."""

    type: str = text("tpEspecie", 1)
    amount: Decimal | None = decimal("vEspecie", default=None)


@group("rem")
class GuideParty:
    """`rem` and `dest`: the parties of a guide."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, default=None)
    state: str = text("UF", 2)
    name: str = text("xNome", 60)


@group("infGTV")
class TransportGuide:
    """`infGTV`: a guide of valuables on paper."""

    number: str = text("nDoc", 20)
    id: str = text("id", 20)
    series: str | None = text("serie", 3, default=None)
    subseries: str | None = text("subserie", 3, default=None)
    issue_date: date = day("dEmi")
    check_digit: str = text("nDV", 1)
    volumes: Decimal = decimal("qCarga", 4)
    species: tuple[CarriedSpecie, ...] = children("infEspecie", ANY_NUMBER)
    shipper: GuideParty = child("rem")
    recipient: GuideParty = child("dest")
    plate: str | None = text("placa", 7, default=None)
    state: str | None = text("UF", 2, default=None)
    rntrc: str | None = text("RNTRC", 8, default=None)


@group("evGTV")
class TransportGuides:
    """`evGTV`: the guides of a CT-e OS of valuables."""

    event_type = GTV
    schema = Schema.CTE_GTV
    description: str = text("descEvento", 18, default="Informacoes da GTV")
    guides: tuple[TransportGuide, ...] = children("infGTV", ANY_NUMBER, path="gtvs")
