"""Numbers that never became documents, to be given up at the authority."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import Filed, NumberRange, Teller, Voiding
from carimbo.fiscal.lifecycle import NO_EFFECT, FilingState
from carimbo.fiscal.outcome import Duplicate, Outcome
from carimbo.fiscal.sender import Sender
from carimbo.service.contexts import WorkerContext
from carimbo.service.dossier import Dossier
from carimbo.service.filing.decision import Decision, FilingJudge, Refused, Registered
from carimbo.service.kinds import kind_named
from carimbo.service.ports import Authority, VoidingAuthority
from carimbo.storage.inutilizations import Inutilization, NewInutilization
from carimbo.storage.work import WorkKey

# Of all that says that numbers are void: this very range was voided before, by ourselves as a rule.
# The others (206, 256) say it of some number of the range.
_SAME_RANGE = "563"


@dataclass(frozen=True)
class RangeStatement:
    """A range of numbers."""

    filing: Inutilization
    dossier: Dossier

    name = "inutilization"
    effect = NO_EFFECT
    allowed = ()
    replaced_by = None
    persists = False

    @property
    def kind(self) -> DocumentType:
        return kind_named(self.filing.document_type)

    @property
    def environment(self) -> Environment:
        return Environment(self.filing.environment)

    @property
    def subject(self) -> str:
        return str(self.filing.id)

    def having(self, **changes: Any) -> "RangeStatement":
        """The same after its row was changed."""
        return replace(self, filing=replace(self.filing, **changes))

    def make(self, teller: Teller, now: datetime) -> Filed:
        """Sign it, or tell what is wrong with it."""
        return voiding_of(self.kind).issue(range_of(self.filing), teller)

    async def send(self, authority: Authority, sender: Sender, signed: bytes) -> Outcome:
        """Ask for its registration."""
        if not isinstance(authority, VoidingAuthority):
            raise LookupError(f"nobody takes numbers of {self.kind.name} back")
        return await authority.inutilize(sender, signed)

    async def ask(self, authority: Authority, sender: Sender, signed: bytes) -> Outcome:
        """No service tells what became of a range: sent once more, one that is void is told to be."""
        return await self.send(authority, sender, signed)

    def decide(self, judge: FilingJudge, outcome: Outcome) -> Decision:
        """That all of its numbers are void is what was wanted, whenever it came about."""
        if isinstance(outcome, Duplicate):
            is_single = self.filing.first_number == self.filing.last_number
            is_void = is_single or outcome.code == _SAME_RANGE
            return Registered(outcome) if is_void else Refused(outcome)
        return judge.decide(FilingState(self.filing.state), self.filing.tries, outcome)


def voiding_of(kind: DocumentType) -> Voiding:
    """How numbers of a type are given up; only types that can have routes for it."""
    if kind.numbering.voiding is None:
        raise LookupError(f"numbers of {kind.name} are not given up")
    return kind.numbering.voiding


def range_of(row: Inutilization | NewInutilization) -> NumberRange:
    """The range of a row."""
    return NumberRange(row.year, row.series, row.first_number, row.last_number, row.justification)


async def read_range(means: WorkerContext, key: WorkKey) -> RangeStatement:
    """Read a range with whose it is."""
    async with means.database.autocommit(key.subscription_id) as tenant:
        filing = await tenant.inutilizations.get(key.id)
        company = filing and await tenant.companies.get(filing.company_id, deleted_too=True)
    if not filing or not company:
        raise LookupError(f"{key} has no range or no company")
    dossier = await means.dossiers.of(key.subscription_id, company.id, company.revision)
    return RangeStatement(filing, dossier)
