# The front door. `make` alone says what there is; every target installs what it lacks first (scripts/setup).
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
REF ?= HEAD
PARTS ?= digests,steps
PREFIX ?= /usr/local

# Every configuration is a preset (CMakePresets.json) and lives in build/<preset>.
configure = cmake --preset $(1) >/dev/null
build = $(call configure,$(1)) && cmake --build build/$(1) -j $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help setup demo figures test build bench against long sanitize fuzz lint format docs python install clean

help: ## this list
	@echo "ricochet: structure-preserving simulation of mechanical systems that hit things"
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "On the command line: JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) PREFIX=$(PREFIX)"

setup: ## install the Debian packages that are missing (none missing: does nothing, offline)
	@scripts/setup base page

# A second `make demo` begins afresh; what is no run of ours in its folder is left alone.
demo: setup ## build the program, run the star scene, say where to look
	@$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target bin/ricochet
	@build/release/bin/ricochet run scenes/star.toml --out out/demo --overwrite
	@echo "Where to look, in out/demo:"
	@if [ -f out/demo/report.html ]; then \
	   echo "  report.html     the motion and its plots: open it in any browser"; fi
	@echo "  summary.json    what was kept: energy, momentum, the worst gap, every fallback counted"
	@echo "  impacts.csv     one line per impact: when, which corner, momentum before and after"
	@echo "  trajectory.h5   the whole motion (h5py, MATLAB, any HDF5 reader)"
	@echo "Change scenes/star.toml, or try another:  build/release/bin/ricochet list"

figures: setup ## draw every figure of the papers, and ours, into out/figures; fails where a number leaves its bound
	@$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target bin/ricochet
	@build/release/bin/ricochet figure all

build: setup ## build everything (build/release)
	@$(call build,release)

test: ## build, then run every test but the long ones
	@scripts/setup base page browser fields
	@$(call build,release)
	@scripts/run-tests release -j $(JOBS)

long: ## the hours-class checks (test suites whose name begins with Long)
	@scripts/setup base page browser fields
	@$(call build,release)
	@scripts/run-tests long -j $(JOBS)

sanitize: setup ## the tests under the address and undefined-behaviour sanitizers
	@$(call build,sanitize)
	@scripts/run-tests sanitize -j $(JOBS)

bench: ## benchmarks, and the same problems on other engines where Debian has them
	@scripts/setup base bench
	@$(call build,bench)
	@scripts/run-bench build/bench

against: setup ## compare with the commit REF: what scenes leave, bit by bit, and times (PARTS=digests,steps,impacts,build)
	@bench/against/against.py --reference $(REF) --parts $(PARTS) --jobs $(JOBS)

fuzz: ## libFuzzer on everything that reads text, FUZZ_SECONDS for each reader
	@scripts/setup base fuzz
	@$(call build,fuzz) --target fuzzers
	@scripts/run-fuzz build/fuzz $(FUZZ_SECONDS)

lint: ## formatting, static analysis, shell scripts, words that must not be in the tree
	@scripts/setup base lint
	@$(call configure,lint)
	@scripts/lint build/lint $(JOBS)

format: ## format our own C++
	@scripts/setup lint
	@git ls-files '*.cpp' '*.hpp' | xargs -r clang-format-16 -i

docs: ## the documentation site (site/index.html)
	@scripts/setup docs
	@mkdocs build --strict --quiet
	@echo "Documentation: site/index.html"

python: setup ## the Python module (build/release/python), and how to use it
	@$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target ricochet_python bin/ricochet
	@echo "The module is in build/release/python; from here:"
	@echo "  PYTHONPATH=build/release/python /usr/bin/python3 -c 'import ricochet; print(ricochet.run(\"star\", time__end=20))'"
	@echo "To install it into an environment of yours:  pip install --no-build-isolation ./python"

install: build ## install program, library and headers under PREFIX
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove what was built (results in out/ stay)
	@rm -rf build site
