"""Which tests run in the same process when several share them."""

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

_PROGRAMS = "tests/acceptance/"


class Shares(LoadFileScheduling):  # type: ignore[misc]
    """The tests of a file stay together, for they share what is dear to make.

    Those that start whole programs are all one share: two of them at once would leave no processor for
    either, and they measure how long things take.
    """

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return _PROGRAMS if file.startswith(_PROGRAMS) else file
