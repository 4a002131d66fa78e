"""The bodies of requests about companies, and their records."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import (
    Body,
    Changes,
    CnaeCode,
    Cnpj,
    Email,
    Integer,
    Number,
    Percent,
    Phone,
    Record,
)
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.parties.address import Address
from carimbo.fiscal.parties.company import (
    IbsCbsOption,
    IbsCbsOptions,
    MunicipalRegistration,
    Name,
    PisCofinsRegime,
    TaxRegime,
    TradeName,
)
from carimbo.service.change_bodies import READ_ONLY, ReadOnlyDates


class CompanyDetails(Changes):
    """The fields that the bodies of creation and change share."""

    trade_name: TradeName | None = Field(default=None, examples=["Loja Modelo"])
    email: Email | None = None
    phone: Phone | None = None
    address: Address | None = None
    tax_regime: TaxRegime | None = Field(
        default=None,
        description="Regime tributário (CRT): `simples`, `simplesExcess` (Simples acima do sublimite),"
        " `normal` ou `mei`. Sem ele a empresa não emite.",
    )
    municipal_registration: MunicipalRegistration | None = Field(default=None, examples=["12345678"])
    cnae_code: CnaeCode | None = None
    pis_cofins_regime: PisCofinsRegime | None = Field(
        default=None,
        description="Apuração de PIS e COFINS, da qual vêm as alíquotas: `cumulative` (0,65% e 3%) ou"
        " `nonCumulative` (1,65% e 7,6%). No regime `normal`, sem ela a empresa não emite NF-e, NFC-e nem"
        " NFS-e.",
    )
    simples_rate: Percent | None = Field(
        default=None,
        description="Alíquota efetiva do Simples Nacional (pTotTribSN), em percentual.",
        examples=[6],
    )
    simples_iss_regime: Annotated[Integer, Field(ge=1, le=3)] | None = Field(
        default=None, description="Regime de apuração no Simples Nacional (regApTribSN), de 1 a 3."
    )
    ibs_cbs_regime: IbsCbsOptions | None = Field(
        default=None,
        description="Regime de IBS e CBS de uma empresa do Simples Nacional, por semestre, a partir de 2027:"
        " uma opção por semestre; um semestre sem opção é `das`. Vale a opção da data do documento. Só com"
        " `taxRegime` `simples` ou `simplesExcess`; `mixed` só com `simplesExcess`.",
        examples=[[{"halfYear": "2027-1", "regime": "regular"}]],
    )


class NewCompany(CompanyDetails):
    """The body that registers a company."""

    tax_id: Cnpj = Field(
        description="CNPJ, numérico ou alfanumérico, com ou sem pontuação; o do certificado. Não muda depois."
    )
    legal_name: Name = Field(examples=["Loja Modelo Comércio Ltda"])
    environment: Environment | None = Field(
        default=None,
        description="Onde a empresa emite: `homologation`, para testes sem valor fiscal, ou `production`, que"
        " vale quando o campo está ausente.",
    )


class CompanyChanges(CompanyDetails, ReadOnlyDates):
    """The body that changes a company: an absent field stays as it is, null clears it."""

    legal_name: Name = Field(default="", examples=["Loja Modelo Comércio Ltda"])
    id: UUID | None = Field(default=None, description="Só de leitura.", json_schema_extra=READ_ONLY)
    tax_id: Cnpj | None = Field(default=None, description="Só de leitura.", json_schema_extra=READ_ONLY)
    warnings: Any = Field(
        default=None, description="Só de leitura, e sempre ignorado.", json_schema_extra=READ_ONLY
    )
    environment: Environment | None = Field(
        default=None,
        description="Só de leitura: troca-se em `PATCH /v1/companies/{companyId}/environment`.",
        json_schema_extra=READ_ONLY,
    )


class EnvironmentChange(Body):
    """The body that switches the environment."""

    environment: Environment = Field(
        description="`production`: documentos com valor fiscal; `homologation`: testes, sem valor fiscal."
    )


class CompanyRecord(Record):
    """A company as callers see it."""

    id: UUID
    tax_id: str = Field(examples=["11222333000181"])
    legal_name: str = Field(examples=["Loja Modelo Comércio Ltda"])
    trade_name: str | None = Field(examples=["Loja Modelo"])
    email: str | None = Field(examples=["fiscal@example.com"])
    phone: str | None = Field(examples=["1133334444"])
    address: Address | None
    tax_regime: TaxRegime | None
    municipal_registration: str | None = Field(examples=["12345678"])
    cnae_code: str | None = Field(examples=["4751201"])
    pis_cofins_regime: PisCofinsRegime | None
    simples_rate: Number | None = Field(examples=[6])
    simples_iss_regime: int | None
    ibs_cbs_regime: list[IbsCbsOption] = Field(
        description="Opções de IBS e CBS de uma empresa do Simples Nacional, por semestre; sem opção, `das`."
    )
    environment: Environment = Field(
        description="Onde a empresa emite: `production`, em que toda empresa começa, ou `homologation`."
    )
    created_at: datetime
    updated_at: datetime


class CreatedCompany(CompanyRecord):
    """A company as the response to its registration shows it."""

    warnings: list[str] = Field(
        description="O que convém conferir, como o ambiente que não foi informado.", examples=[[]]
    )


class EnvironmentRecord(Record):
    """The result of an environment change."""

    company_id: UUID
    environment: Environment
    previous_environment: Environment
    updated_at: datetime


class Deleted(Record):
    """The response to a deletion."""

    id: UUID
    deleted: bool = True
