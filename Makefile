PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Debian packages that the tests run as programs; nothing is skipped when one is missing.
DEBIAN_PACKAGES := chromium fonts-liberation nodejs php-cli poppler-utils xmlsec1
INSTALLED := $(VENV)/.installed
DEV_INSTALLED := $(VENV)/.installed-dev
BENCH_INSTALLED := $(VENV)/.installed-bench

PYTEST = $(BIN)/pytest --numprocesses=$(or $(PROCESSES),2) --durations=30
BENCHMARK = $(BIN)/python benchmarks/
# The tests start many programs: none of them compiles the sources anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install demo test check static lint types imports sizes names collect unit integration fuzz mutants format reference golden pictures bench figures soak pin clean

help: ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

install: $(INSTALLED) ## make .venv and install carimbo

demo: $(INSTALLED) ## run everything on this machine, with a sample company; its clock may begin at NOW
	$(BIN)/carimbo demo $(if $(NOW),--now $(NOW))

test: check integration ## run everything that must pass

check: static unit ## style, types, imports, sizes, names and unit tests

# The types take the longest: they begin first, and the others run beside them.
static: $(DEV_INSTALLED) ## style, types, imports, sizes and names
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target types lint imports sizes names collect

lint: $(DEV_INSTALLED) ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV_INSTALLED) ## static types
	$(BIN)/mypy

imports: $(DEV_INSTALLED) ## who may import whom
	$(BIN)/lint-imports

sizes: $(INSTALLED) ## the longest files and functions; none may be too long
	$(BIN)/python scripts/sizes.py

names: $(INSTALLED) ## names that do not say what they hold, and class names that occur twice; there may be no new one
	$(BIN)/python scripts/names.py

# pytest compiles the tests here, once. Otherwise every process of the next run would compile them.
collect: $(DEV_INSTALLED) ## find all tests without running them
	@$(BIN)/pytest --collect-only -qq > $(VENV)/collected || { cat $(VENV)/collected; exit 1; }

unit: $(DEV_INSTALLED) ## unit tests, in PROCESSES processes (2)
	$(PYTEST) tests/unit

# Files go out in this order: the longest, of tests that start whole programs, come first. They mostly wait for leases
# and pauses to end, so that there is work for more processes than cores.
integration: PROCESSES ?= 4
integration: $(DEV_INSTALLED) ## tests of several parts together, of whole programs and in a browser
	$(PYTEST) --no-loadscope-reorder tests/acceptance tests/browser tests/integration
	$(PYTEST) -p toy.registration tests/toy

fuzz: $(DEV_INSTALLED) ## wide random tests, before a release: FUZZ_EXAMPLES a property
	$(PYTEST) tests/fuzz

mutants: $(DEV_INSTALLED) ## break behaviours one by one, before a release: tests must notice each
	$(BIN)/python scripts/mutants.py

format: $(DEV_INSTALLED) ## rewrite files in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reference: $(INSTALLED) ## write docs/reference from the code
	$(BIN)/python scripts/reference.py

golden: $(INSTALLED) ## write the XML of every example
	$(BIN)/python scripts/golden.py

pictures: $(DEV_INSTALLED) ## draw the pictures of docs/images
	$(BIN)/python scripts/pictures.py
	$(BIN)/python scripts/dashboard_pictures.py

bench: $(BENCH_INSTALLED) ## how fast documents are made, printed, judged and issued, with STORED documents too (100000)
	$(BENCHMARK)core.py
	$(BENCHMARK)waybills.py
	$(BENCHMARK)judging.py
	$(BENCHMARK)pdf.py
	$(BENCHMARK)pipeline.py
	$(BENCHMARK)accept.py
	$(BENCHMARK)webhooks.py
	$(BENCHMARK)lookups.py
	$(BENCHMARK)growth.py --documents $(or $(STORED),100000)
	$(BENCHMARK)inbox.py --documents $(or $(STORED),100000)
	$(BENCHMARK)dashboard.py --documents $(or $(STORED),100000)

figures: BENCHMARK = $(BIN)/python benchmarks/record.py benchmarks/
figures: bench ## make bench, and write its figures to docs/howto/benchmarks.md

soak: $(DEV_INSTALLED) ## every fault at once over DOCUMENTS documents (10000)
	$(BIN)/python benchmarks/soak.py --documents $(or $(DOCUMENTS),10000)

pin: ## take the newest versions and write them to constraints.txt
	rm -rf $(VENV)
	$(MAKE) CONSTRAINTS= $(DEV_INSTALLED) $(BENCH_INSTALLED)
	$(BIN)/pip freeze --exclude-editable | sort -f > constraints.txt

clean: ## remove .venv and the demo's data
	rm -rf $(VENV) .carimbo

CONSTRAINTS ?= --constraint constraints.txt
PIP_INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check $(CONSTRAINTS)

# A virtual environment whose making was cut short has no pip, and is made anew.
define MAKE_VENV
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "carimbo needs Python 3.11 or newer")'
test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV)
endef

$(INSTALLED): pyproject.toml constraints.txt
	$(MAKE_VENV)
	$(PIP_INSTALL) --editable .
	touch $@

# The tools of developers come together with carimbo: one installation, not two. Python compiles the few modules that
# tests import; to compile all of them takes a third of the installation.
$(DEV_INSTALLED): scripts/debian-packages pyproject.toml constraints.txt
	$(MAKE_VENV)
	scripts/debian-packages $(DEBIAN_PACKAGES)
	$(PIP_INSTALL) --no-compile --editable '.[dev]'
	touch $(INSTALLED) $@

$(BENCH_INSTALLED): scripts/debian-packages $(INSTALLED)
	scripts/debian-packages $(DEBIAN_PACKAGES)
	$(PIP_INSTALL) --editable '.[bench]'
	touch $@
