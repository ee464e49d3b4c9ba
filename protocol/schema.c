/* The fields of every message, as tables. */
#include "protocol/schema.h"
#include "protocol/scan.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))
#define AT(member)  #member, .offset = offsetof(THIS, member)

#define INTEGER(member, low, high)                                                       \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_INTEGER, .min = (low), .max = (high)   \
	}
#define INTEGER_OR(member, low, high, otherwise)                                         \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_INTEGER, .min = (low), .max = (high),  \
		.optional = true, .default_value = (otherwise)                           \
	}
#define FLAG(member)                                                                     \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_BOOLEAN, .optional = true              \
	}
#define TEXT(member, low, high)                                                          \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_TEXT, .min = (low), .max = (high)      \
	}
#define TEXT_OPTIONAL(member, high)                                                      \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_TEXT, .max = (high), .optional = true  \
	}
#define BYTES(member)                                                                    \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_BYTES, .min = SECRET_BYTES,            \
		.max = SECRET_BYTES                                                      \
	}
#define BYTES_OPTIONAL(member)                                                           \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_BYTES, .min = SECRET_BYTES,            \
		.max = SECRET_BYTES, .optional = true                                    \
	}
#define BLOB(member, types_)                                                             \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_BLOB, .types = (types_)                \
	}
#define BLOB_OPTIONAL(member, types_)                                                    \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_BLOB, .types = (types_),               \
		.optional = true                                                         \
	}
#define RECORD(member, table)                                                            \
	{                                                                                \
		.key = AT(member), .kind = SCHEMA_RECORD, .record = &(table)             \
	}

static const char *const clock_words[] = {"wall", "cpu", NULL};

#define THIS struct limits
static const struct field limits_fields[] = {
	INTEGER(message_bytes, 1, INTEGER_MAX),
	INTEGER(frame_bytes, 1, INTEGER_MAX),
	INTEGER(nesting, 1, INTEGER_MAX),
	INTEGER(messages, 1, INTEGER_MAX),
	INTEGER(note_bytes, 0, INTEGER_MAX),
	INTEGER(stderr_bytes, 0, INTEGER_MAX),
	INTEGER(ready_ms, 1, INTEGER_MAX),
	INTEGER(bye_ms, 1, INTEGER_MAX),
	INTEGER(memory_bytes, 0, INTEGER_MAX),
	INTEGER(processes, 0, INTEGER_MAX),
	INTEGER(descriptors, 0, INTEGER_MAX),
	INTEGER(disk_bytes, 0, INTEGER_MAX),
};
static const struct record limits_record = {
	NULL, 0, sizeof(THIS), COUNT(limits_fields), limits_fields};
#undef THIS

#define THIS struct message_rule
static const struct field rule_fields[] = {
	{.key = AT(kind), .kind = SCHEMA_WORD, .words = clock_words},
	INTEGER(bank_ms, 0, INTEGER_MAX),
	INTEGER(inc_ms, 0, INTEGER_MAX),
	INTEGER(move_ms, 0, INTEGER_MAX),
};
static const struct record rule_record = {
	NULL, 0, sizeof(THIS), COUNT(rule_fields), rule_fields};
#undef THIS

#define THIS struct message_clock
static const struct field clock_fields[] = {
	INTEGER(bank_ms, 0, INTEGER_MAX),
	INTEGER(move_ms, 0, INTEGER_MAX),
};
static const struct record clock_record = {
	NULL, 0, sizeof(THIS), COUNT(clock_fields), clock_fields};
#undef THIS

#define THIS struct message_pending
static const struct field pending_fields[] = {
	INTEGER(turn, 1, INTEGER_MAX),
	BLOB(legal, SCAN_ARRAY),
	RECORD(clock, clock_record),
};
static const struct record pending_record = {
	NULL, 0, sizeof(THIS), COUNT(pending_fields), pending_fields};
#undef THIS

#define THIS struct message_hello
static const struct field hello_fields[] = {
	{.key = AT(v), .kind = SCHEMA_INTEGERS, .min = 1, .max = 255},
	TEXT(token, 1, TOKEN_BYTES_MAX),
	TEXT_OPTIONAL(name, NAME_BYTES_MAX),
	TEXT_OPTIONAL(version, NAME_BYTES_MAX),
	TEXT_OPTIONAL(lang, NAME_BYTES_MAX),
	INTEGER_OR(matches, 1, MATCHES_MAX, 1),
	FLAG(events),
	FLAG(batch),
	BYTES_OPTIONAL(secret),
};
#undef THIS

#define THIS struct message_welcome
static const struct field welcome_fields[] = {
	INTEGER(v, 1, 255),
	INTEGER(session, 0, INTEGER_MAX),
	BYTES(secret),
	RECORD(limits, limits_record),
};
#undef THIS

