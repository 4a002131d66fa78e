"""Documents with everything that the layout has, each text as long and each number as large as it may be."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count, cycle, islice
from typing import Any

from lxml import etree

from carimbo.fiscal.layouts.cte_v4.parties import OtherTaker
from carimbo.fiscal.layouts.cte_v4.road import Road
from carimbo.fiscal.layouts.cte_v4.service import WaybillMode
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.service import ReferencedTicket
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.layouts.dps_v1.amounts import Deductions, MunicipalBenefit, TotalTaxes
from carimbo.fiscal.layouts.dps_v1.issued_note import IssuedNote
from carimbo.fiscal.layouts.dps_v1.parties import PartyAddress, ServiceAddress, SiteAddress
from carimbo.fiscal.layouts.dps_v1.service import ServicePlace
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import Element, layout_of
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest, ManifestModal
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad
from carimbo.fiscal.layouts.nfe_v4.identification import ReferencedDocument
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, ItemTaxes, in_root, read_invoice, write
from carimbo.fiscal.layouts.signed_part import WrittenPart
from unit.printing.issued_notes import file_of
from unit.printing.manifests import file_of as manifest_xml
from unit.printing.paper import example
from unit.printing.waybills import file_of as waybill_xml
from unit.printing.waybills import with_service

KEY = "35261112ABC34501DE35550010000000011875264375"
SERVICE_KEY = "510550722" + KEY[6:20] + "9999999999999" + "2611" + "1234567893"
# The municipality with the longest name of those with two words or more.
CITY = "5105507"
# Values that the print shows in words or with punctuation, or that decide on other fields: the longest ones.
FIXED_VALUES = {
    "Id": f"NFe{KEY}",
    "versao": "4.00",
    "refNFe": KEY,
    "refNFeSig": KEY,
    "refCTe": KEY,
    "chave": KEY,
    "chCTe": KEY,
    "chNFe": KEY,
    "chMDFe": KEY,
    "chCte": KEY,
    "chCTeMultimodal": KEY,
    "refCTeCanc": KEY,
    "chCTeFerroOrigem": KEY,
    "CNPJ": KEY[6:20],
    "CPF": "52998224725",
    "CNPJPAA": KEY[6:20],
    "CEP": "01310100",
    "UF": "EX",
    "CRT": "2",
    "tpAmb": "1",
    "tpEmis": "6",
    "modFrete": "4",
    "tPag": "22",
    "nNF": 999_999_999,
    "serie": 889,
    "nNFSe": 9_999_999_999_999,
    "nDPS": 999_999_999_999_999,
    "tpEmit": "1",
    "chSubstda": SERVICE_KEY,
    "dCompet": date(2026, 12, 31),
    "cMun": CITY,
    "cLocPrestacao": CITY,
    "cLocIncid": CITY,
    "cLocalidadeIncid": CITY,
}
MOMENTS = {"moment": datetime(2026, 11, 14, 13, 30, tzinfo=UTC), "day": date(2028, 12, 28)}
LETTERS_IN_SHORT = ("uCom", "uTrib", "placa", "IE")
# Alternative fields: a party has exactly one of them.
IDENTITIES = ("cnpj", "cpf", "foreign_id", "no_foreign_id_reason")
# Alternative fields of other groups; each identity selects another one.
CHOICES: dict[type, tuple[str, ...]] = {
    PartyAddress: ("national", "foreign"),
    ServiceAddress: ("national", "foreign"),
    SiteAddress: ("zipcode", "foreign"),
    ServicePlace: ("city_code", "country_code"),
    Deductions: ("rate", "amount", "proof"),
    MunicipalBenefit: ("reduction_amount", "reduction_rate"),
    TotalTaxes: ("amounts", "rates", "simples_rate", "untold"),
}
DIGITS = {2: 13, 3: 12, 4: 11, 6: 9, 10: 11}
RATE_DIGITS = 3
SHORT = 14
SEVERAL = 2
MARK = "["
SUPPLEMENT = re.compile(rb"<infNFeSupl>.*</infNFeSupl>")
WORLD = "🎉 Ωμέγα Ёлка 日本語の品名 العربية עברית हिन्दी ไทย ﬁ ½ Å a\u0301 \u200b\u00ad👨\u200d👩\u200d👧 "
WORDS = "ação e reação, um pão-de-ló extraordinariamente açucarado à moda de Itaquaquecetuba; 3/4 de WWWWWW "


def of_words(mark: str, limit: int) -> str:
    """Returns a text with words of every length."""
    return _between_marks(mark, WORDS * (limit // len(WORDS) + 1), limit)


def of_one_word(mark: str, limit: int) -> str:
    """Returns a text that cannot be broken between words."""
    return _between_marks(mark, "W" * limit, limit)


def _between_marks(mark: str, text: str, limit: int) -> str:
    """Puts a mark at both ends, so that the text is unique in the print and a cut-off end is noticed."""
    return f"{mark}{text[: limit - 2 * len(mark)]}{mark}"


@dataclass(frozen=True)
class Filling:
    """Fills every field of a group."""

    text: Callable[[str, int], str]
    max_counts: dict[str, int] = field(default_factory=dict)
    """The number of repetitions of an element, by tag; others are repeated `SEVERAL` times."""
    identity: str = IDENTITIES[0]
    """The identity field of every party that may have it."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def group(self, group_type: type, nth: int = 0) -> Any:
        """Returns a group with all its fields; of alternatives, repeated groups take turns."""
        elements = layout_of(group_type).elements
        rivals = [name for name in (self.identity, *IDENTITIES) if name in elements]
        names = [name for name in elements if name not in rivals[1:] or name == rivals[0]]
        if choices := CHOICES.get(group_type):
            chosen = choices[IDENTITIES.index(self.identity) % len(choices)]
            names = [name for name in names if name not in choices or name == chosen]
        if group_type is ReferencedDocument:
            names = [names[nth % len(names)]]
        return group_type(**{name: self._value(group_type, name, elements[name], nth) for name in names})

    def _value(self, group_type: type, name: str, element: Element, nth: int) -> Any:
        groups = groups_in(group_type)[name]
        match element.kind:
            case "child":
                return self.group(groups[0], nth)
            case "variant":
                return self.group(groups[nth % len(groups)], nth)
            case "children":
                return tuple(self.group(groups[0], number) for number in range(self._count(element)))
            case "texts":
                return tuple(self._leaf(element) for _ in range(self._count(element)))
        return nth + 1 if element.tag == "nItem" else self._leaf(element)

    def _count(self, element: Element) -> int:
        return min(element.max_count, self.max_counts.get(element.tag, SEVERAL))

    def _leaf(self, element: Element) -> Any:
        number, limit = next(self._numbers), element.limit or 0
        if element.tag in FIXED_VALUES:
            value = FIXED_VALUES[element.tag]
            return str(value) if element.kind == "text" else value
        if element.kind == "decimal":
            return _decimal(element.tag, limit, number)
        if element.kind in MOMENTS:
            return MOMENTS[element.kind]
        return number if element.kind == "integer" else self._text(element.tag, limit, number)

    def _text(self, tag: str, limit: int, number: int) -> str:
        if limit <= SHORT:
            return ("W" if tag in LETTERS_IN_SHORT else "8") * limit
        return self.text(f"{MARK}{number}]", limit)


