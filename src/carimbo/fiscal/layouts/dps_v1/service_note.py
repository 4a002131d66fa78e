"""The whole declaration of a service (`infDPS`), of which the authority makes the NFS-e."""

from datetime import date, datetime

from carimbo.fiscal.layouts.dps_v1.amounts import Amounts
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import IbsCbs
from carimbo.fiscal.layouts.dps_v1.parties import Provider, Taker
from carimbo.fiscal.layouts.dps_v1.service import Service
from carimbo.fiscal.layouts.group import INLINE, attribute, child, day, group, integer, moment, text

NAMESPACE = "http://www.sped.fazenda.gov.br/nfse"
"""Namespace of every message of the national NFS-e."""

VERSION = "1.01"
"""Version of the layout, which the roots of all its messages carry."""


@group("subst")
class Substitution:
    """`subst`: the note that this one replaces; its registration cancels it (e105102)."""

    access_key: str = text("chSubstda", 50, path="documentId")
    reason_code: str = text("cMotivo", 2)
    reason: str | None = text("xMotivo", 255, default=None)


@group("infDPS")
class ServiceNote:
    """`infDPS`: everything that is signed."""

    id: str = attribute("Id", 45)
    environment: str = text("tpAmb", 1)
    issued_at: datetime = moment("dhEmi")
    application_version: str = text("verAplic", 20)
    series: int = integer("serie")
    number: int = integer("nDPS")
    competence: date = day("dCompet", path="issueDate")
    issuer: str = text("tpEmit", 1)
    """1 the provider, 2 the taker, 3 the intermediary."""
    issuer_reason: str | None = text("cMotivoEmisTI", 1, default=None)
    rejected_key: str | None = text("chNFSeRej", 50, default=None)
    city_code: str = text("cLocEmi", 7, path="company.address.cityCode")
    substitution: Substitution | None = child("subst", path="replaces", default=None)
    provider: Provider = child("prest", path="company")
    taker: Taker | None = child("toma", path="borrower", default=None)
    intermediary: Taker | None = child("interm", default=None)
    service: Service = child("serv", path=INLINE)
    amounts: Amounts = child("valores", path=INLINE)
    ibs_cbs: IbsCbs | None = child("IBSCBS", default=None)
