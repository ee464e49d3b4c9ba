# A Pigpen bot. Every line on stdin is a message of the arbiter's as JSON, every line on
# stdout is one of ours (specs/bridge.md, specs/protocol.md). Print what you like to
# stderr.

# The index of the action to take. $1 is the question: .view is all that you may know,
# .legal all that you may do.
choose() {
	local choices
	# One idea for a start: a card that is played is better than one thrown away.
	mapfile -t choices < <(jq '.legal | to_entries | (map(select(.value.a == "play"))
		| if . == [] then empty else . end) // . | .[].key' <<<"$1")
	echo "${choices[RANDOM % ${#choices[@]}]}"
}

while read -r line; do
	case $(jq -r .t <<<"$line") in
	match) jq -c '{t: "ready", match}' <<<"$line" ;;
	act) jq -c --argjson choice "$(choose "$line")" \
		'{t: "action", match, turn, choice: $choice}' <<<"$line" ;;
	end) ;; # .result tells how it went
	bye) exit 0 ;;
	esac
done
