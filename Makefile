# Pigpen. `make help` lists what can be made.
#
# games/, protocol/ and arbiter/ become one static library each; ./pigpen is
# arbiter/main.c on top of all three. Files are found by wildcard: a new file in
# the right folder is built without touching this Makefile.
#
#   V=1                          show the commands
#   SANITIZE=address,undefined   build into build-san/ with these sanitizers

SHELL := /bin/bash
.DEFAULT_GOAL := all

ifdef SANITIZE
BUILD ?= build-san
endif
BUILD ?= build
PREFIX ?= /usr/local
PIGPEN := $(if $(filter build,$(BUILD)),pigpen,$(BUILD)/pigpen)

Q := $(if $(V),,@)
CC ?= cc
PKGS := libzmq msgpack libsodium jansson libzstd zlib sqlite3 libmicrohttpd ncursesw libseccomp libarchive
LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm -lpthread
WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wshadow
CFLAGS ?= -O2 -g $(if $(filter x86_64,$(shell uname -m)),-march=x86-64-v2)
override CFLAGS += -std=gnu11 -I. $(WARN) -D_GNU_SOURCE $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
ifdef SANITIZE
override CFLAGS += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
# A part of `undefined` to the standard, but not to the compilers.
ifneq ($(findstring undefined,$(SANITIZE)),)
override CFLAGS += -fsanitize=float-cast-overflow -fno-sanitize-recover=float-cast-overflow
endif
endif

sources = $(sort $(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))

