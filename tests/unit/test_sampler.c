/* Worlds drawn from a view fit the view, differ, and can be played on. */
#include "tests/unit/each_game.h"
#include "tests/unit/playout.h"

enum {
	MATCHES = 6,    /* of each variant */
	SAMPLES = 6,    /* of each view */
	STEPS_MAX = 250 /* of a match */
};

/* How often samples differ from the truth and from each other. */
struct diversity {
	int samples, true_ones, equal_ones;
};

static void check_sample(const struct playout *p, const struct table *view, int seat,
	const struct table *sample, const char *name)
{
	const struct game *game = p->game;
	struct action on_view[GAME_LEGAL_MAX], on_sample[GAME_LEGAL_MAX];
	const char *broken = game->invariants(sample->bytes);
	struct table seen;
	int n, m;

	cr_assert(!broken, "%s, step %d, seat %d: a sample breaks: %s", name, p->count,
		seat, broken);
	game_observe(game, sample->bytes, seat, seen.bytes);
	cr_assert_eq(memcmp(&seen, view, game->state_size), 0,
		"%s, step %d, seat %d: a sample does not fit the view", name, p->count,
		seat);
	n = game->legal(view->bytes, seat, on_view);
	m = game->legal(sample->bytes, seat, on_sample);
	cr_assert(n == m && !memcmp(on_view, on_sample, (size_t)n * sizeof(*on_view)),
		"%s, step %d, seat %d: a sample has other legal actions", name, p->count,
		seat);
}

/* A sampled world can be played on. */
static void play_on(const struct playout *p, const struct table *sample, const char *name)
{
	struct playout on = *p;

	on.state = *sample;
	on.step = NULL;
	on.count = on.room = 0;
	for (int i = 0; i < 12 && playout_step(&on, NULL); i++) {
		const char *broken = on.game->invariants(on.state.bytes);

		cr_assert(!broken, "%s: a sample of step %d breaks when played on: %s",
			name, p->count, broken);
	}
	playout_release(&on);
}

static void check_samples(const struct playout *p, int seat, struct dice *dice,
	struct diversity *d, const char *name)
{
	struct game_random random = {dice_next, dice};
	struct table view, sample[SAMPLES], again;
	struct dice before;

	game_observe(p->game, p->state.bytes, seat, view.bytes);
	for (int i = 0; i < SAMPLES; i++) {
		before = *dice;
		memset(&sample[i], 0xa5, sizeof(sample[i]));
		p->game->sample(view.bytes, &random, sample[i].bytes);
		check_sample(p, &view, seat, &sample[i], name);
		d->samples++;
		d->true_ones += !memcmp(&sample[i], &p->state, p->game->state_size);
		for (int k = 0; k < i; k++)
			d->equal_ones +=
				!memcmp(&sample[i], &sample[k], p->game->state_size);
	}
	random.context = &before;
	memset(&again, 0x5a, sizeof(again));
	p->game->sample(view.bytes, &random, again.bytes);
	cr_assert_eq(memcmp(&again, &sample[SAMPLES - 1], p->game->state_size), 0,
		"%s: the same view and numbers give another sample", name);
	play_on(p, &sample[0], name);
}

static void run_fits(const struct game *game)
{
	static struct events events;
	struct dice dice = dice_named(game->id, 98);
	char name[256];

	for (const struct variant *v = variants; v->game; v++) {
		struct diversity d = {0};
		struct playout p;

		if (strcmp(v->game, game->id))
			continue;
		variant_name(v, name, sizeof(name));
		for (int i = 0; i < MATCHES * each_game_scale(); i++) {
			cr_assert(playout_init(&p, game, v, 300 + (unsigned)i));
			while (p.count < STEPS_MAX && playout_step(&p, &events)) {
				events.count = 0;
				if (game_head(p.state.bytes)->need == NEED_ANSWERS)
					check_samples(&p,
						(int)dice_below(
							&dice, (uint32_t)v->seats),
						&dice, &d, name);
			}
			playout_release(&p);
		}
		fprintf(stderr,
			"%s: %d samples, %d are the truth, %d pairs of %d are equal\n",
			name, d.samples, d.true_ones, d.equal_ones,
			d.samples / 2 * (SAMPLES - 1));
		cr_expect_lt(4 * d.true_ones, d.samples, "%s: too many samples are true",
			name);
		cr_expect_lt(4 * d.equal_ones, d.samples / 2 * (SAMPLES - 1),
			"%s: too many samples are equal", name);
	}
}

EACH_GAME(sampler, run_fits)
