"""The problems of a sale in the words of its form, each at the input that a person can mend it at."""

import re
from dataclasses import replace

from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.form_view import FormProblem, problems_of, with_labels
from carimbo.service.catalog.product_bodies import ProductType
from carimbo.service.catalog.product_form import product_form
from carimbo.service.errors import Refusal
from carimbo.service.sales.documents import IF_IN_CATALOG
from carimbo.service.sales.sale_form import CUSTOMER, LINES

_UNKNOWN_ITEM = "Não há item com este SKU no catálogo: confira o SKU, ou cadastre o item antes."
_LINE_FIELD = re.compile(rf"{LINES.path}\[(?P<row>\d*)\](?:\.(?P<name>\w+))?")
_LINE = re.compile(rf"{LINES.path}\[\d*\]\.")
_LINE_FIELDS = frozenset(field.path for field in LINES.fields)
_OF_NEW_ITEMS = frozenset({"type", "category"})


def sale_problems(typed: TypedForm, refusal: Refusal | None) -> list[FormProblem]:
    """Returns the problems of a sale at the inputs that the form has."""
    problems = [_placed(typed, problem) for problem in problems_of(refusal)]
    unknown = {problem.path for problem in problems if problem.text == _UNKNOWN_ITEM}
    # An unknown item lacks several fields, none of which belongs to a sale of the catalog.
    names = {path.removesuffix("sku") + "name" for path in unknown}
    return list(dict.fromkeys(problem for problem in problems if problem.path not in names))


def _placed(typed: TypedForm, problem: FormProblem) -> FormProblem:
    """Moves what concerns an item, or a customer of the catalog, to the input that names it."""
    if typed.texts.get(CUSTOMER) and problem.path.startswith(f"{CUSTOMER}."):
        return replace(problem, path=CUSTOMER)
    line = _LINE_FIELD.match(problem.path)
    if line is None or line["name"] in _LINE_FIELDS:
        return problem
    text = _UNKNOWN_ITEM if line["name"] in _OF_NEW_ITEMS else _in_words_of_catalog(problem.text)
    hint = problem.hint and _in_words_of_catalog(problem.hint.replace(IF_IN_CATALOG, " do item no catálogo"))
    return FormProblem(f"{LINES.path}[{line['row']}].sku", text, hint)


def _in_words_of_catalog(text: str) -> str:
    """Returns a message with the labels that the forms of items have for their fields."""
    text = _LINE.sub("", text)
    for item_type in (ProductType.PRODUCT, ProductType.SERVICE):
        text = with_labels(text, product_form(item_type))
    return text
