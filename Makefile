# Public targets have a help text after two number signs.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long check format docs docs-site bench growth vast interop xarray-tests chains reliability fuzz mutants lowest test-pythons release-check release coverage test-upstream clean
.DELETE_ON_ERROR:

# The newest Python supports the newest releases of the programs that the tests compare with ncz.
ifndef PYTHON
PYTHON := $(shell bash tools/find_python.sh 3.14 3.13 3.12 3.11)
endif
# The lowest versions of the dependencies have wheels for the oldest Python.
LOWEST_PYTHON ?= $(shell bash tools/find_python.sh 3.11 3.12)
VENV ?= .venv
BIN := $(VENV)/bin
COVERED = 95
PYTEST_ARGS ?= -q -n 3 --dist worksteal

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PATH := $(abspath $(BIN)):$(PATH)

help: ## list the targets (the default)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.tests $(VENV)/.checks ## create a virtual environment for development in .venv

# Each rule writes its stamp last, so that make repeats an interrupted installation from the beginning.
$(VENV)/.ncz: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ncz needs Python 3.11 or later; set PYTHON=...")'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "this Python cannot create virtual environments; install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.tests: $(VENV)/.ncz
	$(BIN)/python -m pip install --quiet --group test
	@$(BIN)/python -m tools.install_group peers 'the tests that need it are skipped'
	@$(BIN)/python -m pip install --quiet --prefer-binary --group servers || echo "make: cannot install an S3 server; the tests that need one are skipped"
	@$(BIN)/python -m pip install --quiet --prefer-binary --group browser || echo "make: cannot install playwright; the tests in a browser are skipped"
	@# Compile the tests now; otherwise each process of make test compiles all of them.
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null || :
	@touch $@

$(VENV)/.checks: $(VENV)/.tests
	$(BIN)/python -m pip install --quiet --group check
	@touch $@

demo: $(VENV)/.ncz ## run gen, dump, ls, copy and a round trip on cdl_examples
	@bash tools/demo.sh

test: $(VENV)/.tests ## run the tests except the long ones; tests without their peer are skipped with a reason
	$(BIN)/python -m pytest -m "not long" --hypothesis-profile=few $(PYTEST_ARGS)

# sys.monitoring counts lines at little cost; it does not count the commands that tests start.
coverage: $(VENV)/.tests ## run the tests, and fail if they cover less than COVERED=95 percent of the lines
	@$(BIN)/python -m pip install --quiet --group coverage
	COVERAGE_CORE=sysmon $(BIN)/python -m pytest -m "not long" --hypothesis-profile=few $(PYTEST_ARGS) --cov=ncz --cov-report=term:skip-covered --cov-fail-under=$(COVERED)

# The arguments for pip: nightly wheels, if they exist for this Python. Set UPSTREAM to test against a branch,
# such as UPSTREAM=git+https://github.com/zarr-developers/zarr-python.
UPSTREAM ?= --extra-index-url https://pypi.anaconda.org/scientific-python-nightly-wheels/simple numpy xarray numcodecs zarr
UPSTREAM_ARGS ?= $(PYTEST_ARGS) -m "not long" tests/interop tests/api tests/formats/zarr tests/codec
test-upstream: ## run the tests with peers against the development versions of numpy, zarr-python, xarray and numcodecs; UPSTREAM=
	$(MAKE) --no-print-directory VENV=$(VENV)/upstream setup
	$(VENV)/upstream/bin/python -m pip install --quiet --upgrade --pre $(UPSTREAM)
	$(VENV)/upstream/bin/python -m pip list | grep -E '^(numpy|xarray|numcodecs|zarr) '
	$(VENV)/upstream/bin/python -m pytest $(UPSTREAM_ARGS)

test-long: $(VENV)/.tests ## run the long tests, which repeat other tests with more cases or all of them
	$(BIN)/python -m pytest -m "long or hypothesis" $(PYTEST_ARGS)

check: $(VENV)/.checks ## check format, lint, types and import contracts; run this before a commit
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell src docs tools README.md CONTRIBUTING.md SECURITY.md
	$(BIN)/zizmor --offline --quiet .github

format: $(VENV)/.checks ## format the code and apply ruff's fixes
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(VENV)/.ncz ## update the generated parts of README.md and docs
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_readme.py
	$(BIN)/python docs/make_design.py
	$(BIN)/python docs/make_readers.py
	$(BIN)/python docs/make_habits.py
	$(BIN)/python docs/make_pictures.py

$(VENV)/.site: $(VENV)/.ncz
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

docs-site: $(VENV)/.site ## build the documentation as a site in build/site
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/site
	@echo "build/site/index.html"

# The peers of the benchmarks have separate environments; rechunker needs zarr-python 2.
$(VENV)/.bench: $(VENV)/.tests
	@$(PYTHON) -m venv --clear $(VENV)/peers/bench
	@$(VENV)/peers/bench/bin/python -m tools.install_group bench 'its rows are left out'
	@{ $(PYTHON) -m venv --clear $(VENV)/peers/rechunker && $(VENV)/peers/rechunker/bin/python -m pip install --quiet rechunker 'zarr<3' 'numcodecs<0.16'; } \
	    || echo "make: cannot install rechunker; its rows are left out"
	@touch $@

bench: $(VENV)/.bench ## measure ncz and its peers; write the performance pages; QUICK=1 only prints ratios
	$(BIN)/python -m benchmarks.run --keep $(if $(QUICK),--quick,--output docs/development/performance.md)

growth: $(VENV)/.tests ## run each command on inputs of growing size; fail if its work grows faster than the input; GROWTH_ARGS=
	$(BIN)/python -W ignore -m benchmarks.growth $(GROWTH_ARGS)

