"""Typed confirmations: a person types a word before something that can't be undone."""

import unicodedata

from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.form_view import FormProblem, FormView, problems_of, view_form
from carimbo.fiscal.body.fields import Body, Text
from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormSection
from carimbo.service.errors import Refusal

CONFIRMATION = "confirmation"


class Confirmation(Body):
    """What a person typed to confirm."""

    confirmation: Text


def confirmation_layout(label: str) -> FormLayout:
    """Returns the form with the input for the word."""
    field = FormField(path=CONFIRMATION, label=label)
    return FormLayout(body=Confirmation, sections=(FormSection(title="Confirmação", parts=(field,)),))


def confirmation_view(label: str, refusal: Refusal | None = None, wrong: str = "") -> FormView:
    """Returns the form; with the problem of a refusal, or with what is wrong with the typed word."""
    problems = [FormProblem(CONFIRMATION, wrong)] if wrong else problems_of(refusal)
    return view_form(TypedForm(confirmation_layout(label), {}), problems)


def is_same_word(typed: str, expected: str) -> bool:
    """Returns whether two words are equal but for accents, capital letters and blanks around them."""
    return _plain(typed) == _plain(expected)


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.strip().casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
