/*
 * All that a bot in C needs. A whole bot:
 *
 *     #include "protocol/bot.h"
 *
 *     static void act(struct bot_match *match, const struct message_act *act,
 *             struct bot_answer *answer)
 *     {
 *             answer->choice = 0;
 *     }
 *
 *     int main(void)
 *     {
 *             return bot_run(&(struct bot){.name = "first", .act = act});
 *     }
 *
 * bot_run() connects where PIGPEN_ENDPOINT says, greets with PIGPEN_TOKEN, and calls the
 * handlers until the arbiter says bye. A bot that is started by hand and plays on an
 * arbiter elsewhere needs PIGPEN_SERVER_KEY and PIGPEN_KEY_FILE too (link.h). Hello,
 * ready, reconnecting, batches and several matches at once are handled here. Every
 * handler may be NULL except `act`.
 */
#ifndef PROTOCOL_BOT_H
#define PROTOCOL_BOT_H

#include "protocol/message.h"

struct bot;

/* One match that is being played. */
struct bot_match {
	const struct bot *bot;
	struct message_match
		info; /* as the arbiter sent it; lives as long as the match */
	void *data;   /* the bot's own, NULL at first; free it in `end` */
};

/*
 * An answer: an index into act->legal, or an action written out, and a remark for
 * the replay. Both buffers are empty at first and are used if something is written
 * to them: `action` one msgpack map, `note` one msgpack str or bin.
 */
struct bot_answer {
	int64_t choice;
	struct buffer action;
	struct buffer note;
};

struct bot {
	const char *name, *version; /* shown in results; may be NULL */
	int matches;                /* at once; 0: 1 */
	bool events;                /* call `event` as things happen */
	void *user;

	/* A match begins. `ready` is sent when it returns. */
	void (*match)(struct bot_match *match);
	/* Decide. The answer is sent when it returns. act->clock.move_ms is the time. */
	void (*act)(struct bot_match *match, const struct message_act *act,
		struct bot_answer *answer);
	/* Something happened; only with `events`. */
	void (*event)(struct bot_match *match, const struct message_event *event);
	/* An action of ours was refused; the next act asks again. */
	void (*refuse)(struct bot_match *match, const struct message_refuse *refuse);
	/* The connection was lost and is back: its view is complete and current. A
	 * pending question follows through `act`, with no events. */
	void (*resume)(struct bot_match *match, const struct message_resume *resume);
	/* The match is over; `end` is NULL if the arbiter took the seat away. */
	void (*end)(struct bot_match *match, const struct message_end *end);
};

/* Returns an exit status: 0 after bye, 1 if the connection was lost or refused, 2 if
 * the environment is not set; says on stderr what was wrong. */
int bot_run(const struct bot *bot);

/* Writes a remark, cut at the limit. */
void bot_note(struct bot_answer *answer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
