#!/bin/bash
# Fails for every C file that `make format` would change.
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
while read -r file; do
	if clang-format --dry-run -Werror "$file" >/dev/null 2>&1; then
		passed=$((passed + 1))
	else
		echo "format: $file differs from .clang-format; run make format"
		failed=$((failed + 1))
	fi
done < <(find games protocol arbiter sample_bots tests -name '*.c' -o -name '*.h' | grep -v node_modules)
# The files are many and the rule is one: it counts as one test.
if [ "$failed" = 0 ]; then
	echo "1 passed, 0 failed"
else
	echo "0 passed, $failed failed"
	exit 1
fi
