/*
 * Checks what a replay claims by recomputing it. The card orders and the seats' own seeds
 * are kept until the last record, which reveals the seed that they follow from.
 */
#include "arbiter/replay/playback_internal.h"
#include "arbiter/table/fault.h"
#include "protocol/memory.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

static const struct game *game_of(const struct playback *p)
{
	return p->info.setup.game;
}

static uint16_t seat_bit(int seat)
{
	return (uint16_t)(1u << seat);
}

static void keep_order(struct playback *p, const struct replay_order *order)
{
	struct kept_orders *k = &p->orders;
	size_t more = 4 + (size_t)order->n;

	if (k->capacity - k->size < more) {
		k->capacity = 2 * k->capacity + 4096;
		k->bytes = xrealloc(k->bytes, k->capacity);
	}
	k->bytes[k->size++] = (uint8_t)order->kind;
	k->bytes[k->size++] = (uint8_t)(order->index >> 8);
	k->bytes[k->size++] = (uint8_t)order->index;
	k->bytes[k->size++] = (uint8_t)order->n;
	memcpy(k->bytes + k->size, order->order, (size_t)order->n);
	k->size += (size_t)order->n;
}

/* Before the next transition every seat must have been told of the last one. */
static bool all_told(struct playback *p)
{
	for (int seat = 0; seat < p->info.setup.seats; seat++)
		if (game_seat_in(p->told & ~p->faulted, seat) &&
			compose_event_due(&p->composer, seat))
			return playback_wrong(p,
				"seat %d asked for events and was not sent the last one",
				seat);
	return true;
}

/* Is the order a permutation of what the game asks for now? */
bool prove_chance(struct playback *p, const struct replay_order *order)
{
	const struct game_head *head = game_head(p->composer.state);
	struct chance request;
	int count[256] = {0};

	if (p->ended)
		return playback_wrong(p, "an order is drawn after the result");
	if (head->need != NEED_CHANCE)
		return playback_wrong(
			p, "an order is drawn although the game needs none");
	game_of(p)->chance(p->composer.state, &request);
	if (request.kind != order->kind || request.index != order->index ||
		request.n != order->n)
		return playback_wrong(p,
			"the order is '%s %d' of %d, the game needs '%s %d' of %d",
			game_chance_names[order->kind], order->index, order->n,
			game_chance_names[request.kind], request.index, request.n);
	for (int i = 0; i < request.n; i++) {
		count[request.token[i]]++;
		count[order->order[i]]--;
	}
	for (int i = 0; i < 256; i++)
		if (count[i])
			return playback_wrong(
				p, "the order is not a permutation of the game's cards");
	if (!p->options.prove)
		return true;
	keep_order(p, order);
	return all_told(p);
}

/* A penalty: the rules must refuse the action with the recorded clause. */
static bool prove_offence(struct playback *p, const struct replay_move *move)
{
	_Alignas(16) uint8_t copy[GAME_STATE_MAX];
	struct refusal why;

	if (game_of(p)->check(p->composer.state, move->seat, &move->action, &why))
		return playback_wrong(p, "an offence is recorded, but the move is legal");
	if (!text_is(move->offence, why.clause))
		return playback_wrong(p,
			"the offence is against %s, recorded is another clause",
			why.clause);
	memcpy(copy, p->composer.state, game_of(p)->state_size);
	if (!game_of(p)->offence ||
		!game_of(p)->offence(copy, move->seat, &move->action, NULL))
		return playback_wrong(p, "the game has no penalty for this move");
	return true;
}

static bool prove_answer(struct playback *p, const struct replay_move *move)
{
	int seat = move->seat;

	if (!game_seat_in(p->asked, seat) || move->turn != p->turn[seat])
		return playback_wrong(p, "seat %d answers turn %u, asked was turn %u",
			seat, move->turn,
			game_seat_in(p->asked, seat) ? p->turn[seat] : 0);
	p->asked &= (uint16_t)~seat_bit(seat);
	p->answered[seat]++;
	return true;
}

static bool prove_choice(struct playback *p, const struct replay_move *move)
{
	struct action legal[GAME_LEGAL_MAX];
	int n;

	if (move->choice < 0 && move->by != BY_FORCED)
		return true;
	n = game_of(p)->legal(p->composer.state, move->seat, legal);
	if (move->choice >= 0 &&
		(move->choice >= n || !action_equal(&legal[move->choice], &move->action)))
		return playback_wrong(
			p, "choice %d is not the recorded action", move->choice);
	if (move->by == BY_FORCED && n != 1)
		return playback_wrong(
			p, "a move is recorded as forced, but %d are legal", n);
	return true;
}

