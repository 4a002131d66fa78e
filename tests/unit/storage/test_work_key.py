from uuid import uuid4

import pytest

from carimbo.storage.work import WorkKey, WorkKind


class TestWorkKey:
    @pytest.mark.parametrize("kind", WorkKind)
    def test_every_kind_of_work_has_a_table(self, kind: WorkKind) -> None:
        assert WorkKey(kind, uuid4(), uuid4()).table.isidentifier()
