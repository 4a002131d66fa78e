"""Documentation pages with runnable commands, and the mistakes that are reported for wrong pages."""

import json
import re
from pathlib import Path

import page_runs
import psutil  # type: ignore[import-untyped]
import pytest
from page_runs import flaws_of
from runnable_pages import PageFlaw, blocks_of, steps_of
from shown_output import difference

from acceptance.demo_runs import is_alive, until
from documentation import ROOT, first_week

OTHER_ADDRESSES = {
    "baseUrl": "http://127.0.0.1:18000",
    "simulatorUrl": "https://127.0.0.1:18443",
    "simulatorControlUrl": "http://127.0.0.1:18444",
}


def page_of(*blocks: tuple[str, str]) -> str:
    """Returns a page of blocks, each given by its info string and its content."""
    return "# Title\n" + "".join(f"\nThen:\n\n```{info}\n{text}\n```\n" for info, text in blocks)


def refusal_of(page: str) -> str:
    """Returns why the blocks of a page are refused, or an empty text if they are accepted."""
    try:
        steps_of(blocks_of(page))
    except PageFlaw as flaw:
        return str(flaw)
    return ""


@pytest.fixture
def runner(tmp_path: Path) -> "PageRunner":
    (tmp_path / "demo.json").write_text(json.dumps(OTHER_ADDRESSES))
    (tmp_path / "env").write_text("export BASE=http://127.0.0.1:18000\n")
    return PageRunner(tmp_path)