static bool prove_fallback(struct playback *p, const struct replay_move *move)
{
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	struct action action;

	if (!game_seat_in(p->faulted, move->seat))
		return playback_wrong(p,
			"the neutral move is played for seat %d, which has no fault",
			move->seat);
	game_observe(game_of(p), p->composer.state, move->seat, view);
	game_of(p)->fallback(view, &action);
	if (!action_equal(&action, &move->action))
		return playback_wrong(p, "the action is not the game's neutral move");
	return true;
}

/* Everything about a move except its legality. */
static bool prove_decider(struct playback *p, const struct replay_move *move)
{
	bool answered = move->by == BY_BOT || move->by == BY_PENALTY;

	if (answered && !move->turn)
		return playback_wrong(p, "a bot's answer has no turn");
	if (!answered && move->turn)
		return playback_wrong(p, "a move that no bot chose has a turn");
	if (move->offence.size && move->by != BY_PENALTY)
		return playback_wrong(p, "a move that was no offence has a clause");
	if (answered && !prove_answer(p, move))
		return false;
	if (move->by == BY_FORCED &&
		game_head(p->composer.state)->option[OPTION_ASK_FORCED])
		return playback_wrong(
			p, "a move is forced although forced seats are asked");
	if (move->by == BY_FALLBACK && !prove_fallback(p, move))
		return false;
	return prove_choice(p, move) && all_told(p);
}

bool prove_move(struct playback *p, const struct replay_move *move)
{
	const struct game_head *head = game_head(p->composer.state);
	struct refusal why = {"", ""};

	if (p->ended)
		return playback_wrong(p, "seat %d acts after the result", move->seat);
	if (head->need != NEED_ANSWERS || !game_seat_in(head->pending, move->seat))
		return playback_wrong(
			p, "seat %d acts although it is not its turn", move->seat);
	if (move->by == BY_PENALTY) {
		if (!prove_offence(p, move))
			return false;
	} else if (!game_of(p)->check(
			   p->composer.state, move->seat, &move->action, &why)) {
		return playback_wrong(p, "the action of seat %d is not legal: %s (%s)",
			move->seat, why.why, why.clause);
	}
	return !p->options.prove || prove_decider(p, move);
}

/* May this message be sent to the seat now? */
static bool prove_sending(struct playback *p, const struct replay_message *m)
{
	uint16_t bit = seat_bit(m->seat);

	if (p->faulted & bit)
		return playback_wrong(p, "a `%s` goes to seat %d, which is out",
			replay_sent_names[m->kind], m->seat);
	if (!(p->told & bit) != (m->kind == SENT_MATCH))
		return playback_wrong(p,
			"the first message to seat %d is not `match`, "
			"or a later one is",
			m->seat);
	if (p->ended != (m->kind == SENT_END))
		return playback_wrong(p, "a `%s` is sent %s the result",
			replay_sent_names[m->kind], p->ended ? "after" : "before");
	if (m->kind == SENT_REFUSE && p->refused.seat != m->seat)
		return playback_wrong(p, "seat %d is refused an answer of seat %d",
			m->seat, p->refused.seat);
	if (m->kind == SENT_ACT && m->question.turn != p->turn[m->seat] + 1)
		return playback_wrong(p, "seat %d is asked turn %u after turn %u",
			m->seat, m->question.turn, p->turn[m->seat]);
	return true;
}

bool prove_message(struct playback *p, const struct replay_message *m, struct blob bytes)
{
	uint8_t digest[REPLAY_DIGEST_SIZE];

	crypto_generichash(digest, sizeof(digest), bytes.bytes, bytes.size, NULL, 0);
	if (memcmp(digest, m->digest, sizeof(digest)))
		return playback_wrong(p, "the `%s` to seat %d is not what was sent",
			replay_sent_names[m->kind], m->seat);
	if (!prove_sending(p, m))
		return false;
	if (m->rng && m->kind == SENT_MATCH)
		memcpy(p->rng[m->seat], m->rng, CHANCE_RNG_SIZE);
	if (m->rng && memcmp(p->rng[m->seat], m->rng, CHANCE_RNG_SIZE))
		return playback_wrong(
			p, "seat %d gets another seed of its own than before", m->seat);
	return true;
}

