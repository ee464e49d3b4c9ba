/* JSON to msgpack and back. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "protocol/json.h"

static uint8_t bytes[65536];
static struct buffer buffer = {bytes, 0, sizeof(bytes), false};
static struct why why;

static enum err parse(const char *line)
{
	buffer_clear(&buffer);
	return json_parse_line(line, strlen(line), &buffer, &why);
}

static void survives(const char *line)
{
	char *back;

	cr_assert_eq(parse(line), ERR_OK, "%s: %s", line, why.text);
	back = json_line(blob_since(&buffer, 0), &why);
	cr_assert_str_eq(back, line);
	free(back);
}

Test(json, values_survive)
{
	survives("null");
	survives("true");
	survives("[]");
	survives("{}");
	survives("-9223372036854775808");
	survives("9223372036854775807");
	survives("[0,127,128,255,256,65536,-1,-32,-33,-129]");
	survives("[1.0,-0.5,0.25]");
	survives("\"äöü 🐷 \\\"quoted\\\" \\u0000\"");
	survives("{\"z\":1,\"a\":{\"m\":[{\"bin\":\"00ff10\"}]},\"bin\":1}");
	survives("{\"bin\":\"\"}");
}

Test(json, integers_are_short_and_reals_stay_reals)
{
	cr_assert_eq(parse("[1,200,-1]"), ERR_OK);
	cr_assert_eq(buffer.size, 5);
	cr_assert_eq(memcmp(bytes, "\x93\x01\xcc\xc8\xff", 5), 0);
	cr_assert_eq(parse("1.0"), ERR_OK);
	cr_assert_eq(buffer.size, 9);
	cr_assert_eq(bytes[0], 0xcb);
}

Test(json, bytes_are_hex_under_bin)
{
	cr_assert_eq(parse("{\"bin\":\"0aff\"}"), ERR_OK);
	cr_assert_eq(memcmp(bytes, "\xc4\x02\x0a\xff", 4), 0);
	cr_assert_eq(parse("{\"bin\":\"0a0\"}"), ERR_JSON);
	cr_assert_eq(parse("{\"bin\":\"0A\"}"), ERR_JSON);
	cr_assert_eq(parse("{\"bin\":\"zz\"}"), ERR_JSON);
	cr_assert_eq(parse("{\"bin\":\"0a\\u0000\\u0000\"}"), ERR_JSON);
	cr_assert_eq(buffer.size, 0, "nothing is left of it");
}

Test(json, text_that_is_not_json)
{
	cr_assert_eq(parse(""), ERR_JSON);
	cr_assert_eq(parse("{\"a\":1"), ERR_JSON);
	cr_assert_eq(parse("hello"), ERR_JSON);
	cr_assert(strstr(why.text, "not JSON"), "%s", why.text);
	cr_assert_eq(parse("{\"a\":1,\"a\":2}"), ERR_JSON);
	cr_assert_eq(parse("{} {}"), ERR_JSON);
	cr_assert_eq(parse("\"\xff\""), ERR_JSON);
	cr_assert_eq(parse("1e999"), ERR_JSON);
	cr_assert_eq(parse("99999999999999999999"), ERR_JSON);
}

Test(json, text_that_is_too_long)
{
	uint8_t small[4];
	struct buffer room = buffer_on(small, sizeof(small));

	cr_assert_eq(json_parse_line("[1,2,3,4]", 9, &room, &why), ERR_FULL);
	cr_assert_eq(room.size, 0);
}

static bool held(const char *raw, size_t size)
{
	json_t *json =
		json_from_blob((struct blob){(const uint8_t *)raw, (uint32_t)size}, &why);

	json_decref(json);
	return json;
}
#define HELD(literal) held(literal, sizeof(literal) - 1)

Test(json, msgpack_that_json_cannot_hold)
{
	cr_assert(HELD("\x81\xa1x\x01"));
	cr_assert_not(HELD("\x81\x01\x01"), "a key that is no str");
	cr_assert_not(HELD("\x82\xa1x\x01\xa1x\x02"), "a key twice");
	cr_assert_not(HELD("\x81\xa1\x00\x01"), "a NUL in a key");
	cr_assert_not(HELD("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), "2^64-1");
	cr_assert_not(HELD("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"), "infinity");
	cr_assert_not(HELD("\x81\xa3"
			   "bin\xa2"
			   "00"),
		"a map that would become bytes");
	cr_assert_not(HELD("\xc7\x01\x05\x00"), "an extension");
	cr_assert_not(HELD("\x92\x01"), "cut");
	cr_assert_not(HELD("\x01\x02"), "two values");
	cr_assert(HELD("\xca\x3f\x80\x00\x00"), "a short float");
}
