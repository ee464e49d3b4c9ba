# A Pigpen bot. Every line on stdin is a message of the arbiter's as JSON, every line on
# stdout is one of ours (specs/bridge.md, specs/protocol.md). Print what you like to
# stderr.
#
# awk has no JSON, but the arbiter writes it without spaces: keys are found by name.

# The number under a key, as it is written: some awks cannot print large ones.
function number(key) {
	if (!match($0, "\"" key "\":[0-9]+"))
		return -1
	return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
}

# The index of the action to take. Legal actions are counted by their verbs.
function choose(  legal, verbs, n, i, plays, choice) {
	legal = substr($0, index($0, "\"legal\":["))
	n = split(legal, verbs, "{\"a\":\"") - 1
	plays = 0
	for (i = 1; i <= n; i++)
		# One idea for a start: a card that is played is better than one thrown away.
		if (verbs[i + 1] ~ /^play"/)
			choice[plays++] = i - 1
	return plays ? choice[int(rand() * plays)] : int(rand() * n)
}

BEGIN { srand() }

/"t":"match"/ { printf "{\"t\":\"ready\",\"match\":%s}\n", number("match") }

/"t":"act"/ {
	# The turn of the question stands before the view, which may have a turn of its own.
	printf "{\"t\":\"action\",\"match\":%s,\"turn\":%s,\"choice\":%d}\n", number("match"),
		number("turn"), choose()
}

/"t":"bye"/ { exit }

{ fflush() }
