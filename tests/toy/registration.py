"""A pytest plugin, `-p toy.registration`, that replaces all real document types by the toys.

Some twenty modules read the registries when they are imported, so this plugin must be loaded before them.
"""

import sys

_TOO_EARLY = ("carimbo.api", "carimbo.authorities", "carimbo.main", "carimbo.printing", "carimbo.service")

_NAMES = ("toy", "toynote", "toycharter")

if early := [name for name in sys.modules if name.startswith(_TOO_EARLY)]:
    raise ImportError(f"these modules have read the registries already: {', '.join(early)}")


def _register_types() -> None:
    from carimbo.fiscal import registry
    from toy.document_type import CHARTER, NOTE, TOY
    from toy.wagon.definition import WAGON

    registry.DOCUMENT_TYPES = (TOY, NOTE, CHARTER, WAGON)
    registry.FEATURES = tuple(
        document_type.feature for document_type in registry.DOCUMENT_TYPES if document_type.feature
    )


def _register_authority() -> None:
    from carimbo.authorities import registry
    from toy.authority import REGISTER
    from toy.wagon.authority import wagon_authority

    registry.AUTHORITIES = dict.fromkeys(_NAMES, lambda *_: REGISTER) | {"wagon": wagon_authority}


def _register_pages() -> None:
    from carimbo.printing import registry
    from toy.page import draw_document, draw_event
    from toy.wagon import page

    registry.DOCUMENT_PAGES = dict.fromkeys(_NAMES, draw_document) | {"wagon": page.draw_document}
    registry.EVENT_PAGES = dict.fromkeys(_NAMES, draw_event) | {"wagon": page.draw_event}


def _register_simulator() -> None:
    from carimbo.simulator import registry
    from toy.wagon.simulated import TOY_FAMILY

    registry.FAMILIES = (TOY_FAMILY,)


# The types first: importing the other registries imports modules that read the types.
_register_types()
_register_authority()
_register_pages()
_register_simulator()
