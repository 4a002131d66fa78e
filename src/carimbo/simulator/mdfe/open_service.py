"""MDFeConsNaoEnc: lists the open MDF-e of an issuer."""

from collections.abc import Sequence
from dataclasses import dataclass

from carimbo.simulator.mdfe.manifests import OpenManifest, OpenManifests
from carimbo.simulator.mdfe.open_question import OpenQuestion
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer
from carimbo.simulator.sefaz.call import Message, ServiceCall
from carimbo.simulator.xml_messages import element_with, text_elements

_FOUND, _NONE_FOUND = AuthorityVerdict("111"), AuthorityVerdict("112")
_MAX_SUBJECT_LENGTH = 14


@dataclass(frozen=True)
class OpenManifestsService:
    """Answers with key and protocol of every open MDF-e of an issuer."""

    rules: tuple[RejectionRule[OpenQuestion], ...]

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges the question and answers it."""
        question = OpenQuestion(call)
        if refusal := first_broken(self.rules, question, call.context.controls.rules_off):
            return self.refuse(call, refusal)
        manifests = OpenManifests(call.context.store, call.service_path.environment).of_issuer(
            question.issuer
        )
        return _answer(call, _FOUND if manifests else _NONE_FOUND, manifests)

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers without documents."""
        return _answer(call, verdict)

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers with any code."""
        return self.refuse(call, verdict)

    def subject(self, message: Message) -> str:
        """Returns the issuer."""
        return (message.text_at("CNPJ") or message.text_at("CPF"))[:_MAX_SUBJECT_LENGTH]


def _answer(
    call: ServiceCall, verdict: AuthorityVerdict, manifests: Sequence[OpenManifest] = ()
) -> ServiceAnswer:
    """`retConsMDFeNaoEnc`."""
    authority = AnsweringAuthority.of(call)
    head = text_elements(authority.head_fields(verdict) | {"cUF": authority.home_state.ibge})
    documents = (
        element_with("infMDFe", text_elements({"chMDFe": manifest.access_key, "nProt": manifest.protocol}))
        for manifest in manifests
    )
    return ServiceAnswer(call.dialect.message("retConsMDFeNaoEnc", head + "".join(documents)), verdict.code)
