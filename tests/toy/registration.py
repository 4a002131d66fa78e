"""A pytest plugin, `-p toy.registration`, that puts the toys in the place of all real document types.

Some twenty modules read the registries when they are imported, so this plugin comes before all of them.
"""

import sys

_TOO_EARLY = ("carimbo.api", "carimbo.authorities", "carimbo.main", "carimbo.printing", "carimbo.service")

_NAMES = ("toy", "toynote", "toycharter")

if early := [name for name in sys.modules if name.startswith(_TOO_EARLY)]:
    raise ImportError(f"these modules have read the registries already: {', '.join(early)}")


def _register_types() -> None:
    from carimbo.fiscal import registry
    from toy.document_type import CHARTER, NOTE, TOY

    registry.DOCUMENT_TYPES = (TOY, NOTE, CHARTER)
    registry.MODULES = registry.DOCUMENT_TYPES
    registry.FEATURES = tuple(kind.feature for kind in registry.DOCUMENT_TYPES if kind.feature)


def _register_authority() -> None:
    from carimbo.authorities import registry
    from toy.authority import REGISTER

    registry.AUTHORITIES = {name: lambda *_: REGISTER for name in _NAMES}


def _register_pages() -> None:
    from carimbo.printing import registry
    from toy.page import draw_document, draw_event

    registry.DOCUMENT_PAGES = dict.fromkeys(_NAMES, draw_document)
    registry.EVENT_PAGES = dict.fromkeys(_NAMES, draw_event)


# The types first: importing the other registries imports modules that read them.
_register_types()
_register_authority()
_register_pages()
