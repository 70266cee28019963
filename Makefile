# Every target that a person calls has a line of help behind two number signs.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check format docs bench interop clean
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= -q -n 2 --dist loadfile

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PATH := $(abspath $(BIN)):$(PATH)

help: ## what you can do here (the default)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.tests $(VENV)/.checks ## a virtual environment with ncz, its tests and its checks in it

# A stamp is made last: an environment that was interrupted has none, and is made again from nothing.
$(VENV)/.ncz: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ncz needs Python 3.11 or later; set PYTHON=...")'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "this Python cannot make virtual environments; install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.tests: $(VENV)/.ncz
	$(BIN)/python -m pip install --quiet --group test
	@for peer in $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["peers"])'); do \
	    $(BIN)/python -m pip install --quiet --prefer-binary "$$peer" || echo "make: $$peer cannot be installed here; the tests that need it will say so"; \
	done
	@$(BIN)/python -m pip install --quiet --prefer-binary --group servers || echo "make: no S3 server can be installed here; the tests that need one will say so"
	@touch $@

$(VENV)/.checks: $(VENV)/.tests
	$(BIN)/python -m pip install --quiet --group check
	@touch $@

show = @printf '\n$$ %s\n' '$(1)'; $(1)

demo: $(VENV)/.ncz ## gen, dump, ls, copy and a round trip on cdl_examples
	@rm -rf demo && mkdir -p demo/again
	$(call show,ncz gen cdl_examples/weather.cdl -o demo/weather.zarr)
	$(call show,ncz dump -h demo/weather.zarr)
	$(call show,ncz dump -v time$(comma)station demo/weather.zarr | tail -n 6)
	$(call show,ncz ls -r -l demo/weather.zarr | head -n 8)
	$(call show,ncz dump demo/weather.zarr | ncz gen - -o demo/again.zip)
	$(call show,ncz dump demo/weather.zarr >demo/weather.cdl; ncz dump -n weather demo/again.zip | cmp - demo/weather.cdl && echo "there and back: the same bytes")
	$(call show,ncz copy --dry-run demo/weather.zarr demo/small.zip -c time/1 --codec zstd:5)
	$(call show,ncz copy --verify demo/weather.zarr demo/small.zip -c time/1 --codec zstd:5 && echo "every value is the same")
	@for name in groups filters ragged unicode; do \
	    ncz gen cdl_examples/$$name.cdl -o demo/$$name.zip && ncz dump demo/$$name.zip >demo/$$name.cdl && \
	    ncz gen demo/$$name.cdl -o demo/again/$$name.zip && \
	    ncz dump demo/again/$$name.zip | cmp - demo/$$name.cdl && echo "$$name: the same bytes" || exit 1; \
	done
comma := ,

test: $(VENV)/.tests ## all tests; what needs a peer that is absent says so
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/.checks ## format, lint, types, layers: what must hold before a commit
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.checks ## write the code as ruff has it
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(VENV)/.ncz ## write docs/reference.md, and the output in the README, from the commands
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_readme.py

bench: $(VENV)/.tests ## measure ncz and netCDF-C's tools in turn; write docs/performance.md
	$(BIN)/python -m benchmarks.run --large --output docs/performance.md

# zarr-python 2 needs an environment of its own, and zarrita.js a folder of node's.
$(VENV)/.interop: $(VENV)/.tests
	@for peer in $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["interop"])'); do \
	    $(BIN)/python -m pip install --quiet --prefer-binary "$$peer" || echo "make: $$peer cannot be installed here; the tests that need it will say so"; \
	done
	@{ $(PYTHON) -m venv --clear $(VENV)/peers/zarr2 && $(VENV)/peers/zarr2/bin/python -m pip install --quiet 'zarr<3' 'numcodecs<0.16'; } \
	    || echo "make: zarr-python 2 cannot be installed here; the tests that need it will say so"
	@npm install --silent --no-fund --no-audit --prefix $(VENV)/peers/node zarrita@0.7 >/dev/null \
	    || echo "make: zarrita.js cannot be installed here; the tests that need it will say so"
	@touch $@

interop: $(VENV)/.interop ## run the matrix of writers and readers, and what they see after ncz; write docs/interop.md
	$(BIN)/python -m tests.interop.table --jobs 2 --write
	$(BIN)/python -m tests.peers.between
	$(BIN)/python -m tests.peers.table
	$(BIN)/python -m pytest -q -n 2 tests/peers tests/interop

clean: ## take away what make made
	rm -rf $(VENV) demo build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