def _decimal(tag: str, places: int, number: int) -> Decimal:
    """Returns the largest number that fits, reduced in its last places so that no two are equal."""
    digits = RATE_DIGITS if tag.startswith("p") and places == 4 else DIGITS[places]
    return Decimal(10 ** (digits + places) - number).scaleb(-places)


def full_invoice(filling: Filling) -> bytes:
    """Returns an NF-e with every field, and an item for each kind of ICMS."""
    all_kinds = {
        "NFref": len(layout_of(ReferencedDocument).elements),
        "det": len(groups_in(ItemTaxes)["icms"]),
    }
    return written(replace(filling, max_counts=all_kinds | filling.max_counts).group(Invoice))


def full_receipt(filling: Filling) -> bytes:
    """Returns an NFC-e with every field that it may have, and the longest address in its QR code."""
    supplement = SUPPLEMENT.search(example("nfce", "offline-qr3"))
    assert supplement
    return written(filling.group(Invoice), supplement[0])


def full_note(filling: Filling) -> bytes:
    """Returns an NFS-e with every field."""
    note = filling.group(IssuedNote)
    declared = replace(note.declaration.note, id=f"DPS{SERVICE_KEY[:42]}")
    declaration = replace(note.declaration, note=declared)
    return file_of(replace(note, id=f"NFS{SERVICE_KEY}", declaration=declaration))


def full_waybill(filling: Filling, mode: type = Road) -> bytes:
    """Returns a CT-e with every field, by one mode, taken by a further party."""
    waybill = with_service(filling.group(Waybill), mode=WaybillMode(content=filling.group(mode)))
    about = replace(waybill.identification, taker=filling.group(OtherTaker))
    return waybill_xml(replace(waybill, id=f"CTe{KEY}", identification=about, complemented=()))


def full_os_waybill(filling: Filling) -> bytes:
    """Returns a CT-e OS with every field; tickets are electronic and on paper by turns."""
    waybill = filling.group(OsWaybill)
    tickets = (
        ReferencedTicket(bpe_access_key=KEY) if number % 2 else replace(ticket, bpe_access_key=None)
        for number, ticket in enumerate(waybill.service.referenced_documents)
    )
    service = replace(waybill.service, referenced_documents=tuple(tickets))
    return waybill_xml(replace(waybill, id=f"CTe{KEY}", service=service, complemented=()))


def full_manifest(filling: Filling, mode: type = ManifestRoad) -> bytes:
    """Returns an MDF-e with every field, by one mode."""
    manifest = replace(filling.group(Manifest), mode=ManifestModal(content=filling.group(mode)))
    return manifest_xml(replace(manifest, id=f"MDFe{KEY}"))


FULL = {
    "nfe": full_invoice,
    "nfce": full_receipt,
    "nfse": full_note,
    "cte": full_waybill,
    "cteOs": full_os_waybill,
    "mdfe": full_manifest,
}


def with_items(document_type: str, name: str, number: int) -> bytes:
    """Returns an example with its items repeated up to a number."""
    invoice = read_invoice(example(document_type, name))
    items = tuple(islice(cycle(invoice.items), number))
    supplement = SUPPLEMENT.search(example(document_type, name))
    return written(replace(invoice, items=items), supplement[0] if supplement else b"")


def in_other_letters(xml: bytes) -> bytes:
    """Returns the document with its long texts in scripts of the whole world."""
    root = etree.fromstring(xml)
    for leaf in root.iter():
        if leaf.text and leaf.text.startswith(MARK):
            leaf.text = (leaf.text[:SHORT] + WORLD * len(leaf.text))[: len(leaf.text)].strip()
    return etree.tostring(root)


def written(invoice: Invoice, supplement: bytes = b"") -> bytes:
    """Returns the XML of an invoice."""
    result = write(invoice)
    assert isinstance(result, WrittenPart), result
    return in_root(result, supplement)
