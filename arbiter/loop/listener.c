/* Where an arbiter listens for remote bots, and whom it admits. */
#include "arbiter/loop/listener.h"

#include <string.h>

bool listener_init(struct listener *listener, const char *endpoint, const char *key_path,
	struct why *why)
{
	struct why inner;

	*listener = (struct listener){0};
	if (strncmp(endpoint, "tcp://", 6) || !strrchr(endpoint + 6, ':') ||
		strlen(endpoint) >= sizeof(listener->endpoint))
		return why_set(why,
			"'%s' is no address to listen on; it looks like "
			"tcp://0.0.0.0:7000 or tcp://192.168.1.5:7000",
			endpoint);
	if (key_pair_read(&listener->pair, key_path, &inner))
		return why_set(why, "%s", inner.text);
	strcpy(listener->endpoint, endpoint);
	listener->zap = zap_new();
	listener->remote = (struct transport_remote){.endpoint = listener->endpoint,
		.server_secret = listener->pair.secret_text,
		.zap = listener->zap};
	return true;
}

void listener_release(struct listener *listener)
{
	zap_free(&listener->zap);
}

static enum err admit(
	void *context, const char *name, const char *public_text, struct why *why)
{
	return zap_admit(context, name, public_text, why);
}

bool listener_admit_list(struct listener *listener, const char *path, struct why *why)
{
	struct why inner;

	if (key_list_read(path, admit, listener->zap, &inner) == ERR_OK)
		return true;
	return why_set(why, "%s", inner.text);
}

void listener_print_address(const struct listener *listener, FILE *out)
{
	fprintf(out,
		"remote bots come to PIGPEN_ENDPOINT=%s with PIGPEN_SERVER_KEY='%s'\n",
		listener->remote.bound, listener->pair.public_text);
	fflush(out);
}

void listener_print_counts(const struct zap_counts *counts, int64_t strangers, FILE *out)
{
	fprintf(out,
		"remote connections: %llu opened, %llu admitted, %llu with an "
		"unknown key, %llu refused; %lld messages from unknown senders\n",
		(unsigned long long)counts->connections,
		(unsigned long long)counts->admitted, (unsigned long long)counts->unknown,
		(unsigned long long)counts->refused, (long long)strangers);
	fflush(out);
}
