#!/bin/bash
# Runs the browser tests (test_*.js of this folder, or those named) and sums up.
#
#   tests/browser/run.sh [NAME…]      NAME is "viewer" for test_viewer.js
#
# Two at a time. Ends with `N passed, M failed`.
cd "$(dirname "$0")" || exit 1

if ! [ -d node_modules/playwright-core ] || [ package-lock.json -nt node_modules ]; then
	npm ci --no-audit --no-fund --silent || { echo "0 passed, 1 failed"; exit 1; }
	touch node_modules
fi
names=("$@")
[ $# -gt 0 ] || names=(test_*.js)
names=("${names[@]#test_}")
names=("${names[@]%.js}")
outputs=$(mktemp -d) || exit 1
trap 'rm -rf "$outputs"' EXIT
printf '%s\n' "${names[@]}" |
	OUTPUTS=$outputs xargs -P 2 -I NAME sh -c 'node test_NAME.js >"$OUTPUTS/NAME" 2>&1'
passed=0 failed=0
for name in "${names[@]}"; do
	output=$(<"$outputs/$name")
	printf '%s\n' "== $name" "$output"
	if [[ $(tail -n 1 <<<"$output") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
	else
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
