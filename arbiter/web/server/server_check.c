/* Which requests are answered at all: what they aim at, by which name they came, and
 * whether they can be read in one way only. */
#include "arbiter/web/server/server_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HOST_MAX 260

/* Headers that are acted upon; whoever stands in between might act upon another one. */
static const char *const once[] = {"Host", "Content-Length", "Transfer-Encoding",
	"Authorization", "Origin", "Sec-Fetch-Site"};

#define ONCE (sizeof(once) / sizeof(*once))

/* "pigs.example:8080" to "pigs.example", "[::1]:8080" to "::1". */
static bool host_name(const char *host, char name[HOST_MAX])
{
	bool bracket = *host == '[';
	const char *start = host + bracket, *rest;
	size_t length = strcspn(start, bracket ? "]" : ":");

	if (!length || length >= HOST_MAX || (bracket && !start[length]))
		return false;
	memcpy(name, start, length);
	name[length] = 0;
	rest = start + length + bracket;
	return !*rest || (*rest == ':' && !rest[1 + strspn(rest + 1, "0123456789")]);
}

static bool is_named(const char *const *hosts, const char *name)
{
	for (; hosts && *hosts; hosts++)
		if (!strcasecmp(*hosts, name))
			return true;
	return false;
}

/* An address, and if it is one of this machine's own. */
static bool is_numeric(const char *name, bool *own_machine)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, name, &four) == 1) {
		*own_machine = ntohl(four.s_addr) >> 24 == 127;
		return true;
	}
	*own_machine = inet_pton(AF_INET6, name, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
	return *own_machine || inet_pton(AF_INET6, name, &six) == 1;
}

bool server_is_own_machine(const char *address)
{
	bool own_machine;

	return is_numeric(address, &own_machine) && own_machine;
}

/* A page of another site can reach this machine by a name of its own, but not by these:
 * its owner decides what its name points to, and nobody what an address does. */
static bool host_is_ours(const char *host, const struct server_options *options)
{
	char name[HOST_MAX];
	bool own_machine;

	if (!host_name(host, name))
		return false;
	if (!strcasecmp(name, "localhost") || is_named(options->hosts, name))
		return true;
	return is_numeric(name, &own_machine) &&
	       (own_machine || !server_is_own_machine(options->address));
}

bool server_origin_is_ours(const char *origin, const char *host, const char *const *hosts)
{
	const char *at = strstr(origin, "://");
	char name[HOST_MAX];

	if (!at)
		return false;
	at += 3;
	/* A web server in front may have put its own address into Host. */
	return !strcasecmp(at, host) || (host_name(at, name) && is_named(hosts, name));
}

static enum MHD_Result count_header(
	void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
	int *count = context;

	(void)kind;
	(void)value;
	for (size_t i = 0; i < ONCE; i++)
		count[i] += !strcasecmp(key, once[i]);
	return MHD_YES;
}

static const char *find_repeated(struct MHD_Connection *connection)
{
	int count[ONCE] = {0};

	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, count);
	for (size_t i = 0; i < ONCE; i++)
		if (count[i] > 1)
			return once[i];
	return NULL;
}

bool server_body_length(struct MHD_Connection *connection, uint64_t *length)
{
	const char *text = server_header(connection, "Content-Length");
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*length = strtoull(text, &end, 10);
	return !*end && !errno;
}

const char *server_header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

bool server_check(const struct server_options *options, struct MHD_Connection *connection,
	const char *target, struct http_answer *answer)
{
	const char *host = server_header(connection, "Host");

	if (find_repeated(connection))
		http_answer_error(answer, 400, "a header that counts is there twice");
	else if (server_header(connection, "Transfer-Encoding"))
		http_answer_error(answer, 400,
			"Transfer-Encoding is not taken; send the body as it is, with "
			"Content-Length");
	else if (!host)
		http_answer_error(answer, 400, "Host is missing");
	else if (!host_is_ours(host, options))
		http_answer_error(answer, 421,
			"this is no name of this site; if it is reached by it, start "
			"serve with --host NAME");
	else if (*target != '/')
		http_answer_error(answer, 400, "ask for a path, which begins with /");
	else
		return true;
	return false;
}
