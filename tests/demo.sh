#!/bin/bash
# The main job from end to end: one match of each game, then a ladder for each game with
# the sample bots, about a minute in all. Everything goes to demo/.
#
#   SECONDS_EACH=10 tests/demo.sh
set -e
cd "$(dirname "$0")/.."
seconds=${SECONDS_EACH:-9}
rm -rf demo
mkdir demo

bold= plain=
if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# The demo's bots are the project's own, so a machine that cannot confine them (many
# containers) still plays.
sandbox=require
if ! ./pigpen match dirty_pig first first --sandbox require --no-replay >/dev/null 2>&1; then
	sandbox=off
	say "Bots cannot be sandboxed on this machine; the demo goes on without"
	./pigpen doctor || true
fi

say "One match of each game between bot processes"
./pigpen match pig_pile greedy random first random --out demo/matches --seed demo --sandbox $sandbox
./pigpen match pig_it_hog_it greedy random greedy random --out demo/matches --seed demo --sandbox $sandbox
./pigpen match galloping_pigs greedy random first --out demo/matches --seed demo --sandbox $sandbox
./pigpen match dirty_pig greedy python/random --out demo/matches --seed demo --sandbox $sandbox
./pigpen match tennessee_pig greedy random greedy random --out demo/matches --seed demo --sandbox $sandbox

for game in pig_pile pig_it_hog_it galloping_pigs dirty_pig tennessee_pig; do
	say "A ladder of $game, $seconds seconds"
	./pigpen ladder init "demo/$game" --game "$game" --sandbox $sandbox
	./pigpen ladder add "demo/$game" c/first c/random c/greedy
	./pigpen ladder run "demo/$game" --for "${seconds}s"
done

replay=$(ls demo/matches/dirty_pig-*.replay | head -1)
say "Where things are, and what to try next"
cat <<TXT
  demo/matches/          replays of the five matches
  demo/GAME/             a ladder each: results, bots, replays

  ./pigpen serve demo/*_*/                                (then open http://127.0.0.1:8080)
  ./pigpen ladder matrix demo/dirty_pig
  ./pigpen replay show $replay
  ./pigpen replay html $replay -o demo/dirty_pig.html     (open it in a browser)
  ./pigpen replay verify $replay
  ./pigpen ladder run demo/dirty_pig --for 5min           (goes on where it was)
  ./pigpen new python mybot                               (write your own; specs/tutorial.md)
TXT
