/* Messages to bytes and back, and every way in which bytes can be refused. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "protocol/codec.h"
#include "protocol/json.h"

static uint8_t bytes[4 * 1024 * 1024];
static struct buffer buffer = {bytes, 0, sizeof(bytes), false};

static const uint8_t fill[SECRET_BYTES] = {0xaa, 0xbb};
static const uint8_t map[] = {0x81, 0xa1, 'x', 0x01}, array[] = {0x92, 0x01, 0x02};
static const uint8_t nil[] = {0xc0}, note[] = {0xa2, 'o', 'k'};
#define BLOB(value) ((struct blob){value, sizeof(value)})
#define FILL        ((struct text){(const char *)fill, sizeof(fill)})

static struct message_match full_match(void)
{
	return (struct message_match){
		.match = INTEGER_MAX,
		.game = text_of("tennessee_pig"),
		.rules = 3,
		.options = BLOB(map),
		.seat = 3,
		.seats = 4,
		.teams = {4, {0, 1, 0, -1}},
		.clock = {CLOCK_KIND_CPU, 60000, 100, 2000},
		.commit = FILL,
		.rng = FILL,
		.names = {4, {text_of("a"), text_of("b"), text_of("ä"), text_of("")}},
	};
}

/* One of each, with every key there. */
static struct message full(enum message_type type)
{
	struct message m = {.type = type};

	switch (type) {
	case MESSAGE_HELLO:
		m.hello = (struct message_hello){.v = {2, {1, 2}},
			.token = text_of("t"),
			.name = text_of("n"),
			.version = text_of("1.0"),
			.lang = text_of("c"),
			.matches = 64,
			.events = true,
			.batch = true,
			.secret = FILL};
		break;
	case MESSAGE_WELCOME:
		m.welcome = (struct message_welcome){1, 17, FILL, limits_default()};
		break;
	case MESSAGE_MATCH:
		m.match = full_match();
		break;
	case MESSAGE_READY:
		m.ready.match = 300;
		break;
	case MESSAGE_EVENT:
		m.event = (struct message_event){1, BLOB(array)};
		break;
	case MESSAGE_ACT:
		m.act = (struct message_act){
			1, 2, BLOB(map), BLOB(array), BLOB(array), {5000, 1000}};
		break;
	case MESSAGE_ACTION:
		m.action = (struct message_action){1, 2, 70, {0}, BLOB(note)};
		break;
	case MESSAGE_REFUSE:
		m.refuse = (struct message_refuse){
			1, 2, text_of("PP-4.2"), text_of("no such card")};
		break;
	case MESSAGE_END:
		m.end = (struct message_end){1, BLOB(array), BLOB(map)};
		break;
	case MESSAGE_RESUME:
		m.resume = (struct message_resume){
			full_match(), BLOB(map), {9, BLOB(array), {5000, 1000}}};
		break;
	case MESSAGE_BYE:
		m.bye = (struct message_bye){text_of("done"), text_of("all played")};
		break;
	default:
		m.error = (struct message_error){text_of("token"), text_of("who?"), 5};
	}
	return m;
}

static enum message_from sender(enum message_type type)
{
	return message_from(type) & FROM_BOT ? FROM_BOT : FROM_ARBITER;
}

/* Encodes, decodes, encodes again; the bytes must be equal. */
static struct message round_trip(const struct message *m)
{
	static uint8_t again_bytes[65536];
	struct buffer again = buffer_on(again_bytes, sizeof(again_bytes));
	struct message decoded;
	struct why why;

	buffer_clear(&buffer);
	cr_assert_eq(codec_encode(m, &buffer), ERR_OK);
	cr_assert_eq(codec_decode(sender(m->type), bytes, buffer.size, &decoded, &why),
		ERR_OK, "%s: %s", message_word(m->type), why.text);
	cr_assert_eq(decoded.type, m->type);
	cr_assert_eq(codec_encode(&decoded, &again), ERR_OK);
	cr_assert_eq(again.size, buffer.size);
	cr_assert_eq(memcmp(again.bytes, bytes, again.size), 0);
	return decoded;
}

