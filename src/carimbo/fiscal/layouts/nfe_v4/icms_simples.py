"""ICMS of an item sold under the Simples Nacional, by its CSOSN."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import decimal, group, text


@group("ICMSSN101")
class IcmsSn101:
    """`ICMSSN101`: taxed, with a credit for the buyer."""

    origin: str = text("orig", 1)
    csosn: str = text("CSOSN", 3, default="101")
    credit_rate: Decimal = decimal("pCredSN", 4)
    credit_amount: Decimal = decimal("vCredICMSSN")


@group("ICMSSN102")
class IcmsSn102:
    """`ICMSSN102`: taxed without credit (102), exempt by revenue (103), immune (300) or not taxed (400)."""

    origin: str | None = text("orig", 1, default=None)
    csosn: str = text("CSOSN", 3)


@group("ICMSSN201")
class IcmsSn201:
    """`ICMSSN201`: taxed, with a credit for the buyer; the tax of later sales is charged by substitution."""

    origin: str = text("orig", 1)
    csosn: str = text("CSOSN", 3, default="201")
    st_base_mode: str = text("modBCST", 1)
    st_mva: Decimal | None = decimal("pMVAST", 4, default=None)
    st_base_reduction: Decimal | None = decimal("pRedBCST", 4, default=None)
    st_base: Decimal = decimal("vBCST")
    st_rate: Decimal = decimal("pICMSST", 4)
    st_amount: Decimal = decimal("vICMSST")
    st_fcp_base: Decimal | None = decimal("vBCFCPST", default=None)
    st_fcp_rate: Decimal | None = decimal("pFCPST", 4, default=None)
    st_fcp_amount: Decimal | None = decimal("vFCPST", default=None)
    credit_rate: Decimal = decimal("pCredSN", 4)
    credit_amount: Decimal = decimal("vCredICMSSN")


@group("ICMSSN202")
class IcmsSn202:
    """`ICMSSN202`: no credit (202) or exempt by revenue (203); later sales by substitution."""

    origin: str = text("orig", 1)
    csosn: str = text("CSOSN", 3)
    st_base_mode: str = text("modBCST", 1)
    st_mva: Decimal | None = decimal("pMVAST", 4, default=None)
    st_base_reduction: Decimal | None = decimal("pRedBCST", 4, default=None)
    st_base: Decimal = decimal("vBCST")
    st_rate: Decimal = decimal("pICMSST", 4)
    st_amount: Decimal = decimal("vICMSST")
    st_fcp_base: Decimal | None = decimal("vBCFCPST", default=None)
    st_fcp_rate: Decimal | None = decimal("pFCPST", 4, default=None)
    st_fcp_amount: Decimal | None = decimal("vFCPST", default=None)


@group("ICMSSN500")
class IcmsSn500:
    """`ICMSSN500`: charged earlier by substitution or anticipation."""

    origin: str = text("orig", 1)
    csosn: str = text("CSOSN", 3, default="500")
    retained_base: Decimal | None = decimal("vBCSTRet", default=None)
    retained_rate: Decimal | None = decimal("pST", 4, default=None)
    substitute_amount: Decimal | None = decimal("vICMSSubstituto", default=None)
    retained_amount: Decimal | None = decimal("vICMSSTRet", default=None)
    retained_fcp_base: Decimal | None = decimal("vBCFCPSTRet", default=None)
    retained_fcp_rate: Decimal | None = decimal("pFCPSTRet", 4, default=None)
    retained_fcp_amount: Decimal | None = decimal("vFCPSTRet", default=None)
    effective_base_reduction: Decimal | None = decimal("pRedBCEfet", 4, default=None)
    effective_base: Decimal | None = decimal("vBCEfet", default=None)
    effective_rate: Decimal | None = decimal("pICMSEfet", 4, default=None)
    effective_amount: Decimal | None = decimal("vICMSEfet", default=None)


@group("ICMSSN900")
class IcmsSn900:
    """`ICMSSN900`: any other taxation."""

    origin: str | None = text("orig", 1, default=None)
    csosn: str = text("CSOSN", 3, default="900")
    base_mode: str | None = text("modBC", 1, default=None)
    base: Decimal | None = decimal("vBC", default=None)
    base_reduction: Decimal | None = decimal("pRedBC", 4, default=None)
    rate: Decimal | None = decimal("pICMS", 4, default=None)
    amount: Decimal | None = decimal("vICMS", default=None)
    st_base_mode: str | None = text("modBCST", 1, default=None)
    st_mva: Decimal | None = decimal("pMVAST", 4, default=None)
    st_base_reduction: Decimal | None = decimal("pRedBCST", 4, default=None)
    st_base: Decimal | None = decimal("vBCST", default=None)
    st_rate: Decimal | None = decimal("pICMSST", 4, default=None)
    st_amount: Decimal | None = decimal("vICMSST", default=None)
    st_fcp_base: Decimal | None = decimal("vBCFCPST", default=None)
    st_fcp_rate: Decimal | None = decimal("pFCPST", 4, default=None)
    st_fcp_amount: Decimal | None = decimal("vFCPST", default=None)
    credit_rate: Decimal | None = decimal("pCredSN", 4, default=None)
    credit_amount: Decimal | None = decimal("vCredICMSSN", default=None)
