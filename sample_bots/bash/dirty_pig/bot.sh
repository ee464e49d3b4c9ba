# Plays Dirty Pig in shell. Each line on stdin is a message of the arbiter's, whose type
# stands first, each line on stdout one of ours; best_move.jq looks at the view and values
# every legal action.

while read -r line; do
	case $line in
	'{"t":"match"'*) jq -c '{t: "ready", match}' <<<"$line" ;;
	'{"t":"act"'*) jq -c -f best_move.jq <<<"$line" ;;
	'{"t":"resume"'*) # perhaps with a question that was open when the connection was lost
		jq -c 'select(.act) | .act + {match, view}' <<<"$line" | jq -c -f best_move.jq ;;
	'{"t":"bye"'*) exit 0 ;;
	esac
done