Test(codec, every_message_survives_a_round_trip)
{
	for (int type = 0; type < MESSAGE_TYPES; type++) {
		struct message m = full(type);

		round_trip(&m);
	}
}

Test(codec, values_arrive)
{
	struct message m = full(MESSAGE_RESUME), d = round_trip(&m);

	cr_assert_eq(d.resume.match.match, INTEGER_MAX);
	cr_assert(text_is(d.resume.match.game, "tennessee_pig"));
	cr_assert_eq(d.resume.match.teams.count, 4);
	cr_assert_eq(d.resume.match.teams.at[3], -1);
	cr_assert_eq(d.resume.match.clock.kind, CLOCK_KIND_CPU);
	cr_assert_eq(d.resume.match.clock.inc_ms, 100);
	cr_assert(text_is(d.resume.match.names.at[2], "ä"));
	cr_assert_eq(d.resume.act.turn, 9);
	cr_assert_eq(d.resume.act.clock.move_ms, 1000);
	cr_assert_eq(d.resume.view.size, sizeof(map));
	cr_assert_eq(memcmp(d.resume.match.commit.bytes, fill, sizeof(fill)), 0);
}

Test(codec, optional_keys_may_be_missing)
{
	struct message m = {.type = MESSAGE_HELLO}, d;

	m.hello.v = (struct integers){1, {1}};
	m.hello.token = text_of("t");
	m.hello.matches = 1;
	d = round_trip(&m);
	cr_assert_eq(buffer.bytes[0], 0x83, "t, v and token only");
	cr_assert_eq(d.hello.matches, 1);
	cr_assert_not(d.hello.events || d.hello.batch);
	cr_assert_eq(d.hello.secret.size, 0);
	m = full(MESSAGE_RESUME);
	m.resume.act.turn = 0;
	m.resume.match.names.count = 0;
	d = round_trip(&m);
	cr_assert_eq(d.resume.act.turn, 0);
	m = full(MESSAGE_ERROR);
	m.error.match = -1;
	d = round_trip(&m);
	cr_assert_eq(d.error.match, -1);
	m = full(MESSAGE_END);
	m.end.result = BLOB(nil);
	round_trip(&m);
}

Test(codec, an_encoder_without_room_says_so_and_leaves_no_half_message)
{
	struct message m = full(MESSAGE_MATCH);
	uint8_t small[64];
	struct buffer room = buffer_on(small, sizeof(small));

	cr_assert_eq(codec_encode(&m, &room), ERR_FULL);
	cr_assert_eq(room.size, 0);
	cr_assert(room.overflow);
}

static struct why why;

/* What a message given as JSON is refused with. */
static enum err judge_json(enum message_from from, const char *json)
{
	struct message m;

	buffer_clear(&buffer);
	cr_assert_eq(
		json_parse_line(json, strlen(json), &buffer, &why), ERR_OK, "%s", json);
	return codec_decode(from, bytes, buffer.size, &m, &why);
}

static enum err bot(const char *json)
{
	return judge_json(FROM_BOT, json);
}

/* Raw bytes from a bot. */
static enum err judge_bytes(const char *raw, size_t size)
{
	struct message m;

	return codec_decode(FROM_BOT, raw, size, &m, &why);
}

#define RAW(literal) judge_bytes(literal, sizeof(literal) - 1)
/* A well-formed `ready` for match 1 with one more pair. */
#define READY_AND(pair) RAW("\x83\xa1t\xa5ready\xa5match\x01" pair)

static void says(const char *part)
{
	cr_assert(strstr(why.text, part), "\"%s\" does not say \"%s\"", why.text, part);
}

Test(strict, unknown_keys_are_ignored_but_checked)
{
	cr_assert_eq(
		bot("{\"t\":\"ready\",\"match\":1,\"colour\":{\"a\":[1,2.5]}}"), ERR_OK);
	cr_assert_eq(READY_AND("\xa1x\xa1\xff"), ERR_UTF8);
	cr_assert_eq(READY_AND("\xa1x\xc7\x01\x05\x00"), ERR_ENCODING);
}

