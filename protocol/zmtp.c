/* ZMTP as an arbiter speaks it: greeting, handshake, frames. */
#include "protocol/zmtp.h"

#include <string.h>
#include <strings.h>

#define SIGNATURE_SIZE 10
#define VERSION_AT     10
#define GREETING_SIZE  64
#define MECHANISM_AT   12
#define MECHANISM_SIZE 20
#define OLD_GREETING   12 /* and then an identity, as a frame */
#define OLD_VERSION    1
#define OLD_DEALER     5
#define OLD_ROUTER     6

enum { FLAG_MORE = 1, FLAG_LONG = 2, FLAG_COMMAND = 4 };

static const uint8_t signature[SIGNATURE_SIZE] = {0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f};

static void reply(struct zmtp *zmtp, const void *bytes, size_t size)
{
	if (size > sizeof(zmtp->reply) - zmtp->reply_size)
		return;
	memcpy(zmtp->reply + zmtp->reply_size, bytes, size);
	zmtp->reply_size += size;
}

/* The peer has to see the version before all else: an old one answers in its own way. */
void zmtp_init(struct zmtp *zmtp, size_t bytes_max)
{
	*zmtp = (struct zmtp){.bytes_max = bytes_max};
	reply(zmtp, signature, sizeof(signature));
	reply(zmtp, "\3", 1);
}

static void reply_ready(struct zmtp *zmtp)
{
	static const char ready[] = "\4\51\5READY\13Socket-Type\0\0\0\6ROUTER"
				    "\10Identity\0\0\0";

	reply(zmtp, ready, sizeof(ready));
}

static enum zmtp_event read_greeting(
	struct zmtp *zmtp, const uint8_t *bytes, size_t size, size_t *used)
{
	static const uint8_t null[MECHANISM_SIZE] = "NULL";
	uint8_t rest[GREETING_SIZE - VERSION_AT - 1] = {1};

	if (size < GREETING_SIZE)
		return ZMTP_WAIT;
	if (memcmp(bytes + MECHANISM_AT, null, MECHANISM_SIZE))
		return ZMTP_BROKEN;
	memcpy(rest + 1, null, MECHANISM_SIZE);
	reply(zmtp, rest, sizeof(rest));
	reply_ready(zmtp);
	zmtp->state = ZMTP_HANDSHAKE;
	*used = GREETING_SIZE;
	return ZMTP_FRAME;
}

static enum zmtp_event read_old_greeting(
	struct zmtp *zmtp, const uint8_t *bytes, size_t size, size_t *used)
{
	static const uint8_t rest[] = {OLD_ROUTER, 0, 0};

	if (size < OLD_GREETING)
		return ZMTP_WAIT;
	if (bytes[VERSION_AT + 1] != OLD_DEALER)
		return ZMTP_BROKEN;
	reply(zmtp, rest, sizeof(rest));
	zmtp->old = true;
	zmtp->state = ZMTP_HANDSHAKE;
	*used = OLD_GREETING;
	return ZMTP_FRAME;
}

static enum zmtp_event greet(
	struct zmtp *zmtp, const uint8_t *bytes, size_t size, size_t *used)
{
	if ((size > 0 && bytes[0] != signature[0]) ||
		(size >= SIGNATURE_SIZE && bytes[SIGNATURE_SIZE - 1] != 0x7f))
		return ZMTP_BROKEN;
	if (size <= VERSION_AT)
		return ZMTP_WAIT;
	if (bytes[VERSION_AT] >= 3)
		return read_greeting(zmtp, bytes, size, used);
	if (bytes[VERSION_AT] == OLD_VERSION)
		return read_old_greeting(zmtp, bytes, size, used);
	return ZMTP_BROKEN;
}

static uint64_t big_endian(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | *bytes++;
	return value;
}

/* The header and the extent of the frame that begins here. */
static enum zmtp_event read_frame(struct zmtp *zmtp, const uint8_t *bytes, size_t size,
	size_t *used, uint8_t *flags)
{
	size_t header, max;
	uint64_t length;

	if (!size)
		return ZMTP_WAIT;
	*flags = bytes[0];
	if (*flags & ~(FLAG_MORE | FLAG_LONG | FLAG_COMMAND) ||
		(*flags & FLAG_COMMAND && (*flags & FLAG_MORE || zmtp->old)))
		return ZMTP_BROKEN;
	header = *flags & FLAG_LONG ? ZMTP_HEADER_MAX : 2;
	if (size < header)
		return ZMTP_WAIT;
	length = big_endian(bytes + 1, header - 1);
	max = *flags & FLAG_COMMAND || zmtp->state != ZMTP_OPEN ? ZMTP_COMMAND_MAX
								: zmtp->bytes_max;
	zmtp->frame = bytes + header;
	zmtp->frame_size = length < size - header ? (size_t)length : size - header;
	if (length > max)
		return zmtp->state == ZMTP_OPEN && !(*flags & FLAG_COMMAND)
			       ? ZMTP_OVERSIZE
			       : ZMTP_BROKEN;
	if (length > size - header)
		return ZMTP_WAIT;
	*used = header + (size_t)length;
	return ZMTP_FRAME;
}

