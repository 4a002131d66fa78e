"""The official tables that callers can search, with the record of each."""

import re
from datetime import date
from typing import Any

from pydantic import Field

from carimbo.fiscal.tables.geography import COUNTRIES, MUNICIPALITIES, Country, Municipality
from carimbo.fiscal.tables.goods_codes import CESTS, CFOPS, NCMS, Cest, Cfop, Ncm
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS, PaymentMethod
from carimbo.fiscal.tables.service_codes import (
    CNAES,
    NATIONAL_SERVICES,
    NBS,
    Cnae,
    Incidence,
    NationalService,
    Nbs,
    ServiceGroup,
)
from carimbo.service.catalog.code_search import Lookup, TableEntry
from carimbo.service.listing import Page, PageRequest

# LC 116/2003 writes the items below 10 with one digit: 1.05 is 01.05 of the national list.
_ITEM_OF_ONE_DIGIT = re.compile(r"[0-9]\.[0-9.]*")


class CodeRecord(TableEntry):
    """A code with its period of validity."""

    valid_from: date | None = Field(description="Primeiro dia de vigência; nulo se a tabela não o informa.")
    valid_until: date | None = Field(description="Último dia de vigência; nulo se não há fim previsto.")


class NcmRecord(CodeRecord):
    """A code of goods (NCM)."""

    code: str = Field(description="Código de oito dígitos.", examples=["69120000"])
    description: str = Field(description="Descrição com as da posição e das subposições acima.")
    unit: str | None = Field(description="Unidade estatística.", examples=["KG"])


class CestRecord(CodeRecord):
    """A code of goods under tax substitution (CEST)."""

    code: str = Field(description="Código de sete dígitos.", examples=["0100300"])
    ncms: list[str] = Field(
        description="Inícios dos códigos NCM que ele abrange; vazio se abrange qualquer um.",
        examples=[["38151210", "3815129"]],
    )


class ServiceRecord(TableEntry):
    """A service of the national list."""

    code: str = Field(description="Código nacional de seis dígitos.", examples=["010501"])
    item: str = Field(description="Item e subitem da LC 116/2003.", examples=["01.05"])
    incidence: Incidence | None = Field(
        description="De que município é o ISS: do prestador (`provider`), do local da prestação (`place`) ou"
        " do tomador (`taker`); nulo se a lista não o define.",
    )
    required_group: ServiceGroup | None = Field(
        description="Grupo que a nota deve trazer: obra (`construction`) ou evento (`event`)."
    )


class MunicipalityEntry(TableEntry):
    """A municipality."""

    code: str = Field(description="Código IBGE de sete dígitos.", examples=["3550308"])
    description: str = Field(description="Nome do município.", examples=["São Paulo"])
    state: str = Field(description="Sigla da UF.", examples=["SP"])


class CountryRecord(TableEntry):
    """A country."""

    code: str = Field(description="Código do Banco Central, com quatro dígitos.", examples=["2496"])
    description: str = Field(description="Nome do país.", examples=["Estados Unidos"])
    country_code: str = Field(description="As duas letras que os endereços usam.", examples=["US"])


class PaymentMethodRecord(TableEntry):
    """A payment method."""

    code: str = Field(description="Código do meio de pagamento (tPag).", examples=["03"])
    description: str = Field(description="Nome do meio de pagamento.", examples=["Cartão de crédito"])
    words: list[str] = Field(
        description="Palavras que as requisições aceitam no lugar do código.", examples=[["creditCard"]]
    )
    has_card: bool = Field(description="Se a nota leva os dados da transação eletrônica.")
    is_for_nfce: bool = Field(description="Se a NFC-e aceita este meio.")


class _ServiceLookup(Lookup[NationalService, ServiceRecord]):
    """The list of services; a search may write an item as the law does."""

    def search(self, search: str, request: PageRequest) -> Page[ServiceRecord]:
        """Searches for `1.05` as `01.05`."""
        is_short = _ITEM_OF_ONE_DIGIT.fullmatch(search.strip())
        return super().search(f"0{search.strip()}" if is_short else search, request)