Test(strict, bytes_that_are_no_value)
{
	cr_assert_eq(judge_bytes("", 0), ERR_EMPTY);
	cr_assert_eq(RAW("\xc1"), ERR_ENCODING);
	cr_assert_eq(RAW("\xd4\x01\x02"), ERR_ENCODING, "fixext");
	cr_assert_eq(RAW("\x81"), ERR_TRUNCATED);
	cr_assert_eq(RAW("\x81\xa1"), ERR_TRUNCATED);
	cr_assert_eq(RAW("\x82\xa1t\xa5ready\xa5match"), ERR_TRUNCATED);
	cr_assert_eq(RAW("\x82\xa1t\xa5ready\xa5match\xcd\x01"), ERR_TRUNCATED);
	cr_assert_eq(
		RAW("\xdf\xff\xff\xff\xff"), ERR_TRUNCATED, "a count beyond the end");
	cr_assert_eq(READY_AND("\xa1x\xdd\xff\xff\xff\xff"), ERR_TRUNCATED);
	cr_assert_eq(READY_AND("\xa1x\xc6\xff\xff\xff\xff"), ERR_TRUNCATED);
}

Test(strict, every_prefix_of_a_message_is_refused)
{
	for (int type = 0; type < MESSAGE_TYPES; type++) {
		struct message m = full(type), d;

		buffer_clear(&buffer);
		codec_encode(&m, &buffer);
		for (size_t size = 1; size < buffer.size; size++)
			cr_assert_eq(codec_decode(sender(type), bytes, size, &d, NULL),
				ERR_TRUNCATED, "%s cut at %zu", message_word(type), size);
	}
}

Test(strict, not_a_map)
{
	cr_assert_eq(RAW("\x90"), ERR_NOT_MAP);
	cr_assert_eq(RAW("\xa5hello"), ERR_NOT_MAP);
	says("a str");
}

Test(strict, trailing_bytes)
{
	cr_assert_eq(RAW("\x82\xa1t\xa5ready\xa5match\x01\x00"), ERR_TRAILING);
}

Test(strict, duplicate_keys)
{
	cr_assert_eq(READY_AND("\xa5match\x02"), ERR_DUPLICATE_KEY);
	says("match");
	cr_assert_eq(RAW("\x83\xa1t\xa3"
			 "bye\xa1x\x01\xa1x\x01"),
		ERR_DUPLICATE_KEY, "unknown keys too");
	cr_assert_eq(READY_AND("\xa1t\xa5ready"), ERR_DUPLICATE_KEY);
}

Test(strict, keys_are_strings_and_not_too_many)
{
	char many[1024] = "{\"t\":\"ready\",\"match\":1";

	cr_assert_eq(READY_AND("\x01\x02"), ERR_KEY);
	for (int i = 2; i < MESSAGE_KEYS_MAX; i++)
		sprintf(many + strlen(many), ",\"k%d\":0", i);
	strcat(many, "}");
	cr_assert_eq(bot(many), ERR_OK);
	strcpy(many + strlen(many) - 1, ",\"more\":0}");
	cr_assert_eq(bot(many), ERR_KEY);
}

Test(strict, types_of_messages)
{
	cr_assert_eq(bot("{\"match\":1}"), ERR_MISSING_KEY);
	cr_assert_eq(bot("{\"t\":7,\"match\":1}"), ERR_TYPE);
	cr_assert_eq(bot("{\"t\":\"chat\",\"match\":1}"), ERR_UNKNOWN);
	says("chat");
	cr_assert_eq(bot("{\"t\":\"welcome\"}"), ERR_DIRECTION);
	cr_assert_eq(
		judge_json(FROM_ARBITER, "{\"t\":\"ready\",\"match\":1}"), ERR_DIRECTION);
}

Test(strict, missing_keys)
{
	cr_assert_eq(bot("{\"t\":\"ready\"}"), ERR_MISSING_KEY);
	says("ready.match");
	cr_assert_eq(bot("{\"t\":\"hello\",\"v\":[1]}"), ERR_MISSING_KEY);
	says("hello.token");
	cr_assert_eq(bot("{\"t\":\"action\",\"match\":1,\"turn\":1}"), ERR_MISSING_KEY);
	says("choice");
	cr_assert_eq(
		judge_json(FROM_ARBITER,
			"{\"t\":\"act\",\"match\":1,\"turn\":1,\"view\":{},\"events\":[],"
			"\"legal\":[],\"clock\":{\"bank_ms\":1}}"),
		ERR_MISSING_KEY);
	says("act.clock.move_ms");
}

