#!/bin/bash
# Fails when an #include or a symbol breaks the picture of who may know whom:
#
#   sample_bots -> protocol, games        games    -> nobody, and no I/O, clock,
#   arbiter     -> protocol, games                    malloc, stdio or globals
#                                         protocol -> nobody
#
# Usage: tests/layers.sh BUILD
set -u
build=${1:-build}
failed=0
passed=0

# check NAME OFFENDERS: passes if there are none.
check() {
	if [ -n "$2" ]; then
		printf 'layers: %s:\n%s\n' "$1" "$2"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}

includes() { # FOLDER ALLOWED-REGEX
	grep -rnE '^#[[:space:]]*include "' "$1" --include='*.c' --include='*.h' --exclude-dir=node_modules |
		grep -vE "include \"($2)"
}

check "games/ may include games/ only" "$(includes games 'games/')"
check "protocol/ may include protocol/ only" "$(includes protocol 'protocol/')"
check "arbiter/ may include arbiter/, protocol/, games/" \
	"$(includes arbiter '(arbiter|protocol|games)/')"
check "sample_bots/ may include protocol/, games/, sample_bots/" \
	"$(includes sample_bots '(protocol|games|sample_bots)/')"

check "games/ includes a system header that is not on the list" "$(
	grep -rnE '^#[[:space:]]*include <' games |
		grep -vE '<(assert|limits|msgpack|msgpack/pack_template|stdbool|stddef|stdint|string)\.h>'
)"

# Symbols that an archive needs and does not define itself.
undefined() {
	comm -23 <(nm -u "$1" 2>/dev/null | awk '/ U /{print $2}' | sort -u) \
		<(nm --defined-only "$1" 2>/dev/null | awk 'NF==3{print $3}' | sort -u)
}
defined() { nm --defined-only "$1" 2>/dev/null | awk 'NF==3 && $2 ~ /[TDRB]/{print $3}' | sort -u; }

check "games/ calls something it may not know" "$(
	undefined "$build/libgames.a" |
		grep -vE '^(mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp)|__assert_fail|__stack_chk_fail|__popcountdi2|__(asan|ubsan)_.*|_GLOBAL_OFFSET_TABLE_)$'
)"
check "games/ has writable globals" "$(
	objdump -t "$build/libgames.a" 2>/dev/null |
		grep -E ' (\.data|\.bss)[[:space:]]+[0-9a-f]*[1-9a-f][0-9a-f]* '
)"
check "protocol/ calls into games/ or arbiter/" "$(
	comm -12 <(undefined "$build/libprotocol.a") \
		<(sort -u <(defined "$build/libgames.a") <(defined "$build/libarbiter.a"))
)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