static bool starts_with(const struct zmtp *zmtp, const char *name)
{
	size_t size = strlen(name);

	return zmtp->frame_size >= size && !memcmp(zmtp->frame, name, size);
}

/* Is one of the properties in READY that of a DEALER? They must be well formed. */
static bool is_dealer(const uint8_t *at, size_t left)
{
	bool dealer = false;

	while (left) {
		size_t name = at[0], value;
		const uint8_t *text = at + 1 + name + 4;

		if (!name || left < 1 + name + 4)
			return false;
		value = (size_t)big_endian(at + 1 + name, 4);
		if (value > left - 1 - name - 4)
			return false;
		dealer |= name == 11 &&
			  !strncasecmp((const char *)at + 1, "Socket-Type", 11) &&
			  value == 6 && !memcmp(text, "DEALER", 6);
		at = text + value;
		left -= 1 + name + 4 + value;
	}
	return dealer;
}

/* An old peer sends its identity, a newer one READY; what it calls itself there is of no
 * interest: whose connection it is follows from where it came. */
static enum zmtp_event shake_hands(struct zmtp *zmtp, uint8_t flags)
{
	if (zmtp->old ? flags & FLAG_MORE
		      : !(flags & FLAG_COMMAND) || !starts_with(zmtp, "\5READY") ||
				!is_dealer(zmtp->frame + 6, zmtp->frame_size - 6))
		return ZMTP_BROKEN;
	zmtp->state = ZMTP_OPEN;
	return ZMTP_FRAME;
}

/* A heartbeat is answered; all other commands mean nothing here. */
static void obey(struct zmtp *zmtp)
{
	uint8_t pong[2 + 5 + 16] = {FLAG_COMMAND, 5, 4, 'P', 'O', 'N', 'G'};
	size_t context = zmtp->frame_size - 7;

	if (!starts_with(zmtp, "\4PING") || zmtp->frame_size < 7 || context > 16)
		return;
	pong[1] = (uint8_t)(5 + context);
	memcpy(pong + 7, zmtp->frame + 7, context);
	reply(zmtp, pong, 7 + context);
}

/* One step; ZMTP_FRAME with zmtp->frame NULL: something was read that is no frame. */
static enum zmtp_event step(
	struct zmtp *zmtp, const uint8_t *bytes, size_t size, size_t *used)
{
	enum zmtp_event event;
	uint8_t flags = 0;

	*used = 0;
	zmtp->frame = NULL;
	if (zmtp->state == ZMTP_GREETING)
		return greet(zmtp, bytes, size, used);
	event = read_frame(zmtp, bytes, size, used, &flags);
	if (event != ZMTP_FRAME)
		return event;
	zmtp->more = flags & FLAG_MORE;
	if (zmtp->state == ZMTP_HANDSHAKE)
		event = shake_hands(zmtp, flags);
	else if (flags & FLAG_COMMAND)
		obey(zmtp);
	else
		return ZMTP_FRAME;
	zmtp->frame = NULL;
	return event;
}

enum zmtp_event zmtp_read(
	struct zmtp *zmtp, const uint8_t *bytes, size_t size, size_t *used)
{
	enum zmtp_event event;
	size_t n;

	*used = 0;
	do {
		event = step(zmtp, bytes + *used, size - *used, &n);
		*used += n;
	} while (event == ZMTP_FRAME && !zmtp->frame);
	return event;
}

size_t zmtp_header(size_t frame_size, uint8_t header[ZMTP_HEADER_MAX])
{
	if (frame_size < 256) {
		header[0] = 0;
		header[1] = (uint8_t)frame_size;
		return 2;
	}
	header[0] = FLAG_LONG;
	for (int i = 0; i < 8; i++)
		header[1 + i] = (uint8_t)(frame_size >> (56 - 8 * i));
	return ZMTP_HEADER_MAX;
}
