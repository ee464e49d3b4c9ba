# From a question (`act`) to an answer: every legal action gets a value, the best is taken.
# The view has everything on the table under `pub` and our own hand under `me`.

.view.seat as $me
| .view.pub.pigs as $pigs
| $pigs[$me] as $mine
| ([$pigs | to_entries[] | select(.key != $me) | .value]) as $others

| def has($what): index($what) != null;
  def exposed: has("dirty") and (has("barn") | not);
  def dirty: map(select(has("dirty"))) | length;

  # How close a seat is to winning: dirty pigs out of all.
  def danger($seat): ($pigs[$seat] | dirty) / ($pigs[$seat] | length);

  def value_of_rain:
    ([$others[][] | select(exposed)] | length) / ($others | length)
    - ([$mine[] | select(exposed)] | length);

  def value:
    . as $action
    | (if .to == null then $mine[.pig // 0] else $pigs[.to][.pig] end) as $pig
    | if .a == "play" then
        if .card == "mud" then
          if ($mine | dirty) + 1 == ($mine | length) then 1000  # wins
          elif $pig | has("barn") then 62
          else 60 end
        elif .card == "lock" then if $pig | has("rod") then 56 else 50 end
        elif .card == "barn" then if $pig | has("dirty") then 55 else 20 end
        elif .card == "rod" then if $pig | has("dirty") then 45 else 22 end
        elif .card == "farmer" then 30 + 40 * danger($action.to)
        elif .card == "bolt" then
          (if $pig | has("lock") then 35 elif $pig | has("dirty") then 25 else 12 end)
          + 20 * danger($action.to)
        else 30 * value_of_rain end  # rain
      elif .a == "swap" then 15
      else  # discard: what is worth least in the hand
        {"rain": 10, "rod": 8, "lock": 7, "bolt": 6, "farmer": 5, "barn": 4, "mud": 1}[.card]
      end;

  ([.legal[] | value]) as $values
| ($values | max) as $best
| {
    t: "action", match, turn,
    choice: ($values | index($best)),
    note: "value \($best * 10 | round / 10) of \($values | length) actions"
  }