/* `match` and `resume` share these keys; a resume begins with a struct message_match. */
#define THIS struct message_match
#define MATCH_FIELDS                                                                     \
	INTEGER(match, 0, INTEGER_MAX), TEXT(game, 1, NAME_BYTES_MAX),                   \
		INTEGER(rules, 0, INTEGER_MAX), BLOB(options, SCAN_MAP),                 \
		INTEGER(seat, 0, SEATS_MAX - 1), INTEGER(seats, 1, SEATS_MAX),           \
		{.key = AT(teams),                                                       \
			.kind = SCHEMA_INTEGERS,                                         \
			.min = -1,                                                       \
			.max = SEATS_MAX - 1},                                           \
		RECORD(clock, rule_record), BYTES(commit), BYTES(rng),                   \
	{                                                                                \
		.key = AT(names), .kind = SCHEMA_TEXTS, .max = NAME_BYTES_MAX,           \
		.optional = true                                                         \
	}
static const struct field match_fields[] = {MATCH_FIELDS};
#undef THIS

#define THIS struct message_resume
_Static_assert(offsetof(THIS, match) == 0, "the match's offsets hold for a resume");
#undef THIS
#define THIS              struct message_match
#define RESUME_AT(member) #member, .offset = offsetof(struct message_resume, member)
static const struct field resume_fields[] = {
	MATCH_FIELDS,
	{.key = RESUME_AT(view), .kind = SCHEMA_BLOB, .types = SCAN_MAP},
	{.key = RESUME_AT(act),
		.kind = SCHEMA_RECORD,
		.record = &pending_record,
		.optional = true},
};
#undef THIS

#define THIS struct message_ready
static const struct field ready_fields[] = {INTEGER(match, 0, INTEGER_MAX)};
#undef THIS

#define THIS struct message_event
static const struct field event_fields[] = {
	INTEGER(match, 0, INTEGER_MAX),
	BLOB(events, SCAN_ARRAY),
};
#undef THIS

#define THIS struct message_act
static const struct field act_fields[] = {
	INTEGER(match, 0, INTEGER_MAX),
	INTEGER(turn, 1, INTEGER_MAX),
	BLOB(view, SCAN_MAP),
	BLOB(events, SCAN_ARRAY),
	BLOB(legal, SCAN_ARRAY),
	RECORD(clock, clock_record),
};
#undef THIS

#define THIS struct message_action
static const struct field action_fields[] = {
	INTEGER(match, 0, INTEGER_MAX),
	INTEGER(turn, 1, INTEGER_MAX),
	INTEGER_OR(choice, 0, CHOICES_MAX - 1, -1),
	BLOB_OPTIONAL(action, SCAN_MAP),
	{.key = AT(note),
		.kind = SCHEMA_NOTE,
		.types = SCAN_STR | SCAN_BIN,
		.optional = true},
};
#undef THIS

#define THIS struct message_refuse
static const struct field refuse_fields[] = {
	INTEGER(match, 0, INTEGER_MAX),
	INTEGER(turn, 1, INTEGER_MAX),
	TEXT(clause, 0, NAME_BYTES_MAX),
	TEXT(why, 0, WHY_BYTES_MAX),
};
#undef THIS

#define THIS struct message_end
static const struct field end_fields[] = {
	INTEGER(match, 0, INTEGER_MAX),
	BLOB(events, SCAN_ARRAY),
	BLOB(result, SCAN_MAP | SCAN_NIL),
};
#undef THIS

#define THIS struct message_bye
static const struct field bye_fields[] = {
	TEXT_OPTIONAL(code, NAME_BYTES_MAX),
	TEXT_OPTIONAL(why, WHY_BYTES_MAX),
};
#undef THIS

#define THIS struct message_error
static const struct field error_fields[] = {
	TEXT(code, 1, NAME_BYTES_MAX),
	TEXT(why, 0, WHY_BYTES_MAX),
	INTEGER_OR(match, 0, INTEGER_MAX, -1),
};
#undef THIS

#define MESSAGE(name, from)                                                              \
	{                                                                                \
#name, from, sizeof(struct message_##name), COUNT(name##_fields),        \
			name##_fields                                                    \
	}

const struct record message_records[MESSAGE_TYPES] = {
	[MESSAGE_HELLO] = MESSAGE(hello, FROM_BOT),
	[MESSAGE_WELCOME] = MESSAGE(welcome, FROM_ARBITER),
	[MESSAGE_MATCH] = MESSAGE(match, FROM_ARBITER),
	[MESSAGE_READY] = MESSAGE(ready, FROM_BOT),
	[MESSAGE_EVENT] = MESSAGE(event, FROM_ARBITER),
	[MESSAGE_ACT] = MESSAGE(act, FROM_ARBITER),
	[MESSAGE_ACTION] = MESSAGE(action, FROM_BOT),
	[MESSAGE_REFUSE] = MESSAGE(refuse, FROM_ARBITER),
	[MESSAGE_END] = MESSAGE(end, FROM_ARBITER),
	[MESSAGE_RESUME] = MESSAGE(resume, FROM_ARBITER),
	[MESSAGE_BYE] = MESSAGE(bye, FROM_BOT | FROM_ARBITER),
	[MESSAGE_ERROR] = MESSAGE(error, FROM_BOT | FROM_ARBITER),
};

const char *message_word(enum message_type type)
{
	return message_records[type].word;
}

unsigned message_from(enum message_type type)
{
	return message_records[type].from;
}
