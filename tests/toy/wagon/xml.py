"""A wagon bill: composed, checked by its only rule, written and signed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance, Lines
from carimbo.fiscal.layouts.signed_part import WrittenPart, try_write_part
from carimbo.fiscal.making import Composition, DocumentMaker
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import At, DocumentCheck, Judgement, RuleBook, judge
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from toy.wagon.layout import DIALECT, MODEL, Identification, Issuer, Wagon
from toy.wagon.request import WagonRequest

Problems = tuple[Problem, ...]
MAX_AXLES = 8
RULES: RuleBook[DocumentCheck[Wagon]] = RuleBook()


@RULES.rule("901", "Manual do vagão, G01", f"Um vagão tem no máximo {MAX_AXLES} eixos.")
def too_many_axles(wagon: Wagon) -> At | None:
    """Refuses a wagon that is too heavy for the track."""
    return At("axles") if wagon.axles > MAX_AXLES else None


@dataclass(frozen=True, slots=True)
class WagonPreview:
    """A preview of a bill."""

    amount: Decimal
    xml: bytes
    lines: Lines = ()

    @property
    def totals(self) -> Mapping[str, Any]:
        """The only total is the amount."""
        return {"amount": self.amount}


def compose(request: WagonRequest, issuance: Issuance) -> Composition[Wagon | None]:
    """Returns the bill of a request."""
    emission, company = issuance.emission, issuance.company
    key = emission.access_key(MODEL, company)
    identification = Identification(
        state_code=key.state_code,
        numeric_code=emission.numeric_code,
        model=MODEL,
        series=emission.series,
        number=emission.number,
        check_digit=key[-1],
        issued_at=emission.issued_at,
        emission_type=emission.type,
        environment=emission.environment.code,
        notes=request.notes,
    )
    wagon = Wagon(
        id=f"{DIALECT.stem}{key}",
        identification=identification,
        issuer=Issuer(cnpj=company.tax_id),
        receiver=request.receiver,
        axles=request.axles,
        amount=request.amount,
    )
    return Composition(wagon, (), ())


def _judge(wagon: Wagon, _request: WagonRequest, _issuance: Issuance) -> Judgement:
    return judge((RULES,), wagon, lambda code: None)


def _write(wagon: Wagon) -> WrittenPart | Problems:
    return try_write_part(wagon, DIALECT.namespace)


def _in_root(written: WrittenPart, signature: bytes = b"") -> bytes:
    opening = f'<Toy xmlns="{DIALECT.namespace}" versao="{DIALECT.version}">'.encode()
    return b"".join((opening, written.inside, signature, b"</Toy>"))


def _enclose(_: Wagon, written: WrittenPart, signature: Signature, __: Issuance) -> SignedDocument:
    key = written.id.removeprefix(DIALECT.stem)
    return SignedDocument(_in_root(written, signature.text), key, signature.digest_value)


def _check(_signed: SignedDocument, _schemas: Schemas) -> Problems:
    """Returns no problems: the wagon has no XSD."""
    return ()


def _combine(composed: Problems, judgement: Judgement, layout: Problems) -> Judgement:
    return replace(judgement, problems=(*composed, *judgement.problems, *layout))


_MAKER = DocumentMaker(
    compose=compose,
    judge=_judge,
    write=_write,
    enclose=_enclose,
    in_root=_in_root,
    check=_check,
    preview=lambda wagon, text: WagonPreview(wagon.amount, text),
    combine=_combine,
)
review = _MAKER.review
issue = _MAKER.issue
