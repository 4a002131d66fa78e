"""All tables, in the order in which they are listed."""

from typing import Any

from carimbo.fiscal.calendar import CALENDAR
from carimbo.fiscal.cancellation_deadline import CANCELLATION_TERMS
from carimbo.fiscal.tables.authorities import AUTHORIZERS, CTE_QR_ADDRESSES, ENDPOINTS, NFCE_ADDRESSES
from carimbo.fiscal.tables.geography import COUNTRIES, MUNICIPALITIES, STATES
from carimbo.fiscal.tables.goods_codes import CESTS, CFOPS, NCMS
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_RATES, IBS_CBS_SITUATIONS
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from carimbo.fiscal.tables.service_codes import (
    CNAES,
    NATIONAL_SERVICES,
    NBS,
    OPERATION_INDICATORS,
    SERVICE_INDICATORS,
)
from carimbo.fiscal.tables.statuses import CTE_STATUSES, MDFE_STATUSES, NFE_STATUSES, NFSE_STATUSES
from carimbo.fiscal.tables.table import Table
from carimbo.fiscal.tables.taxes import ICMS_BASES, ICMS_RATES, TAX_SITUATIONS

ALL_TABLES: tuple[Table[Any, Any], ...] = (
    STATES,
    MUNICIPALITIES,
    COUNTRIES,
    AUTHORIZERS,
    ENDPOINTS,
    NFCE_ADDRESSES,
    CTE_QR_ADDRESSES,
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
