# Set-up, run and checks; `make help` lists what a person types. The steps stand in .ci/.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

PYTHON_HERE := .venv/bin/python
WITH_DISPLAY := .ci/with-display
# bytecode is kept in __pycache__ also where the shell forbids it: each process would compile all tests again otherwise
TEST_ENVIRONMENT := PYTHONFAULTHANDLER=1 PYTHONDONTWRITEBYTECODE=
# pytest-xvfb starts a server of its own unless told not to, and that one has no window manager
PYTEST := $(TEST_ENVIRONMENT) $(WITH_DISPLAY) $(PYTHON_HERE) -m pytest --no-xvfb
# processes with an X server of their own each: two windows on one server take the focus from each other. There is one
# more than processors, since a test of windows or of child processes waits for a tenth of its time. Tests run in the
# order of the files, so that windows are shared; a process that is done takes half of another's rest.
# Mesa's software OpenGL gets one thread in each: more of them only wait for each other where all processors are busy
PYTEST_JOBS = $(TEST_ENVIRONMENT) LP_NUM_THREADS=1 $(PYTHON_HERE) -m pytest --no-xvfb --benchmark-disable \
	--dist worksteal --tx '$(JOBS)*popen//python=$(WITH_DISPLAY) $(PYTHON_HERE)'

# In a new clone tests are compiled by one process first: all of them would do it at the same time, 20 s each
TESTS_READ = { [[ -d tests/__pycache__ ]] || $(PYTEST) --collect-only -q >/dev/null; }

# Files or names of bundled scenarios to open: make run FILES="dense-2500"
FILES ?=
# How long the window runs where there is no display
DEMO_SECONDS ?= 10
# What `make bench-check` measures: make bench-check BENCH=benchmarks/test_event_driven_speed.py
BENCH ?= benchmarks
# In how many processes `make test` runs the tests; each takes about 1 GB of memory
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 4 ? n + 1 : 4)))
# How many spoiled files `make fuzz` reads, and how many spoiled sessions of every system it opens
FUZZ_CASES ?= 10000
FUZZ_SESSIONS ?= 30000

WINDOW_PACKAGES := libegl1 libgl1 libgl1-mesa-dri libdbus-1-3 libfontconfig1 fonts-dejavu-core \
	libx11-xcb1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 \
	libxcb-render0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-xfixes0 libxcb-xinerama0 libxcb-xkb1 \
	libxkbcommon-x11-0 libxkbcommon0
DISPLAY_PACKAGES := xvfb openbox
# the tests open the reports of studies in it
BROWSER := chromium

.PHONY: help
help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: environment
environment:
	@.ci/environment

.PHONY: window-packages
window-packages:
	@.ci/system-packages $(WINDOW_PACKAGES)

.PHONY: display-packages
display-packages:
	@.ci/system-packages $(WINDOW_PACKAGES) $(DISPLAY_PACKAGES)

.PHONY: browser
browser:
	@.ci/system-packages $(BROWSER)

.PHONY: run
ifneq ($(DISPLAY)$(WAYLAND_DISPLAY),)
run: environment window-packages ## Open the window; without a display, a virtual one for some seconds, and pictures in out/
	@$(PYTHON_HERE) -m aggviewer $(FILES)
else
run: environment display-packages
	@echo "Running the window under a virtual X server for $(DEMO_SECONDS) s"
	@AGGVIEWER_DEMO_SECONDS=$(DEMO_SECONDS) AGGVIEWER_DEMO_OUT=out $(WITH_DISPLAY) $(PYTHON_HERE) -m aggviewer $(FILES)
	@echo "Written: out/window.png (the window), out/snapshot.png (the discs), out/film.mp4 (ten seconds more), out/summary.json"
endif

.PHONY: style
style: environment
	@.venv/bin/ruff check
	@.venv/bin/lint-imports --no-logo

.PHONY: types
types: environment
	@$(PYTHON_HERE) -m mypy

.PHONY: lint
lint: style types ## Check style, types and the arrows between the parts

# types take half a minute of one processor where mypy has no cache: they are checked beside the tests
.PHONY: test
test: style display-packages browser ## Check everything: lint, and the tests with the real window under a virtual X server
	@$(MAKE) types & types=$$!; trap 'kill $$types 2>/dev/null || true' EXIT; status=0; \
		$(PYTHON_HERE) -m aggviewer doctor --warm && $(TESTS_READ) && $(PYTEST_JOBS) -m "not slow" </dev/null || status=$$?; \
		wait $$types || status=1; exit $$status

.PHONY: soak
soak: environment display-packages ## Run the long tests, which take hours
	@$(PYTEST) -m slow --timeout=3600 </dev/null

.PHONY: fuzz
fuzz: environment display-packages ## Open files and sessions that are spoiled at random (FUZZ_CASES, FUZZ_SESSIONS)
	@AGGVIEWER_FUZZ_CASES=$(FUZZ_CASES) AGGVIEWER_FUZZ_SESSIONS=$(FUZZ_SESSIONS) NUMBA_BOUNDSCHECK=1 \
		$(PYTEST) tests/fuzz tests/session/test_session_file_hostile.py </dev/null

.PHONY: bench
bench: environment display-packages ## Measure speed; figures go to benchmarks/results/history, tables into docs/
	@mkdir -p build
	@$(PYTEST) benchmarks --timeout=3600 --benchmark-json=build/bench.json </dev/null
	@$(PYTHON_HERE) -m benchmarks.history keep build/bench.json
	@$(PYTHON_HERE) -m benchmarks.tables --write

.PHONY: bench-check
bench-check: environment display-packages ## Measure speed (BENCH: files or tests), and fail where it is 10 % less than what was kept last
	@mkdir -p build
	@$(PYTEST) $(BENCH) --timeout=3600 --benchmark-json=build/bench.json </dev/null
	@$(PYTHON_HERE) -m benchmarks.history check build/bench.json

.PHONY: docs
docs: environment ## Build the site from docs/ and the docstrings into build/docs/
	@$(PYTHON_HERE) -m sphinx --fail-on-warning --keep-going -q -d build/doctrees docs build/docs
	@echo "Written: build/docs/index.html"

.PHONY: figures
figures: environment ## Run the studies (10 minutes, beside other work 30) and write their tables and figures into docs/; NAMES="bannerman-2014 …" runs these
	@mkdir -p build/figures
	@$(PYTHON_HERE) -m benchmarks.studies $(NAMES)

.PHONY: pictures
pictures: environment ## Make the small pictures of scenarios and lessons that are missing; NAMES="ball-1 …" makes these
	@$(PYTHON_HERE) -m benchmarks.pictures scenarios $(NAMES)

.PHONY: gallery
gallery: environment ## Make the pictures of docs/gallery.md again; NAMES="forces …" makes these
	@$(PYTHON_HERE) -m benchmarks.pictures gallery $(NAMES)

.PHONY: screenshots
screenshots: environment display-packages ## Make the pictures of the window in README.md and docs/ again; NAMES="gas …" makes these
	@$(WITH_DISPLAY) $(PYTHON_HERE) -m benchmarks.window_pictures $(NAMES)

.PHONY: recorded
recorded: environment ## Compute the first minute again that is shown while the engine is compiled
	@$(PYTHON_HERE) -m benchmarks.first_minute

.PHONY: wheel
wheel: environment docs ## Build the wheel, with the manual in it, and the source archive into dist/
	@$(PYTHON_HERE) -m build --no-isolation --sdist --wheel --outdir dist

.PHONY: clean
clean: ## Remove what was made, but for .venv
	@rm -rf out build dist .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	@find aggviewer engine resources tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
