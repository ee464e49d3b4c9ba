/* The bots that a worker knows, and their processes. */
#include "arbiter/ladder/workers/worker_internal.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <stdlib.h>
#include <string.h>

static void make_unfit(struct worker_bot *bot, const struct why *why)
{
	bot->unfit = xcalloc(1, sizeof(*bot->unfit));
	bot->unfit->class = FAULT_STARTUP;
	bot->unfit->exit_status = -1;
	utf8_format(bot->unfit->why, sizeof(bot->unfit->why), "start: %s", why->text);
}

/* Lets a remote bot connect. A key that has changed is used from the next run on. */
static void expect_remote(struct worker *worker, struct worker_bot *bot)
{
	if (bot->spec.remote && worker->loop && !bot->remote)
		bot->remote = loop_entrant(worker->loop, &bot->spec, 1);
}

static bool load_remote(struct worker *worker, struct bot_spec *spec,
	const struct bot_message *message, struct why *why)
{
	if (!worker->listener.zap)
		return why_set(why, "remote bots cannot come here");
	if (zap_admit(worker->listener.zap, message->name, message->remote, why) !=
		ERR_OK)
		return false;
	spec->remote = true;
	return true;
}

void worker_add_bot(struct worker *worker, const struct bot_message *message)
{
	struct worker_bot *bot = xcalloc(1, sizeof(*bot));
	struct bot_spec *spec = &bot->spec;
	struct why why = {""};

	bot->id = message->id;
	bot->next = worker->bots;
	worker->bots = bot;
	if (*message->remote ? !load_remote(worker, spec, message, &why)
			     : !bot_spec_load(spec, message->folder, &why))
		make_unfit(bot, &why);
	/* The name and the hash of what was submitted, not of what was built of it. */
	utf8_format(spec->name, sizeof(spec->name), "%s", message->name);
	utf8_format(spec->hash, sizeof(spec->hash), "%s", message->hash);
	if (!*spec->folder)
		strcpy(spec->folder, "/");
	if (!spec->matches)
		spec->matches = 1;
	expect_remote(worker, bot);
}

struct worker_bot *worker_find_bot(const struct worker *worker, int64_t id)
{
	for (struct worker_bot *bot = worker->bots; bot; bot = bot->next)
		if (bot->id == id)
			return bot;
	return NULL;
}

void worker_expect_remotes(struct worker *worker)
{
	for (struct worker_bot *bot = worker->bots; bot; bot = bot->next)
		expect_remote(worker, bot);
}

void worker_free_bots(struct worker *worker)
{
	while (worker->slots) {
		struct worker_slot *slot = worker->slots;

		worker->slots = slot->next;
		free(slot);
	}
	while (worker->bots) {
		struct worker_bot *bot = worker->bots;

		worker->bots = bot->next;
		bot_spec_release(&bot->spec);
		free(bot->unfit);
		free(bot);
	}
}

static struct worker_slot *find_slot(
	struct worker *worker, const struct worker_job *job, int seat, int copy)
{
	struct worker_bot *bot = job->bot[seat];
	struct worker_slot *slot;

	for (slot = worker->slots; slot; slot = slot->next)
		if (slot->bot == bot && (slot->entrant == bot->remote ||
						(slot->rotation == job->play.rotation &&
							slot->copy == copy)))
			return slot;
	slot = xcalloc(1, sizeof(*slot));
	slot->bot = bot;
	slot->rotation = job->play.rotation;
	slot->copy = copy;
	slot->entrant = bot->remote ? bot->remote
				    : loop_entrant(worker->loop, &bot->spec,
					      worker->rules->at_once);
	slot->next = worker->slots;
	worker->slots = slot;
	return slot;
}

/* Ends the processes that were idle longest, beyond the limit. */
static void limit_processes(struct worker *worker)
{
	int used = 0;

	for (struct worker_slot *slot = worker->slots; slot; slot = slot->next)
		used += slot->used;
	while (used > worker->rules->processes) {
		struct worker_slot *oldest = NULL;

		for (struct worker_slot *slot = worker->slots; slot; slot = slot->next)
			if (slot->used && !slot->matches &&
				(!oldest || slot->last_use < oldest->last_use))
				oldest = slot;
		if (!oldest)
			return;
		loop_entrant_retire(worker->loop, oldest->entrant);
		oldest->used = false;
		used--;
	}
}

void worker_choose_slots(struct worker *worker, struct worker_job *job)
{
	worker->matches++;
	for (int seat = 0; seat < job->play.seats; seat++) {
		struct worker_slot *slot;
		int copy = 0;

		for (int other = 0; other < seat; other++)
			copy += job->bot[other] == job->bot[seat];
		job->slot[seat] = slot = find_slot(worker, job, seat, copy);
		slot->matches++;
		slot->last_use = worker->matches;
		if (!job->out[seat])
			slot->used = true;
	}
	limit_processes(worker);
}

/* The next match gets a new slot. */
static void abandon_slot(struct worker_slot *slot)
{
	slot->bot = NULL;
	slot->used = false;
}

void worker_leave_slots(
	struct worker *worker, struct worker_job *job, const struct match_record *record)
{
	for (int seat = 0; seat < job->play.seats; seat++) {
		struct worker_slot *slot = job->slot[seat];

		slot->matches--;
		if (record->void_cause)
			loop_entrant_retire(worker->loop, slot->entrant);
		/* The loop gives up a bot that fails to start again and again; a host
		 * that was too busy for a while must not cost it all its matches. */
		if (record->seat[seat].fault == FAULT_STARTUP && !job->out[seat])
			abandon_slot(slot);
	}
}
