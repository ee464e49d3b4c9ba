/* Reads msgpack values one by one, without allocating. */
#include "protocol/scan.h"
#include "protocol/utf8.h"

/* Big-endian; the caller has checked that the bytes are there. */
static uint64_t take(struct scan *scan, size_t size)
{
	uint64_t number = 0;

	while (size--)
		number = number << 8 | *scan->at++;
	return number;
}

static enum err take_unsigned(struct scan *scan, size_t size, struct scan_value *value)
{
	uint64_t number = take(scan, size);

	value->type = SCAN_INTEGER;
	value->big = number > INT64_MAX;
	value->integer = number > INT64_MAX ? INT64_MAX : (int64_t)number;
	return ERR_OK;
}

static enum err take_signed(struct scan *scan, size_t size, struct scan_value *value)
{
	int shift = 64 - 8 * (int)size;

	value->type = SCAN_INTEGER;
	value->big = false;
	value->integer = (int64_t)(take(scan, size) << shift) >> shift;
	return ERR_OK;
}

static enum err take_bytes(
	struct scan *scan, enum scan_type type, uint64_t size, struct scan_value *value)
{
	if (size > (size_t)(scan->end - scan->at))
		return ERR_TRUNCATED;
	value->type = type;
	value->text = (struct text){(const char *)scan->at, (uint32_t)size};
	scan->at += size;
	return type == SCAN_STR && !utf8_valid(value->text) ? ERR_UTF8 : ERR_OK;
}

/* Every element takes at least one byte, so a count above what is left is a lie. */
static enum err take_count(
	struct scan *scan, enum scan_type type, uint64_t count, struct scan_value *value)
{
	uint64_t elements = type == SCAN_MAP ? 2 * count : count;

	if (elements > (size_t)(scan->end - scan->at))
		return ERR_TRUNCATED;
	value->type = type;
	value->count = (uint32_t)count;
	return ERR_OK;
}

static enum err take_float(struct scan *scan, size_t size, struct scan_value *value)
{
	uint64_t bits = take(scan, size);
	uint32_t low = (uint32_t)bits;
	float single;

	value->type = SCAN_FLOAT;
	memcpy(&value->real, &bits, sizeof(bits));
	if (size == sizeof(single)) {
		memcpy(&single, &low, sizeof(low));
		value->real = single;
	}
	return ERR_OK;
}

/* How many bytes of number or length follow each of the heads 0xc0…0xdf; 0xff marks
 * what is not allowed: the reserved byte and the extension types. */
static const uint8_t head_bytes[32] = {0, 0xff, 0, 0, 1, 2, 4, 0xff, 0xff, 0xff, 4, 8, 1,
	2, 4, 8, 1, 2, 4, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 4, 2, 4, 2, 4};

static enum err take_long_form(struct scan *scan, uint8_t head, struct scan_value *value)
{
	size_t size = head_bytes[head - 0xc0];

	if (size == 0xff)
		return ERR_ENCODING;
	if (size > (size_t)(scan->end - scan->at))
		return ERR_TRUNCATED;
	switch (head) {
	case 0xc0:
		value->type = SCAN_NIL;
		return ERR_OK;
	case 0xc2 ... 0xc3:
		value->type = SCAN_BOOL;
		value->integer = head & 1;
		return ERR_OK;
	case 0xc4 ... 0xc6:
		return take_bytes(scan, SCAN_BIN, take(scan, size), value);
	case 0xca ... 0xcb:
		return take_float(scan, size, value);
	case 0xcc ... 0xcf:
		return take_unsigned(scan, size, value);
	case 0xd0 ... 0xd3:
		return take_signed(scan, size, value);
	case 0xd9 ... 0xdb:
		return take_bytes(scan, SCAN_STR, take(scan, size), value);
	case 0xdc ... 0xdd:
		return take_count(scan, SCAN_ARRAY, take(scan, size), value);
	default:
		return take_count(scan, SCAN_MAP, take(scan, size), value);
	}
}

enum err scan_next(struct scan *scan, struct scan_value *value)
{
	uint8_t head;

	if (scan->at == scan->end)
		return ERR_TRUNCATED;
	head = *scan->at++;
	if (head < 0x80 || head >= 0xe0) {
		value->type = SCAN_INTEGER;
		value->big = false;
		value->integer = (int8_t)head;
		return ERR_OK;
	}
	if (head < 0x90)
		return take_count(scan, SCAN_MAP, head & 15, value);
	if (head < 0xa0)
		return take_count(scan, SCAN_ARRAY, head & 15, value);
	if (head < 0xc0)
		return take_bytes(scan, SCAN_STR, head & 31, value);
	return take_long_form(scan, head, value);
}

enum err scan_skip(struct scan *scan, int64_t nesting, struct scan_value *value)
{
	struct scan_value local, *head = value ? value : &local;
	enum err err = scan_next(scan, head);
	uint64_t elements;

	if (err || !(head->type & (SCAN_ARRAY | SCAN_MAP)))
		return err;
	if (nesting < 1)
		return ERR_NESTING;
	elements = head->type == SCAN_MAP ? 2 * (uint64_t)head->count : head->count;
	while (!err && elements--)
		err = scan_skip(scan, nesting - 1, NULL);
	return err;
}

const char *scan_type_text(enum scan_type type)
{
	switch (type) {
	case SCAN_NIL:
		return "nil";
	case SCAN_BOOL:
		return "a bool";
	case SCAN_INTEGER:
		return "an integer";
	case SCAN_FLOAT:
		return "a float";
	case SCAN_STR:
		return "a str";
	case SCAN_BIN:
		return "a bin";
	case SCAN_ARRAY:
		return "an array";
	case SCAN_MAP:
		return "a map";
	}
	return "nothing";
}
