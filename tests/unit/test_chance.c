/* Orders from a seed: reproducible, independent by stream, unbiased; commitments. */
#include "arbiter/table/chance.h"

#include <criterion/criterion.h>
#include <string.h>

static struct chance request_of(int kind, int index, int n)
{
	struct chance request = {
		.kind = (uint8_t)kind, .n = (uint8_t)n, .index = (uint16_t)index};

	for (int i = 0; i < n; i++)
		request.token[i] = (uint8_t)i;
	return request;
}

static void seed_of(const char *text, uint8_t seed[CHANCE_SEED_SIZE])
{
	chance_seed_from_text(text, seed);
}

Test(chance, the_same_seed_gives_the_same_order)
{
	uint8_t seed[CHANCE_SEED_SIZE], a[53], b[53];
	struct chance request = request_of(CHANCE_DEAL, 3, 53);

	seed_of("1", seed);
	chance_order(seed, &request, a);
	chance_order(seed, &request, b);
	cr_assert_arr_eq(a, b, sizeof(a));
}

Test(chance, seeds_kinds_and_indices_have_orders_of_their_own)
{
	uint8_t seed[CHANCE_SEED_SIZE], other[CHANCE_SEED_SIZE], a[53], b[53];
	struct chance deal = request_of(CHANCE_DEAL, 0, 53);
	struct chance next = request_of(CHANCE_DEAL, 1, 53);
	struct chance shuffle = request_of(CHANCE_SHUFFLE, 0, 53);

	seed_of("1", seed);
	seed_of("2", other);
	chance_order(seed, &deal, a);
	chance_order(other, &deal, b);
	cr_expect_arr_neq(a, b, sizeof(a));
	chance_order(seed, &next, b);
	cr_expect_arr_neq(a, b, sizeof(a));
	chance_order(seed, &shuffle, b);
	cr_expect_arr_neq(a, b, sizeof(a));
}

Test(chance, an_order_is_a_permutation_of_its_tokens)
{
	uint8_t seed[CHANCE_SEED_SIZE], order[160], seen[160] = {0};
	struct chance request = request_of(CHANCE_SHUFFLE, 9, 160);

	seed_of("x", seed);
	chance_order(seed, &request, order);
	for (int i = 0; i < 160; i++)
		seen[order[i]]++;
	for (int i = 0; i < 160; i++)
		cr_assert_eq(seen[i], 1);
}

Test(chance, every_token_comes_first_equally_often)
{
	uint8_t seed[CHANCE_SEED_SIZE], order[6];
	int first[6] = {0};
	double chi = 0;

	seed_of("fair", seed);
	for (int i = 0; i < 60000; i++) {
		struct chance request = request_of(CHANCE_DEAL, i, 6);

		chance_order(seed, &request, order);
		first[order[0]]++;
	}
	for (int i = 0; i < 6; i++)
		chi += (first[i] - 10000.0) * (first[i] - 10000.0) / 10000.0;
	cr_assert(chi < 20.5, "chi-square %.1f with 5 degrees", chi); /* p = 0.001 */
}

Test(chance, a_commitment_depends_on_nonce_match_and_seed)
{
	uint8_t seed[CHANCE_SEED_SIZE], nonce[CHANCE_NONCE_SIZE] = {1};
	uint8_t a[CHANCE_COMMIT_SIZE], b[CHANCE_COMMIT_SIZE];

	seed_of("1", seed);
	chance_commit(nonce, "7", seed, a);
	chance_commit(nonce, "8", seed, b);
	cr_expect_arr_neq(a, b, sizeof(a));
	nonce[0] = 2;
	chance_commit(nonce, "7", seed, b);
	cr_expect_arr_neq(a, b, sizeof(a));
	nonce[0] = 1;
	seed[0] ^= 1;
	chance_commit(nonce, "7", seed, b);
	cr_expect_arr_neq(a, b, sizeof(a));
}

Test(chance, seats_have_seeds_of_their_own)
{
	uint8_t seed[CHANCE_SEED_SIZE], a[CHANCE_RNG_SIZE], b[CHANCE_RNG_SIZE];

	seed_of("1", seed);
	chance_rng(seed, 0, a);
	chance_rng(seed, 1, b);
	cr_expect_arr_neq(a, b, sizeof(a));
	cr_expect_arr_neq(a, seed, sizeof(a));
}
