#include "arbiter/loop/listener.h"

#include <string.h>

bool door_init(
	struct door *door, const char *endpoint, const char *key_path, struct why *why)
{
	struct why inner;

	*door = (struct door){0};
	if (strncmp(endpoint, "tcp://", 6) || !strrchr(endpoint + 6, ':') ||
		strlen(endpoint) >= sizeof(door->endpoint))
		return why_set(why,
			"'%s' is no address to listen on; it looks like "
			"tcp://0.0.0.0:7000 or tcp://192.168.1.5:7000",
			endpoint);
	if (key_pair_read(&door->pair, key_path, &inner))
		return why_set(why, "%s", inner.text);
	strcpy(door->endpoint, endpoint);
	door->zap = zap_new();
	door->remote = (struct transport_remote){.endpoint = door->endpoint,
		.server_secret = door->pair.secret_text,
		.zap = door->zap};
	return true;
}

void door_release(struct door *door)
{
	zap_free(&door->zap);
}

static enum err admit(
	void *context, const char *name, const char *public_text, struct why *why)
{
	return zap_admit(context, name, public_text, why);
}

bool door_admit_list(struct door *door, const char *path, struct why *why)
{
	struct why inner;

	if (key_list_read(path, admit, door->zap, &inner) == ERR_OK)
		return true;
	return why_set(why, "%s", inner.text);
}

void door_print_address(const struct door *door, FILE *out)
{
	fprintf(out,
		"remote bots come to PIGPEN_ENDPOINT=%s with PIGPEN_SERVER_KEY='%s'\n",
		door->remote.bound, door->pair.public_text);
	fflush(out);
}

void door_print_counts(const struct zap_counts *counts, int64_t strangers, FILE *out)
{
	fprintf(out,
		"remote connections: %llu opened, %llu admitted, %llu with an unknown "
		"key, "
		"%llu refused; %lld messages from nobody known\n",
		(unsigned long long)counts->connections,
		(unsigned long long)counts->admitted, (unsigned long long)counts->unknown,
		(unsigned long long)counts->refused, (long long)strangers);
	fflush(out);
}