def _ncm_record(row: Ncm) -> NcmRecord:
    return NcmRecord(
        code=row.code,
        description=row.description,
        valid_from=row.since,
        valid_until=row.until,
        unit=row.unit,
    )


def _cfop_record(row: Cfop) -> CodeRecord:
    return CodeRecord(code=row.code, description=row.name, valid_from=row.since, valid_until=row.until)


def _cest_record(row: Cest) -> CestRecord:
    return CestRecord(
        code=row.code,
        description=row.description,
        valid_from=row.since,
        valid_until=row.until,
        ncms=list(row.ncm_prefixes),
    )


def _plain_record(row: Nbs | Cnae) -> TableEntry:
    return TableEntry(code=row.code, description=row.description)


def _municipality_record(row: Municipality) -> MunicipalityEntry:
    return MunicipalityEntry(code=row.ibge, description=row.name, state=row.state)


def _country_record(row: Country) -> CountryRecord:
    return CountryRecord(code=row.code, description=row.name, country_code=row.iso2)


def _payment_method_record(row: PaymentMethod) -> PaymentMethodRecord:
    return PaymentMethodRecord(
        code=row.code,
        description=row.name,
        words=list(row.words),
        has_card=row.has_card,
        is_for_nfce=row.is_for_nfce,
    )


def _payment_method_text(row: PaymentMethod) -> str:
    return " ".join((row.name, *row.words))


NCM_LOOKUP = Lookup("ncm", "NCM", "cerâmica", NCMS, NcmRecord, _ncm_record, lambda row: row.description)
CFOP_LOOKUP = Lookup("cfop", "CFOP", "devolução", CFOPS, CodeRecord, _cfop_record, lambda row: row.name)
CEST_LOOKUP = Lookup("cest", "CEST", "cerveja", CESTS, CestRecord, _cest_record, lambda row: row.description)
SERVICE_LOOKUP = _ServiceLookup(
    "services",
    "de serviços da NFS-e",
    "programação",
    NATIONAL_SERVICES,
    ServiceRecord,
    ServiceRecord.model_validate,
    lambda row: row.description,
)
NBS_LOOKUP = Lookup("nbs", "NBS", "edificações", NBS, TableEntry, _plain_record, lambda row: row.description)
CNAE_LOOKUP = Lookup(
    "cnae", "CNAE", "restaurantes", CNAES, TableEntry, _plain_record, lambda row: row.description
)
MUNICIPALITY_LOOKUP = Lookup(
    "municipalities",
    "de municípios",
    "são josé sc",
    MUNICIPALITIES,
    MunicipalityEntry,
    _municipality_record,
    # With its state, because many names occur in several: "bom jesus pi".
    lambda row: f"{row.name} {row.state}",
)
COUNTRY_LOOKUP = Lookup(
    "countries",
    "de países",
    "japão",
    COUNTRIES,
    CountryRecord,
    _country_record,
    lambda row: f"{row.name} {row.iso2}",
)
PAYMENT_METHOD_LOOKUP = Lookup(
    "payment-methods",
    "de meios de pagamento",
    "cartão",
    PAYMENT_METHODS,
    PaymentMethodRecord,
    _payment_method_record,
    _payment_method_text,
)
GOODS_LOOKUPS: tuple[Lookup[Any, Any], ...] = (NCM_LOOKUP, CFOP_LOOKUP, CEST_LOOKUP)
"""Lookups that also have a path under `/v1/nfe/`."""
LOOKUPS: tuple[Lookup[Any, Any], ...] = (
    *GOODS_LOOKUPS,
    SERVICE_LOOKUP,
    NBS_LOOKUP,
    CNAE_LOOKUP,
    MUNICIPALITY_LOOKUP,
    COUNTRY_LOOKUP,
    PAYMENT_METHOD_LOOKUP,
)