class PageRunner:
    """Writes pages into a data folder and returns their mistakes."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.page = data / "page.md"

    def mistakes_in(self, *blocks: tuple[str, str]) -> list[str]:
        self.page.write_text(page_of(*blocks))
        return flaws_of(self.page, self.data)


class TestBlocks:
    def test_blocks_are_distinguished_by_their_info_strings(self) -> None:
        page = page_of(("sh", "rm -rf /"), ("sh run", "echo 1"), ("text output", "1"), ("sh run", "echo 2"))
        first, second = steps_of(blocks_of(page))
        assert (first.commands.text, first.output and first.output.text) == ("echo 1\n", "1\n")
        assert (second.commands.text, second.output) == ("echo 2\n", None)

    def test_blocks_may_be_part_of_a_list(self) -> None:
        (block,) = blocks_of("1. Do:\n\n   ```sh run\n   if true; then\n     echo 1\n   fi\n   ```\n")
        assert block.text == "if true; then\n  echo 1\nfi\n"
        assert (block.first_line, block.last_line) == (3, 7)

    def test_blocks_that_cannot_be_run_are_refused_with_their_line(self) -> None:
        refusals = {
            page_of(("python run", "print(1)")): "5: only sh can be run, not python",
            "\n```sh run\necho 1\n": "2: the block has no end",
            "Then:\n\n~~~sh run\necho 1\n~~~\n": "3: a block begins with ```",
        }
        for info in ("sh runs", "sh run twice", "json outputs", "python file=", "sh RUN"):
            refusals[page_of((info, ""))] = "5: nobody knows"
        shown = {page: refusal_of(page) for page in refusals}
        assert {page: why for page, why in shown.items() if not why.startswith(refusals[page])} == {}

    def test_block_may_show_another_fence(self) -> None:
        (block,) = blocks_of(page_of(("sh", "~~~")))
        assert block.text == "~~~\n"

    def test_blocks_that_hide_a_failure_are_refused(self) -> None:
        commands = (
            "export A=$(false)",
            "export A=1 B=http://$(false)",
            "export A=`false`",
            "export A=1 \\\n  B=$(false)",
            "f() { local a=$(false); }; f",
            "  local a=$(false)",
            "declare -r A=$(false)",
            "readonly A=$(false)",
            "if true; then export A=$(false); fi",
            "A=1; export B=$(false)",
        )
        hidden = "7: nobody would see this command fail"
        run = {command: refusal_of(page_of(("sh run", f"true\n{command}"))) for command in commands}
        assert [command for command, why in run.items() if not why.startswith(hidden)] == []
        assert [command for command in commands if refusal_of(page_of(("sh", f"true\n{command}")))] == []

    def test_blocks_whose_failure_is_visible_are_accepted(self) -> None:
        commands = (
            "A=$(true)\nexport A",
            "A=$(true); export A",
            "export A=$((1 + 1)) B=${A:-1}",
            "echo $(true)",
        )
        assert [command for command in commands if refusal_of(page_of(("sh run", command)))] == []

    def test_output_blocks_must_follow_run_blocks(self) -> None:
        for before in ([], ["sh"], ["python file=a.py"], ["sh run", "text output"]):
            page = page_of(*((info, "") for info in [*before, "text output"]))
            assert "this output has no `run` block above it" in refusal_of(page), before


class TestDifference:
    def test_varying_values_are_not_a_difference(self) -> None:
        texts = (
            ('{"a": [1, 2]}\n', '{\n  "a":[1,2]\n}'),
            ("01a1e424-d60b-71a8-ae80-f11d0429a10f", "672de8b4-bd8b-695e-e424-eed1293bcca2"),
            ("at 2026-11-16T11:36:21.771199Z", "at 2027-01-02T10:00:00-03:00"),
            ("16/11/2026 10:00, 2026-11-16", "01/12/2027 23:59:59, 2027-12-01"),
            ("chave 35261111222333000181550010000000011663424505", "chave 1234567890"),
            ("59.80 1234567890", "59.80 99999999999999"),
            ('{"id": …, "status": "a", …}', '{"id": 1, "status": "b", "status": "a", "x": 2}'),
            ("…", ""),
            ("a … z", "a z b z"),
            ("(…) 1 + 1 = …", "(x) 1 + 1 = 2"),
        )
        assert [shown for shown, printed in texts if difference(shown, printed) is not None] == []

    def test_difference_is_reported_from_where_it_begins(self) -> None:
        texts = (
            ("status: authorized", "status: rejected", "'rejected' is printed where 'authorized' is shown"),
            ("one", "one two", "'two' is printed where nothing more is shown"),
            ("one two", "one", "nothing more is printed where 'two' is shown"),
            ("n 123456789 …", "n 987654321", "'987654321' is printed where '123456789 …' is shown"),
            ("at 2026-11-16 b", "at never b", "'neverb' is printed where '2026-11-16 b' is shown"),
            ("a … z …", "a b", "'b' is printed where 'z …' is shown"),
            ("a … z", "a z b", "'b' is printed where nothing more is shown"),
        )
        differences = [(shown, printed, difference(shown, printed)) for shown, printed, _ in texts]
        assert differences == list(texts)

    def test_difference_in_long_texts_is_found_in_reasonable_time(self) -> None:
        assert difference("a…" * 200 + "b", "a" * 20000) is not None


class TestFlaws:
    def test_correct_page_has_no_mistakes(self, runner: PageRunner) -> None:
        program = "import sys\nprint(sys.argv[1], '$HOME', `1`)".replace("`", '"')
        assert not runner.mistakes_in(
            ("sh", "exit 1"),
            ("sh run", ". .carimbo/env\nls examples/README.md .venv/bin/python\nNAME=value"),
            ("python file=program.py", program),
            ("sh run", 'python3 program.py "$NAME"'),
            ("text output", "value $HOME 1"),
        )

    def test_mistake_is_reported_with_page_line_command_and_both_texts(self, runner: PageRunner) -> None:
        (flaw,) = runner.mistakes_in(("sh run", "echo right"), ("sh run", "echo one"), ("text output", "two"))
        assert flaw.startswith(f"{runner.page}:11:\necho one\n")
        assert "'one' is printed where 'two' is shown" in flaw

    def test_mistakes_are_reported_for_every_output(self, runner: PageRunner) -> None:
        assert len(runner.mistakes_in(*[("sh run", "echo one"), ("text output", "two")] * 3)) == 3

    def test_failing_command_is_reported(self, runner: PageRunner) -> None:
        after = [("text output", "…"), ("sh run", "echo not reached")]
        for commands in (
            "true\nfalse\ntrue",
            "true\nfalse | true",
            "f() {\n  false; }\nf",
            "true\necho $NOWHERE",
            "true\nexit 0",
        ):
            (flaw,) = runner.mistakes_in(("sh run", commands), *after)
            assert flaw.startswith(f"{runner.page}:5:\n{commands}\n--- ended the shell with ")

    def test_failure_after_the_last_command_is_reported(self, runner: PageRunner) -> None:
        file = ("text file=nowhere/note.txt", "note")
        for blocks in (
            [("sh run", "true"), file],
            [("sh run", "trap 'exit 3' EXIT")],
            [("sh run", "echo one"), ("text output", "one"), file],
        ):
            (flaw,) = runner.mistakes_in(*blocks)
            assert flaw.startswith(f"{runner.page}:5:\n")
            assert "--- what comes after it ended the shell with " in flaw

    def test_exit_trap_that_does_not_end_is_reported(
        self, runner: PageRunner, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(page_runs, "SECONDS_A_PAGE", 0.5)
        (flaw,) = runner.mistakes_in(("sh run", "trap 'sleep 100' EXIT"))
        assert "--- what comes after it took too long" in flaw

    def test_failure_is_reported_with_its_line(self, runner: PageRunner) -> None:
        (flaw,) = runner.mistakes_in(("sh run", "true"), ("sh run", "true\nf() {\n  test 1 = 2\n}\nf"))
        assert "exit 1 at line 14: test 1 = 2" in flaw

    def test_page_that_does_not_end_is_reported(
        self, runner: PageRunner, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(page_runs, "SECONDS_A_PAGE", 0.5)
        (flaw,) = runner.mistakes_in(("sh run", "echo begun; until false; do sleep 0.1; done"))
        assert "--- took too long, and printed:\nbegun" in flaw

    def test_unreadable_blocks_are_reported(self, runner: PageRunner) -> None:
        assert runner.mistakes_in(("text output", "")) == [
            f"{runner.page}:5: this output has no `run` block above it"
        ]


class TestRun:
    def test_run_leaves_no_process(self, runner: PageRunner) -> None:
        assert not runner.mistakes_in(("sh run", "sleep 100 &\necho $! > .carimbo/pid"))
        pid = int((runner.data / "pid").read_text())
        until(lambda: not psutil.pid_exists(pid) or not is_alive(psutil.Process(pid)), 5)

    def test_run_does_not_see_the_environment_of_the_caller(
        self, runner: PageRunner, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BASE", "http://127.0.0.1")
        (flaw,) = runner.mistakes_in(("sh run", "echo $BASE"))
        assert "BASE: unbound variable" in flaw

    def test_run_replaces_the_addresses_shown_by_those_of_the_demo(self, runner: PageRunner) -> None:
        assert not runner.mistakes_in(
            ("python file=url.py", 'print("http://127.0.0.1:8000/docs".replace(":", "-"))'),
            ("sh run", ". .carimbo/env; echo $BASE/v1\npython3 url.py"),
            ("text output", "http://127.0.0.1:8000/v1 http-//127.0.0.1-18000/docs"),
        )


def test_commands_take_the_addresses_of_the_demo_from_its_env_file() -> None:
    """A reader's demo may be on other ports, where `127.0.0.1:8444` is nothing or another program."""
    fixed = [
        (page, step.commands.text)
        for page in first_week()
        for step in steps_of(blocks_of((ROOT / page).read_text(encoding="utf-8")))
        if re.search(r":(8000|8443|8444)\b", step.commands.text)
    ]
    assert fixed == []
