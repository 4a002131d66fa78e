"""Every table, in the order in which they are listed."""

from typing import Any

from carimbo.fiscal.calendar import CALENDAR
from carimbo.fiscal.tables.authorizers import AUTHORIZERS
from carimbo.fiscal.tables.cancellation_terms import CANCELLATION_TERMS
from carimbo.fiscal.tables.cest import CESTS
from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.cnae import CNAES
from carimbo.fiscal.tables.countries import COUNTRIES
from carimbo.fiscal.tables.endpoints import ENDPOINTS
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_RATES, IBS_CBS_SITUATIONS
from carimbo.fiscal.tables.icms_bases import ICMS_BASES
from carimbo.fiscal.tables.icms_rates import ICMS_RATES
from carimbo.fiscal.tables.municipalities import MUNICIPALITIES
from carimbo.fiscal.tables.national_services import NATIONAL_SERVICES
from carimbo.fiscal.tables.nbs import NBS
from carimbo.fiscal.tables.ncm import NCMS
from carimbo.fiscal.tables.nfce_addresses import NFCE_ADDRESSES
from carimbo.fiscal.tables.operation_indicators import OPERATION_INDICATORS
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from carimbo.fiscal.tables.service_indicators import SERVICE_INDICATORS
from carimbo.fiscal.tables.states import STATES
from carimbo.fiscal.tables.statuses import CTE_STATUSES, MDFE_STATUSES, NFE_STATUSES, NFSE_STATUSES
from carimbo.fiscal.tables.table import Table
from carimbo.fiscal.tables.tax_situations import TAX_SITUATIONS

ALL_TABLES: tuple[Table[Any, Any], ...] = (
    STATES,
    MUNICIPALITIES,
    COUNTRIES,
    AUTHORIZERS,
    ENDPOINTS,
    NFCE_ADDRESSES,
    CANCELLATION_TERMS,
    PAYMENT_METHODS,
    CFOPS,
    NCMS,
    CESTS,
    TAX_SITUATIONS,
    ICMS_RATES,
    ICMS_BASES,
    IBS_CBS_SITUATIONS,
    IBS_CBS_CLASSES,
    IBS_CBS_RATES,
    CALENDAR,
    NATIONAL_SERVICES,
    NBS,
    CNAES,
    OPERATION_INDICATORS,
    SERVICE_INDICATORS,
    NFE_STATUSES,
    CTE_STATUSES,
    MDFE_STATUSES,
    NFSE_STATUSES,
)
