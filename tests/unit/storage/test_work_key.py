from uuid import UUID, uuid4

import pytest

from carimbo.storage.work import WorkKey, WorkKind

SOME_ID = UUID(int=1)


class TestWorkKey:
    @pytest.mark.parametrize("kind", WorkKind)
    def test_text_of_a_work_key_reads_back(self, kind: WorkKind) -> None:
        key = WorkKey(kind, uuid4(), uuid4())
        assert WorkKey.parse(str(key)) == key

    @pytest.mark.parametrize("kind", WorkKind)
    def test_every_kind_of_work_has_a_table(self, kind: WorkKind) -> None:
        assert WorkKey(kind, uuid4(), uuid4()).table.isidentifier()

    @pytest.mark.parametrize(
        "text", ["", "probe", f"probe:{SOME_ID}", f"nothing:{SOME_ID}:{SOME_ID}", "probe:a:b", "probe:::"]
    )
    def test_text_that_is_not_a_work_key_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match=r".+"):
            WorkKey.parse(text)
