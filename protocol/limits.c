/* The default limits of a bot. */
#include "protocol/limits.h"

struct limits limits_default(void)
{
	return (struct limits){
		.message_bytes = MESSAGE_BYTES_MAX,
		.frame_bytes = FRAME_BYTES_MAX,
		.nesting = NESTING_MAX,
		.messages = MESSAGES_MAX,
		.note_bytes = NOTE_BYTES_MAX,
		.stderr_bytes = STDERR_BYTES_MAX,
		.ready_ms = READY_MS_DEFAULT,
		.bye_ms = BYE_MS_DEFAULT,
	};
}
