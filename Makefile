# Pigpen. `make help` lists what can be made.
#
# games/, protocol/ and arbiter/ become one static library each; ./pigpen is
# arbiter/main.c on top of all three. Files are found by wildcard: a new file in
# the right folder is built without touching this Makefile.
#
#   V=1                          show the commands
#   SANITIZE=address,undefined   build into build-san/ with these sanitizers
#   LEAK=name                    build into build-leak-name/ with one leak planted

SHELL := /bin/bash
.DEFAULT_GOAL := all

ifdef SANITIZE
BUILD ?= build-san
else ifdef LEAK
BUILD ?= build-leak-$(LEAK)
endif
BUILD ?= build
PREFIX ?= /usr/local
PIGPEN := $(if $(filter build,$(BUILD)),pigpen,$(BUILD)/pigpen)

Q := $(if $(V),,@)
CC ?= cc
PKGS := libzmq msgpack libsodium jansson libzstd sqlite3 libmicrohttpd ncursesw libseccomp
LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm -lpthread
WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wshadow
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -I. $(WARN) -D_GNU_SOURCE $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
override CFLAGS += -DPIGPEN_PREFIX='"$(PREFIX)"'
ifdef SANITIZE
override CFLAGS += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
endif
ifdef LEAK
override CFLAGS += -DPLANT_$(LEAK)
endif

sources = $(sort $(wildcard $(1)/*.c $(1)/*/*.c))
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
BENCH_SRC := $(sort $(wildcard tests/bench/bench_*.c))
BENCH := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(BENCH_SRC))
LIB := $(BUILD)/libarbiter.a $(BUILD)/libprotocol.a $(BUILD)/libgames.a

## all: build ./pigpen and the sample bots
all: $(PIGPEN) $(BOTS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  cc    $<")
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

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

## unit: build the unit tests only
unit: $(UNIT)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: all unit
.DELETE_ON_ERROR:
