"""The multimodal transport of a CT-e (`multimodal`), which has its own XSD."""

from carimbo.fiscal.layouts.group import INLINE, child, group, text


@group("infSeg")
class Insurer:
    """`infSeg`: the insurance company."""

    name: str = text("xSeg", 30, path="insurerName")
    cnpj: str = text("CNPJ", 14, path="insurerTaxId")


@group("seg")
class MultimodalInsurance:
    """`seg`: the insurance of the cargo."""

    insurer: Insurer = child("infSeg", path=INLINE)
    policy_number: str = text("nApol", 20)
    endorsement: str = text("nAver", 20)


@group("multimodal")
class Multimodal:
    """`multimodal`: the certificate of the multimodal operator, and the insurance."""

    cotm: str = text("COTM", 20)
    negotiable: str = text("indNegociavel", 1)
    """`1` if the document can be endorsed, else `0`."""
    insurance: MultimodalInsurance | None = child("seg", default=None)
