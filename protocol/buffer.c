/* Copying texts, and unpacking msgpack blobs. */
#include "protocol/buffer.h"
#include "protocol/scan.h"
#include "protocol/utf8.h"

void text_copy(struct text text, char *string, size_t capacity)
{
	size_t size = utf8_cut(text.bytes, text.size, capacity - 1);

	if (size > 0)
		memcpy(string, text.bytes, size);
	string[size] = 0;
}

int64_t blob_count(struct blob blob)
{
	struct scan scan = scan_on(blob);
	struct scan_value value;

	if (scan_next(&scan, &value) || !(value.type & (SCAN_ARRAY | SCAN_MAP)))
		return -1;
	return value.count;
}

bool blob_unpack(struct blob blob, msgpack_zone *zone, msgpack_object *object)
{
	size_t offset = 0;

	return msgpack_unpack((const char *)blob.bytes, blob.size, &offset, zone,
		       object) == MSGPACK_UNPACK_SUCCESS;
}