static bool prove_scores(struct playback *p, const struct replay_ended *ended,
	const struct game_result *result)
{
	const struct game_result *recorded = &ended->result;

	for (int s = 0; s < p->info.setup.seats; s++) {
		if (result->score[s] != recorded->score[s] ||
			result->rank[s] != recorded->rank[s])
			return playback_wrong(p,
				"seat %d has score %d, rank %d; recorded is %d, rank %d",
				s, result->score[s], result->rank[s], recorded->score[s],
				recorded->rank[s]);
		if (result->team[s] != recorded->team[s])
			return playback_wrong(p, "seat %d has team %d; recorded is %d", s,
				result->team[s], recorded->team[s]);
	}
	if (!text_is(ended->reason, result->reason))
		return playback_wrong(p, "the match ended by '%s'; recorded is '%.*s'",
			result->reason, (int)ended->reason.size, ended->reason.bytes);
	return true;
}

/* The recorded result must have the bytes that `end` announced. */
static bool prove_result_bytes(struct playback *p, const struct replay_ended *ended,
	const struct game_result *result)
{
	uint8_t bytes[1024];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	msgpack_packer packer = buffer_packer(&buffer);

	game_write_result(game_of(p), result, p->info.setup.seats, &packer);
	if (buffer.size != ended->whole.size ||
		memcmp(bytes, ended->whole.bytes, buffer.size))
		return playback_wrong(p, "the result is not written as the game does");
	return true;
}

/* The result follows from the final state and from who has forfeited. */
bool prove_result(struct playback *p, const struct replay_ended *ended)
{
	const struct game *game = game_of(p);
	bool finished = game_head(p->composer.state)->need == NEED_NOTHING;
	struct game_result result = {.reason = "forfeit"};

	if (ended->faulted != p->faulted)
		return playback_wrong(
			p, "the seats that faulted are not those of the fault records");
	for (int s = 0; s < p->info.setup.seats; s++)
		if (ended->decisions[s] < p->answered[s])
			return playback_wrong(p,
				"seat %d answered %lld times; recorded is %lld", s,
				(long long)p->answered[s],
				(long long)ended->decisions[s]);
	if (ended->is_void)
		return true;
	if (!finished && !ended->faulted)
		return playback_wrong(
			p, "there is a result although the game is not over");
	game->teams_of(p->composer.state, result.team);
	if (finished)
		game->result(p->composer.state, &result);
	if (ended->faulted)
		fault_rank(game, &result, p->info.setup.seats, ended->faulted, finished);
	return prove_scores(p, ended, &result) && prove_result_bytes(p, ended, &result) &&
	       all_told(p);
}

static bool prove_orders(struct playback *p, const uint8_t *seed)
{
	const struct kept_orders *k = &p->orders;

	for (size_t at = 0; at < k->size; at += 4u + k->bytes[at + 3]) {
		const uint8_t *kept = k->bytes + at + 4;
		struct chance request = {.kind = k->bytes[at],
			.index = (uint16_t)(k->bytes[at + 1] << 8 | k->bytes[at + 2]),
			.n = k->bytes[at + 3]};
		uint8_t order[GAME_ORDER_MAX];
		int count[256] = {0}, n = 0;

		for (int i = 0; i < request.n; i++)
			count[kept[i]]++;
		for (int face = 0; face < 256; face++)
			while (count[face]-- > 0)
				request.token[n++] = (uint8_t)face;
		chance_order(seed, &request, order);
		if (memcmp(order, kept, request.n))
			return playback_wrong(p,
				"the order '%s %d' does not follow from the seed",
				game_chance_names[request.kind], request.index);
	}
	return true;
}

static bool prove_seat_seeds(struct playback *p, const uint8_t *seed)
{
	uint8_t rng[CHANCE_RNG_SIZE];

	for (int s = 0; s < p->info.setup.seats; s++) {
		if (!game_seat_in(p->told, s))
			continue;
		chance_rng(seed, s, rng);
		if (memcmp(rng, p->rng[s], sizeof(rng)))
			return playback_wrong(p,
				"seat %d's own seed does not follow from the match's", s);
	}
	return true;
}

bool prove_seal(struct playback *p, const struct replay_sealed *sealed)
{
	uint8_t commit[CHANCE_COMMIT_SIZE];
	char id[24];

	snprintf(id, sizeof(id), "%lld", (long long)p->info.setup.match_id);
	chance_commit(sealed->nonce, id, sealed->seed, commit);
	if (memcmp(commit, p->info.setup.commit, sizeof(commit)))
		return playback_wrong(
			p, "nonce, match and seed do not give the commitment");
	if (!p->ended)
		return playback_wrong(p, "there is a seal but no result");
	if (p->told & ~p->faulted & ~p->farewell)
		return playback_wrong(p, "a seat was not told the end");
	return prove_orders(p, sealed->seed) && prove_seat_seeds(p, sealed->seed);
}