GAMES_SRC := $(call sources,games)
PROTOCOL_SRC := $(call sources,protocol)
ARBITER_SRC := $(filter-out arbiter/main.c,$(call sources,arbiter))
BOT_SRC := $(sort $(wildcard sample_bots/c/*/*.c))
BOT_COMMON_SRC := $(sort $(wildcard sample_bots/c/common/*.c))
BOTS := $(foreach d,$(filter-out common,$(notdir $(patsubst %/bot.json,%,$(wildcard sample_bots/c/*/bot.json)))),sample_bots/c/$(d)/$(d))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_COMMON_SRC := $(filter-out $(UNIT_SRC),$(sort $(wildcard tests/unit/*.c)))
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(UNIT_SRC))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_COMMON_SRC := $(filter-out $(FUZZ_SRC) tests/fuzz/driver.c,$(wildcard tests/fuzz/*.c)) tests/unit/variants.c tests/unit/sodium.c
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz/%,$(FUZZ_SRC))
BENCH_SRC := $(sort $(wildcard tests/bench/bench_*.c))
BENCH := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(BENCH_SRC))
LIB := $(BUILD)/libarbiter.a $(BUILD)/libprotocol.a $(BUILD)/libgames.a

# A bot's folder is complete in itself, so that it can be copied anywhere: those that use
# an SDK get a copy of it.
SDK_COPIES := sample_bots/python/greedy/pigpen.py $(addprefix sample_bots/javascript/random/, \
	pigpen.js package.json package-lock.json)

## all: build ./pigpen and the sample bots
all: $(PIGPEN) $(BOTS) $(SDK_COPIES)

sample_bots/python/greedy/%: sample_bots/python/sdk/%
	$(Q)cp $< $@
sample_bots/javascript/random/%: sample_bots/javascript/sdk/%
	$(Q)cp $< $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  cc    $<")
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

# All files of pages/ and viewer/ are built into the program (arbiter/web/site/assets.h).
# The folders stand there for files that come and go.
WEB_FILES := $(sort $(wildcard arbiter/web/pages/* arbiter/web/viewer/*))
ASSETS_LIST := $(BUILD)/arbiter/web/site/assets_list.h
$(ASSETS_LIST): $(WEB_FILES) arbiter/web/pages arbiter/web/viewer
	@mkdir -p $(@D)
	$(Q)for file in $(WEB_FILES:arbiter/web/%=%); do \
		echo "ASSET($${file//[^a-z0-9]/_}, \"$$file\")"; done >$@
$(BUILD)/arbiter/web/site/assets.o: $(ASSETS_LIST)
$(BUILD)/arbiter/web/site/assets.o: override CFLAGS += -DASSETS_LIST='"$(ASSETS_LIST)"'

$(BUILD)/libgames.a: $(call objects,$(GAMES_SRC))
$(BUILD)/libprotocol.a: $(call objects,$(PROTOCOL_SRC))
$(BUILD)/libarbiter.a: $(call objects,$(ARBITER_SRC))
$(BUILD)/lib%.a:
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $^

$(PIGPEN): $(BUILD)/arbiter/main.o $(LIB)
	$(if $(Q),@echo "  link  $@")
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LIBS) -o $@

# A C bot is all files of its folder plus sample_bots/c/common, on the protocol and
# the rules; it links nothing of the arbiter.
.SECONDEXPANSION:
$(BOTS): %: $$(call objects,$$(wildcard $$(@D)/*.c) $$(BOT_COMMON_SRC)) $(BUILD)/libprotocol.a $(BUILD)/libgames.a
	$(if $(Q),@echo "  link  $@")
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LIBS) -o $@

$(UNIT): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(call objects,$(UNIT_COMMON_SRC)) $(LIB)
	$(if $(Q),@echo "  link  $@")
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LIBS) -lcriterion -o $@

$(BENCH): $(BUILD)/bench/%: $(BUILD)/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	$(if $(Q),@echo "  link  $@")
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LIBS) -o $@

# In build-fuzz/ libFuzzer brings main() along.
FUZZ_MAIN := $(if $(filter build-fuzz,$(BUILD)),-fsanitize=fuzzer,$(BUILD)/tests/fuzz/driver.o)
$(FUZZ_TARGETS): $(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(call objects,$(FUZZ_COMMON_SRC)) $(filter %.o,$(FUZZ_MAIN)) $(LIB)
	$(if $(Q),@echo "  link  $@")
	$(Q)$(CC) $(CFLAGS) $(filter -%,$(FUZZ_MAIN)) $^ $(LDFLAGS) $(LIBS) -o $@

## unit: build the unit tests only
unit: $(UNIT)

fuzz-targets: $(FUZZ_TARGETS)

## deps: install the Debian packages that building and playing need (apt-get, sudo if not root)
DEPS := gcc make pkg-config libzmq3-dev libmsgpack-dev libsodium-dev libsqlite3-dev \
	libjansson-dev libzstd-dev zlib1g-dev libmicrohttpd-dev libncurses-dev libseccomp-dev \
	libarchive-dev bubblewrap python3 python3-zmq python3-msgpack
SLURM_DEPS := slurm-wlm munge
BROWSER_DEPS := chromium fonts-dejavu-core
TEST_DEPS := git clang-format libcriterion-dev valgrind tmux procps binutils jq strace \
	$(SLURM_DEPS) $(BROWSER_DEPS)
APT := $(if $(filter 0,$(shell id -u)),,sudo) env DEBIAN_FRONTEND=noninteractive apt-get
FUZZ_DEPS := clang libclang-rt-14-dev
missing = $(shell for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | \
	grep -q 'ok installed' || echo $$p; done)
# $(call install,PACKAGES): nothing to do is silent.
define install
	@missing="$(call missing,$(1))"; if [ -n "$$missing" ]; then \
		echo "installing: $$missing"; \
		{ $(APT) update -q && $(APT) install -y -q --no-install-recommends $$missing; } \
			>/tmp/pigpen-deps.$$$$.log 2>&1 || \
		{ tail -20 /tmp/pigpen-deps.$$$$.log; echo "could not install: $$missing"; exit 1; }; \
		rm -f /tmp/pigpen-deps.$$$$.log; fi
endef
NODE_DEPS := $(if $(shell command -v node),,nodejs) $(if $(shell command -v npm),,npm)
NPM_CI := npm ci --prefer-offline --ignore-scripts --no-audit --no-fund
deps:
	$(call install,$(DEPS))

## deps-test: what the tests need besides: Criterion, Node, Chromium, Slurm, valgrind
deps-test: $(SDK_COPIES)
	$(call install,$(DEPS) $(TEST_DEPS) $(NODE_DEPS))
	@for d in sample_bots/javascript/sdk sample_bots/javascript/random tests/browser; do \
		[ -d $$d/node_modules ] || why=$$(cd $$d && $(NPM_CI) 2>&1) || { echo "$$why"; \
			echo "npm could not install the packages of $$d"; exit 1; }; done

## deps-languages: compilers and interpreters of every language `pigpen new` offers
LANGUAGE_DEPS := g++ cppzmq-dev libmsgpack-cxx-dev ruby ruby-ffi-rzmq ruby-msgpack \
	libzmq-ffi-perl libdata-messagepack-perl php-cli php-zmq php-msgpack golang-go \
	cargo librust-zmq-dev librust-rmp-serde-dev librust-serde-derive-dev \
	librust-serde-json-dev librust-serde-bytes-dev default-jdk-headless jq lua5.4 lua-cjson
deps-languages: deps-test
	$(call install,$(LANGUAGE_DEPS))

## demo: install what is missing, build, play every game and a small ladder of each
demo: deps
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@tests/demo.sh

## test: install what is missing, build, run all tests; ends with `N passed, M failed`
test: deps-test
	@$(MAKE) --no-print-directory -j$(shell nproc) all unit
	@$(MAKE) --no-print-directory -j$(shell nproc) SANITIZE=address,undefined unit fuzz-targets
	@tests/run.py

## test-browser: the pages in Chromium (part of `make test`)
test-browser: deps-test
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@tests/run.py browser

## test-slurm: ladders on a Slurm cluster of two nodes, started on this machine (part of `make test`)
test-slurm:
	$(call install,$(DEPS) $(SLURM_DEPS))
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@tests/e2e/run.py slurm

## soak: the long campaigns: full counts of everything that is reduced in `make test`
soak: all unit
	@PIGPEN_SOAK=1 PIGPEN_SCALE=10 PIGPEN_SUITE_SECONDS=14400 tests/run.py unit e2e

fuzz-build: all
	$(call install,$(FUZZ_DEPS))
	@$(MAKE) --no-print-directory -j$(shell nproc) $(FUZZ_FLAGS) fuzz-targets
	@tests/fuzz/seeds.py build-fuzz/seeds

## fuzz: each fuzz target for SECONDS=60 (TARGET=name: only one; JOBS=1: so many at once)
FUZZ_FLAGS := BUILD=build-fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined
fuzz: fuzz-build
	@tests/fuzz/run.py --seconds $(or $(SECONDS),60) --jobs $(or $(JOBS),1) $(TARGET)

## fuzz-corpus: rebuild tests/fuzz/corpus: seeds and what fuzzing has found, minimised
fuzz-corpus: fuzz-build
	@tests/fuzz/run.py --merge $(TARGET)

## chaos: ladders whose bots, workers, coordinator, CPU and disk are disturbed (SECONDS=300)
chaos: all
	@PIGPEN_CHAOS_SECONDS=$(or $(SECONDS),300) PIGPEN_CHAOS_SEED=$(SEED) tests/e2e/chaos.py

## fairness: 20,000 matches with 250 in flight, several times: is anybody falsely late?
fairness: all
	@tests/bench/fairness.py

## check: the suites named in SUITES, without installing anything (SUITES="unit e2e")
check: all unit
	@tests/run.py $(SUITES)

## layers: fail when an include or a symbol breaks the layering
layers: all
	@tests/layers.py $(BUILD)

## format: rewrite all C files in the project's format
format:
	@find games protocol arbiter sample_bots tests -name '*.[ch]' -not -path '*/node_modules/*' | \
		xargs clang-format -i

## goldens: regenerate tests/golden (review the diff)
GOLDEN_TESTS := $(addprefix $(BUILD)/tests/unit/,test_goldens test_replay_goldens)
goldens: $(GOLDEN_TESTS)
	@for t in $(GOLDEN_TESTS); do PIGPEN_GOLDENS=write $$t || exit 1; done

## perft-tables: regenerate the perft tables in specs/games
perft-tables: all
	@tests/perft_tables.py

## bots-table: measure the sample bots on duplicate deals, into specs/bots.md
bots-table: all
	@tests/bots_table.py

## bench: speed beside its floor, as one table and build/bench/bench.json
bench: all $(BENCH)
	@tests/bench/run.py

## install: copy pigpen, the sample bots and the SDKs to $(DESTDIR)$(PREFIX)
install: all
	install -D -m 755 $(PIGPEN) $(DESTDIR)$(PREFIX)/bin/pigpen
	mkdir -p $(DESTDIR)$(PREFIX)/share/pigpen
	tar -c --exclude=node_modules --exclude=__pycache__ sample_bots protocol/*.[ch] | \
		tar -x -C $(DESTDIR)$(PREFIX)/share/pigpen

## clean: remove everything that was built
clean:
	rm -rf build build-san build-fuzz pigpen $(BOTS) $(SDK_COPIES)

## help: this list
help:
	@grep -hE '^## ' $(MAKEFILE_LIST) | sed 's/^## /  make /'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: all unit fuzz-targets fuzz-build fuzz fuzz-corpus demo deps deps-test deps-languages test test-browser test-slurm soak chaos fairness check layers format goldens perft-tables bots-table bench install clean help
.DELETE_ON_ERROR:
