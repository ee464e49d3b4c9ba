# A Pigpen bot. Every line on stdin is a message of the arbiter's as JSON, every line on
# stdout is one of ours (specs/bridge.md, specs/protocol.md). Print what you like to
# stderr.

# Decides. .view is all that you may know, .legal all that you may do; `choice` is the
# index of the action to take.
decide='
	# One idea for a start: a card that is played is better than one thrown away.
	[.legal | to_entries[] | select(.value.a == "play") | .key] as $plays
	| (if $plays == [] then [range(.legal | length)] else $plays end) as $choices
	| {t: "action", match, turn, choice: $choices[$random % ($choices | length)]}
'

while read -r line; do
	case $line in
	'{"t":"match"'*) jq -c '{t: "ready", match}' <<<"$line" ;;
	'{"t":"act"'*) jq -c --argjson random "$RANDOM" "$decide" <<<"$line" ;;
	'{"t":"end"'*) ;; # .result tells how it went
	'{"t":"bye"'*) exit 0 ;;
	esac
done
