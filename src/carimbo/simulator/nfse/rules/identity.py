"""Rules of the declaration's Id, dates, environment and city of issue (Anexo I, infDPS)."""

from carimbo.simulator.calendar import CITY_AGREEMENTS_SINCE, Milestone
from carimbo.simulator.cities import City, city_of
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.rules.persons import is_city
from carimbo.simulator.nfse.stored_notes import inscription
from carimbo.simulator.nfse.taxation import is_mei, is_small
from carimbo.simulator.rules import Finding, RejectionRule

_LAST_SERIES = 49_999
"""The last series for taxpayers' software; higher ones belong to other emitters."""
_PROVIDER = "1"


def other_id(dps: JudgedDps) -> bool:
    """The Id is not made of city, tax id, series and number."""
    if not dps.author:
        return False
    numbered = f"{int(dps.text('serie')):05d}{int(dps.text('nDPS')):015d}"
    return dps.id != f"DPS{dps.text('cLocEmi')}{inscription(dps.author)}{numbered}"


def other_environment(dps: JudgedDps) -> bool:
    """The declaration is for the other environment (production or homologation)."""
    return dps.text("tpAmb") != dps.service_path.environment


def issued_in_the_future(dps: JudgedDps) -> bool:
    """The declaration was issued later than now, by the authority's clock."""
    return dps.issued_at > dps.context.now


def other_series(dps: JudgedDps) -> bool:
    """The series is zero, or belongs to the web or mobile emitters."""
    return not 1 <= int(dps.text("serie")) <= _LAST_SERIES


def issued_before(dps: JudgedDps) -> Finding:
    """A note was already issued for the same declaration; it is named."""
    return dps.earlier_key


def done_after_issue(dps: JudgedDps) -> bool:
    """The competence is after the day of issue."""
    return dps.competence > dps.issued_at.date()


def done_before_agreement(dps: JudgedDps) -> bool:
    """The competence is before the first agreements of cities."""
    return dps.competence < CITY_AGREEMENTS_SINCE


def reason_out_of_place(dps: JudgedDps) -> bool:
    """A reason for issue by another party, although the provider issues."""
    return dps.text("tpEmit") == _PROVIDER and dps.has("cMotivoEmisTI")


def issued_by_another(dps: JudgedDps) -> bool:
    """Taker or intermediary issues, which this version does not accept."""
    return dps.text("tpEmit") != _PROVIDER


def city_unknown(dps: JudgedDps) -> bool:
    """The code is not a Brazilian city."""
    return not is_city(dps.text("cLocEmi"))


def without_agreement(dps: JudgedDps) -> bool:
    """The city has not joined the national system."""
    return not _city(dps).has_agreement


def with_own_emitter(dps: JudgedDps) -> bool:
    """The city has joined but issues by its own system."""
    return _city(dps).has_agreement and not _city(dps).has_national_emitter


def by_others_than_mei(dps: JudgedDps) -> bool:
    """Applies to all but MEI, who issue at the Sefin Nacional in every city."""
    return not is_mei(dps)


def by_those_a_city_may_serve(dps: JudgedDps) -> bool:
    """Applies to those who may use a city's own system: not MEI, and no longer others in the Simples."""
    is_obliged = is_small(dps) and dps.follows(Milestone.NFSE_SIMPLES_USES_NATIONAL_EMITTER)
    return not is_mei(dps) and not is_obliged


def _city(dps: JudgedDps) -> City:
    return city_of(dps.text("cLocEmi"))


IDENTITY_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0004", other_id),
    RejectionRule("E0006", other_environment),
    RejectionRule("E0008", issued_in_the_future),
    RejectionRule("E0010", other_series),
    RejectionRule("E0014", issued_before),
    RejectionRule("E0015", done_after_issue),
    RejectionRule("E0016", done_before_agreement, by_others_than_mei),
    RejectionRule("E0029", reason_out_of_place),
    RejectionRule("E9996", issued_by_another),
    RejectionRule("E0037", city_unknown),
    RejectionRule("E0038", without_agreement, by_others_than_mei),
    RejectionRule("E0039", with_own_emitter, by_those_a_city_may_serve),
)