# zarr-python 2, zarr-python 3.2 and the readers of aggregations need separate environments; zarrita.js needs a folder for node.
$(VENV)/.interop: $(VENV)/.tests
	@$(BIN)/python -m tools.install_group interop 'the tests that need it report this'
	@{ $(PYTHON) -m venv --clear $(VENV)/peers/zarr2 && $(VENV)/peers/zarr2/bin/python -m pip install --quiet 'zarr<3' 'numcodecs<0.16' fsspec 'xarray<2025.3'; } \
	    || echo "make: zarr-python 2 cannot be installed here; the tests that need it report this"
	@for python in python3.14 python3.13 python3.12 $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.1[2-9]*/bin/python; do \
	    $$python -c '' 2>/dev/null && $$python -m venv --clear $(VENV)/peers/zarr3 && $(VENV)/peers/zarr3/bin/python -m pip install --quiet 'zarr>=3.2' \
	        && { $(VENV)/peers/zarr3/bin/python -m pip install --quiet 'rasterio>=1.5' || echo "make: GDAL 3.12 cannot be installed here; the tests that need it report this"; } && exit 0; \
	done; echo "make: zarr-python 3.2 needs Python 3.12, which is not installed; the tests that need it report this"
	@{ $(PYTHON) -m venv --clear $(VENV)/peers/cfa && $(VENV)/peers/cfa/bin/python -m pip install --quiet cf-python cf-units cfapyx; } \
	    || echo "make: cf-python and cfapyx cannot be installed here; the tests that need them report this"
	@npm install --silent --no-fund --no-audit --prefix $(VENV)/peers/node zarrita@0.7 >/dev/null \
	    || echo "make: zarrita.js cannot be installed here; the tests that need it report this"
	@touch $@

vast: $(VENV)/.bench ## copy, rechunk and dump 50 GB and a million chunks, and copy with Dask; fail if memory or time grow
	$(BIN)/python -m benchmarks.vast $(VAST_ARGS)

interop: $(VENV)/.interop ## run the matrix of writers and readers, and random chains of copies by ncz; write docs/development/interop.md
	$(BIN)/python -m tests.interop.table --jobs 2 --write
	$(BIN)/python -m tests.interop.examples.between
	$(BIN)/python -m tests.interop.examples.table
	NCZ_CHAIN_EXAMPLES=500 $(BIN)/python -m pytest -q -n 2 tests/interop

xarray-tests: $(VENV)/.tests ## run xarray's tests of its engines with ncz as the reading engine
	@$(BIN)/python -m pip install --quiet --group xarray-tests || echo "make: cannot install pytest-asyncio; the tests of coroutines fail"
	$(BIN)/python -m pytest -q -n 2 -o addopts=-rs -W ignore -p no:cacheprovider tests/api/xarray/backends.py || test $$? = 5

CHAINS = 2000
chains: $(VENV)/.tests ## run CHAINS=2000 chains of random commands, and compare the results with numpy through other programs; SEED=n
	$(BIN)/python -m tests.chains $(CHAINS) $(SEED)

reliability: $(VENV)/.tests ## make every operation of each command fail; write docs/development/reliability.md; TABLES=names selects tables
	$(BIN)/python -W ignore -m tests.reliability --write $(if $(STEP),--step $(STEP)) $(if $(TABLES),--only $(TABLES))

# The run ends after INPUTS inputs if INPUTS is set, and otherwise after SECONDS.
SECONDS = 240
fuzz: $(VENV)/.tests ## read changed inputs of every kind for SECONDS=240 or INPUTS=n; SEED=n repeats a run
	$(BIN)/python -m tests.fuzz $(if $(INPUTS),--inputs $(INPUTS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

COUNT = 72
mutants: $(VENV)/.tests ## make mistakes in the core packages, and list the mistakes that no test notices; COUNT=72 SEED=1
	$(BIN)/python -m tools.mutants --count $(COUNT) $(if $(SEED),--seed $(SEED))

lowest: ## run the tests with the lowest versions that pyproject.toml allows
	$(LOWEST_PYTHON) -m tools.lowest $(LOWEST_ARGS)

PYTHONS_ARGS ?= -q -n 2 tests/formats tests/cdl tests/text tests/model tests/codec tests/views tests/zmap/local tests/zmap/icechunk tests/test_record.py
test-pythons: pyproject.toml ## run part of the tests on each other installed Python, with the newest releases for it
	@environments=; \
	for version in 3.11 3.12 3.13 3.14; do \
	    python=$$(bash tools/find_python.sh $$version); \
	    [ "$$python" = python3 ] || [ "$$python" = "$(PYTHON)" ] && continue; \
	    environments="$$environments $(VENV)/pythons/$$version"; \
	    $(MAKE) --no-print-directory PYTHON=$$python VENV=$(VENV)/pythons/$$version $(VENV)/pythons/$$version/.python & \
	done; \
	wait; \
	for environment in $$environments; do \
	    echo "make: the tests on Python $${environment##*/}"; \
	    test -e $$environment/.python || { echo "make: its environment could not be created"; exit 1; }; \
	    $$environment/bin/python -m pytest -m "not long" --hypothesis-profile=few $(PYTHONS_ARGS) || exit 1; \
	done

# The environment of another Python, for test-pythons.
$(VENV)/.python: $(VENV)/.ncz
	@rm -f $@
	$(BIN)/python -m pip install --quiet --group test
	@$(BIN)/python -m tools.install_group peers 'the tests that need it are skipped'
	@touch $@

release-check: ## build the sdist and the wheel, install each in an empty environment and run the demo
	$(PYTHON) -m tools.release_check

release: $(VENV)/.checks ## build and check the distributions of a version from a clean tree; print what to push
	$(BIN)/python -m tools.release

clean: ## remove everything that make created
	rm -rf $(VENV) demo build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