#define ACTION(pairs) "{\"t\":\"action\",\"match\":1,\"turn\":1," pairs "}"

Test(strict, choice_and_action_exclude_each_other)
{
	cr_assert_eq(bot(ACTION("\"choice\":0")), ERR_OK);
	cr_assert_eq(bot(ACTION("\"action\":{\"a\":\"pass\"}")), ERR_OK);
	cr_assert_eq(bot(ACTION("\"choice\":0,\"action\":{}")), ERR_CONFLICT);
}

Test(strict, types_of_values)
{
	cr_assert_eq(bot("{\"t\":\"ready\",\"match\":\"1\"}"), ERR_TYPE);
	says("ready.match: is a str, expected an integer");
	cr_assert_eq(bot("{\"t\":\"ready\",\"match\":1.0}"), ERR_TYPE);
	cr_assert_eq(bot("{\"t\":\"ready\",\"match\":null}"), ERR_TYPE);
	cr_assert_eq(bot(ACTION("\"choice\":true")), ERR_TYPE);
	cr_assert_eq(bot(ACTION("\"action\":[]")), ERR_TYPE);
	cr_assert_eq(bot(ACTION("\"choice\":0,\"note\":{}")), ERR_TYPE);
	says("a str or a bin");
	cr_assert_eq(bot("{\"t\":\"hello\",\"v\":1,\"token\":\"t\"}"), ERR_TYPE);
	cr_assert_eq(
		bot("{\"t\":\"hello\",\"v\":[1],\"token\":{\"bin\":\"00\"}}"), ERR_TYPE);
	cr_assert_eq(
		bot("{\"t\":\"hello\",\"v\":[1],\"token\":\"t\",\"batch\":1}"), ERR_TYPE);
}

