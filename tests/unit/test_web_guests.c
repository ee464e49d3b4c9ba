/* Who of those who are connected to the web server must go, and when. */
#include "arbiter/web/server/server_guests.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define MANY (GUESTS_MAX + 10)

static mono_ns now_ns;

static mono_ns fake_now(void *context)
{
	(void)context;
	return now_ns;
}

static const struct time_source fake_time = {fake_now, NULL};
static struct guests guests;

/* One end is the server's, the other one the guest's. */
struct link {
	int ends[2];
	struct guest *guest;
};

static struct link links[MANY];

static void open_house(void)
{
	guests_init(&guests, &fake_time);
}

TestSuite(web_guests, .init = open_house);

static struct link *come(int number, const char *address)
{
	struct link *link = &links[number];
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, link->ends), 0);
	if (inet_pton(AF_INET, address, &four.sin_addr) == 1)
		link->guest = guests_come(
			&guests, link->ends[0], (const struct sockaddr *)&four);
	else if (inet_pton(AF_INET6, address, &six.sin6_addr) == 1)
		link->guest = guests_come(
			&guests, link->ends[0], (const struct sockaddr *)&six);
	cr_assert(link->guest);
	return link;
}

static bool is_there(const struct link *link)
{
	struct pollfd polled = {link->ends[1], POLLIN, 0};

	return poll(&polled, 1, 0) == 0;
}

static void leave(struct link *link)
{
	guests_leave(&guests, &link->guest);
	cr_assert_null(link->guest);
	close(link->ends[0]);
	close(link->ends[1]);
}

/* What is seen `seconds` after the guest entered a state. */
static bool is_there_after(struct link *link, int64_t seconds)
{
	now_ns += seconds * NS_PER_S;
	guests_look(&guests);
	return is_there(link);
}

Test(web_guests, who_asks_has_ten_seconds)
{
	struct link *link = come(0, "192.0.2.1");

	cr_expect(is_there_after(link, 9));
	cr_expect_not(is_there_after(link, 1));
}

Test(web_guests, an_upload_and_an_answer_have_their_own_time)
{
	struct link *sends = come(0, "192.0.2.1"), *reads = come(1, "192.0.2.1");

	now_ns += 9 * NS_PER_S;
	guests_enter(&guests, sends->guest, GUEST_SENDING);
	guests_answer(&guests, reads->guest, 1);
	cr_expect(is_there_after(sends, 299));
	cr_expect_not(is_there_after(sends, 1));
	cr_expect(is_there_after(reads, 299));
	cr_expect_not(is_there_after(reads, 1));
}

Test(web_guests, a_stream_has_no_end)
{
	struct link *link = come(0, "192.0.2.1");

	guests_enter(&guests, link->guest, GUEST_FOLLOWING);
	cr_expect(is_there_after(link, 1000000));
}

/* Others take all places and ask nothing; they lose them, and who asked does not. */
Test(web_guests, where_it_is_crowded_everybody_must_be_quick)
{
	struct link *reads = come(0, "127.0.0.1");

	guests_answer(&guests, reads->guest, 1);
	for (int i = 1; i < GUESTS_CROWDED; i++)
		come(i, "127.0.0.1");
	cr_expect(is_there_after(&links[1], 0));
	now_ns += NS_PER_S;
	come(GUESTS_CROWDED, "127.0.0.1");
	guests_look(&guests);
	for (int i = 1; i < GUESTS_CROWDED; i++)
		cr_assert_not(is_there(&links[i]), "%d", i);
	cr_expect(is_there(reads));
	cr_expect(is_there(&links[GUESTS_CROWDED]), "who has just come");
	cr_expect_not(is_there_after(reads, 9), "a slow reader");
}

/* Whoever has been reading for longest goes, and nobody who reads something new. */
Test(web_guests, answers_together_have_a_limit)
{
	const uint64_t third = GUESTS_ANSWERS_MAX / 3;

	for (int i = 0; i < 4; i++) {
		come(i, "127.0.0.1");
		now_ns += NS_PER_S / 10;
		guests_answer(&guests, links[i].guest, third);
		cr_assert_eq(is_there(&links[0]), i < 3, "after %d", i);
	}
	cr_expect(is_there(&links[1]));
	leave(&links[1]);
	guests_answer(&guests, come(4, "127.0.0.1")->guest, third);
	cr_expect(is_there(&links[2]), "there was room");
	guests_answer(&guests, come(5, "127.0.0.1")->guest, 4 * third);
	cr_expect_not(is_there(&links[2]));
	cr_expect_not(is_there(&links[3]));
	cr_expect_not(is_there(&links[4]));
	cr_expect(is_there(&links[5]), "a single one that is larger");
	for (int i = 0; i < 6; i++)
		if (i != 1)
			leave(&links[i]);
	cr_expect_eq(guests.answers, 0);
}

Test(web_guests, an_address_has_a_quarter_of_all_places)
{
	for (int i = 0; i < GUESTS_ADDRESS_MAX; i++) {
		come(i, "192.0.2.1");
		guests_enter(&guests, links[i].guest, GUEST_FOLLOWING);
		cr_assert(is_there(&links[i]), "%d", i);
	}
	cr_expect_not(is_there(come(GUESTS_ADDRESS_MAX, "192.0.2.1")), "one too many");
	cr_expect(is_there(come(GUESTS_ADDRESS_MAX + 1, "192.0.2.2")), "somebody else");
	leave(&links[0]);
	leave(&links[GUESTS_ADDRESS_MAX]);
	cr_expect(is_there(come(GUESTS_ADDRESS_MAX, "192.0.2.1")), "after one has left");
}

/* The slow ones of an address make room for its others. */
Test(web_guests, a_crowded_address_must_be_quick)
{
	struct link *other = come(GUESTS_ADDRESS_MAX, "192.0.2.2");

	for (int i = 0; i < GUESTS_ADDRESS_CROWD; i++)
		come(i, "192.0.2.1");
	cr_expect_not(is_there_after(&links[0], 1));
	cr_expect(is_there(other));
}

Test(web_guests, a_network_of_ipv6_is_one_address)
{
	char address[64];

	for (int i = 0; i < GUESTS_ADDRESS_MAX; i++) {
		snprintf(address, sizeof(address), "2001:db8::%x:1", i);
		come(i, address);
	}
	cr_expect_not(is_there(come(GUESTS_ADDRESS_MAX, "2001:db8::ffff")));
	cr_expect(is_there(come(GUESTS_ADDRESS_MAX + 1, "2001:db8:0:1::ffff")));
}

Test(web_guests, this_machine_may_have_all_places)
{
	static const char *const own[] = {"127.0.0.1", "::1", "::ffff:127.0.0.2"};

	for (int i = 0; i < 3 * (GUESTS_ADDRESS_MAX + 9); i++)
		cr_assert(is_there(come(i, own[i % 3])), "%d", i);
}