Test(strict, ranges)
{
	cr_assert_eq(bot("{\"t\":\"ready\",\"match\":-1}"), ERR_RANGE);
	cr_assert_eq(bot("{\"t\":\"ready\",\"match\":9007199254740991}"), ERR_OK);
	cr_assert_eq(bot("{\"t\":\"ready\",\"match\":9007199254740992}"), ERR_RANGE);
	cr_assert_eq(
		RAW("\x82\xa1t\xa5ready\xa5match\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
		ERR_RANGE);
	cr_assert_eq(
		bot(ACTION("\"choice\":-1")), ERR_RANGE, "-1 is not a missing choice");
	cr_assert_eq(bot(ACTION("\"choice\":4096")), ERR_RANGE);
	cr_assert_eq(
		bot("{\"t\":\"action\",\"match\":1,\"turn\":0,\"choice\":0}"), ERR_RANGE);
	cr_assert_eq(bot("{\"t\":\"hello\",\"v\":[],\"token\":\"t\"}"), ERR_RANGE);
	cr_assert_eq(bot("{\"t\":\"hello\",\"v\":[1],\"token\":\"\"}"), ERR_RANGE);
	cr_assert_eq(bot("{\"t\":\"hello\",\"v\":[1],\"token\":\"t\",\"matches\":0}"),
		ERR_RANGE);
	cr_assert_eq(bot("{\"t\":\"hello\",\"v\":[1],\"token\":\"t\",\"secret\":{\"bin\":"
			 "\"00\"}}"),
		ERR_RANGE);
}

Test(strict, a_match_agrees_with_itself)
{
	struct message m = full(MESSAGE_MATCH), d;

	m.match.seat = 4;
	buffer_clear(&buffer);
	codec_encode(&m, &buffer);
	cr_assert_eq(codec_decode(FROM_ARBITER, bytes, buffer.size, &d, &why), ERR_RANGE);
	m = full(MESSAGE_MATCH);
	m.match.teams.count = 3;
	buffer_clear(&buffer);
	codec_encode(&m, &buffer);
	cr_assert_eq(codec_decode(FROM_ARBITER, bytes, buffer.size, &d, &why), ERR_RANGE);
	m = full(MESSAGE_MATCH);
	m.match.names.count = 3;
	buffer_clear(&buffer);
	codec_encode(&m, &buffer);
	cr_assert_eq(codec_decode(FROM_ARBITER, bytes, buffer.size, &d, &why), ERR_RANGE);
}

Test(strict, strings_are_utf8)
{
	cr_assert_eq(READY_AND("\xa1x\xa2\xc3\xa4"), ERR_OK, "ä");
	cr_assert_eq(READY_AND("\xa1x\xa4\xf0\x9f\x90\xb7"), ERR_OK, "a pig");
	cr_assert_eq(READY_AND("\xa1x\xa1\xc3"), ERR_UTF8, "half a character");
	cr_assert_eq(READY_AND("\xa1x\xa2\xc0\x80"), ERR_UTF8, "overlong");
	cr_assert_eq(READY_AND("\xa1x\xa3\xe0\x80\x80"), ERR_UTF8, "overlong");
	cr_assert_eq(READY_AND("\xa1x\xa3\xed\xa0\x80"), ERR_UTF8, "a surrogate");
	cr_assert_eq(READY_AND("\xa1x\xa4\xf4\x90\x80\x80"), ERR_UTF8, "above U+10FFFF");
	cr_assert_eq(READY_AND("\xa1x\xa1\x80"), ERR_UTF8, "a lone continuation");
	cr_assert_eq(READY_AND("\xa1\xff\x00"), ERR_UTF8, "in a key");
}

/* `ready` with a value of that many nested arrays beside it. */
static enum err nested(int levels)
{
	char raw[256] = "\x83\xa1t\xa5ready\xa5match\x01\xa1x";
	size_t size = strlen(raw);

	memset(raw + size, 0x91, (size_t)levels - 1);
	raw[size + (size_t)levels - 1] = (char)0x90;
	return judge_bytes(raw, size + (size_t)levels);
}

Test(strict, nesting)
{
	cr_assert_eq(nested(NESTING_MAX - 1), ERR_OK);
	cr_assert_eq(nested(NESTING_MAX), ERR_NESTING);
	cr_assert_eq(nested(200), ERR_NESTING);
}

/* `ready` with an unknown key that makes it exactly `size` bytes. */
static void sized(size_t size)
{
	msgpack_packer packer = buffer_packer(&buffer);
	size_t start = buffer.size, payload;

	msgpack_pack_map(&packer, 3);
	msgpack_pack_str_with_body(&packer, "t", 1);
	msgpack_pack_str_with_body(&packer, "ready", 5);
	msgpack_pack_str_with_body(&packer, "match", 5);
	msgpack_pack_int(&packer, 1);
	msgpack_pack_str_with_body(&packer, "x", 1);
	payload = size - (buffer.size - start) - 5;
	cr_assert_gt(payload, 65535, "so that the head has five bytes");
	msgpack_pack_bin(&packer, payload);
	memset(buffer.bytes + buffer.size, 0, payload);
	buffer.size += payload;
}

Test(strict, sizes)
{
	struct limits limits = limits_default();
	struct decoder decoder;
	struct message m;

	limits.message_bytes = 100000;
	limits.frame_bytes = 250000;
	sized(100000);
	decoder_init(&decoder, FROM_BOT, false, &limits, bytes, buffer.size);
	cr_assert_eq(decoder_next(&decoder, &m, &why), ERR_OK);
	decoder_init(&decoder, FROM_BOT, false, NULL, bytes, buffer.size);
	cr_assert_eq(
		decoder_next(&decoder, &m, &why), ERR_OVERSIZE, "64 kB without limits");
	says("65536");
	sized(100001);
	decoder_init(&decoder, FROM_BOT, true, &limits, bytes, buffer.size);
	cr_assert_eq(decoder_next(&decoder, &m, &why), ERR_OK, "the first of the batch");
	cr_assert_eq(decoder_next(&decoder, &m, &why), ERR_OVERSIZE, "the second");
	sized(70000);
	decoder_init(&decoder, FROM_BOT, true, &limits, bytes, buffer.size);
	cr_assert_eq(decoder_next(&decoder, &m, &why), ERR_OVERSIZE, "the whole frame");
}

Test(strict, long_strings_and_notes)
{
	char json[4096], text[2048];

	memset(text, 'x', sizeof(text));
	snprintf(json, sizeof(json), ACTION("\"choice\":0,\"note\":\"%.*s\""),
		NOTE_BYTES_MAX, text);
	cr_assert_eq(bot(json), ERR_OK);
	snprintf(json, sizeof(json), ACTION("\"choice\":0,\"note\":\"%.*s\""),
		NOTE_BYTES_MAX + 1, text);
	cr_assert_eq(bot(json), ERR_OVERSIZE);
	says("action.note: has 1025 bytes, at most 1024");
	snprintf(json, sizeof(json), "{\"t\":\"hello\",\"v\":[1],\"token\":\"%.*s\"}",
		TOKEN_BYTES_MAX + 1, text);
	cr_assert_eq(bot(json), ERR_OVERSIZE);
	snprintf(json, sizeof(json),
		"{\"t\":\"hello\",\"v\":[1],\"token\":\"t\",\"name\":\"%.*s\"}",
		NAME_BYTES_MAX + 1, text);
	cr_assert_eq(bot(json), ERR_OVERSIZE);
}

Test(batch, messages_come_one_after_another)
{
	struct decoder decoder;
	struct message m;

	buffer_clear(&buffer);
	for (int i = 1; i <= 3; i++) {
		m.type = MESSAGE_READY;
		m.ready.match = i;
		codec_encode(&m, &buffer);
	}
	decoder_init(&decoder, FROM_BOT, true, NULL, bytes, buffer.size);
	for (int i = 1; i <= 3; i++) {
		cr_assert_not(decoder_done(&decoder));
		cr_assert_eq(decoder_next(&decoder, &m, &why), ERR_OK);
		cr_assert_eq(m.ready.match, i);
		cr_assert_eq(decoder_last(&decoder).size, buffer.size / 3);
	}
	cr_assert(decoder_done(&decoder));
	decoder_init(&decoder, FROM_BOT, false, NULL, bytes, buffer.size);
	cr_assert_eq(decoder_next(&decoder, &m, &why), ERR_TRAILING);
}

Test(batch, a_broken_message_is_found_where_it_stands)
{
	struct decoder decoder;
	struct message m = {.type = MESSAGE_READY};

	buffer_clear(&buffer);
	codec_encode(&m, &buffer);
	codec_encode(&m, &buffer);
	decoder_init(&decoder, FROM_BOT, true, NULL, bytes, buffer.size - 1);
	cr_assert_eq(decoder_next(&decoder, &m, &why), ERR_OK);
	cr_assert_eq(decoder_next(&decoder, &m, &why), ERR_TRUNCATED);
}

Test(codec, bytes_changed_at_random_never_do_harm)
{
	static uint8_t changed[65536];
	unsigned seed = 1;

	for (int round = 0; round < 20000; round++) {
		struct message m = full(round % MESSAGE_TYPES), d;
		size_t size;

		buffer_clear(&buffer);
		codec_encode(&m, &buffer);
		size = buffer.size;
		memcpy(changed, bytes, size);
		for (int i = 0; i < 1 + round % 3; i++)
			changed[(size_t)rand_r(&seed) % size] = (uint8_t)rand_r(&seed);
		if (codec_decode(sender(m.type), changed, size, &d, &why) == ERR_OK)
			round_trip(&d);
	}
}

Test(err, every_code_has_a_word_of_its_own)
{
	for (int code = 0; code < ERR_COUNT; code++) {
		cr_assert(err_word(code) && err_text(code), "%d", code);
		cr_assert_eq(err_find(err_word(code)), code);
	}
	cr_assert_eq(err_find("nonsense"), ERR_COUNT);
	cr_assert_eq(err_class(ERR_TRUNCATED), ERR_CLASS_MALFORMED);
	cr_assert_eq(err_class(ERR_OVERSIZE), ERR_CLASS_OVERSIZE);
	cr_assert_eq(err_class(ERR_FLOOD), ERR_CLASS_FLOOD);
	cr_assert_eq(err_class(ERR_TOKEN), ERR_CLASS_REFUSED);
	cr_assert_eq(err_class(ERR_AGAIN), ERR_CLASS_LOCAL);
}
