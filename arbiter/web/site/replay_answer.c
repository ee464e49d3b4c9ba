/* Builds the answers to requests for a replay. */
#include "arbiter/web/site/replay_answer.h"
#include "arbiter/replay/reader.h"
#include "arbiter/tools/viewer_data.h"

#include <fcntl.h>
#include <stdio.h>

/* Uses an unnamed temporary file, so that a slow browser occupies no memory. */
void replay_answer_viewer(struct http_answer *answer, const char *path)
{
	FILE *out = tmpfile();
	enum playback_status status;
	struct why why;

	if (!out) {
		http_answer_error(
			answer, 503, "there is no room for the replay; try again later");
		return;
	}
	status = viewer_data_write(path, OMNISCIENT, false, out, &why);
	if (status == PLAYBACK_UNREADABLE || fflush(out) || ferror(out))
		http_answer_missing(answer);
	else
		http_answer_file(answer, "application/json",
			fcntl(fileno(out), F_DUPFD_CLOEXEC, 0));
	fclose(out);
}

bool replay_is_faultless(const char *path)
{
	struct replay_reader *reader = replay_reader_open(path, NULL);
	struct replay_record record;
	enum replay_status status = REPLAY_UNREADABLE;
	bool fault = false;

	while (reader && !fault &&
		(status = replay_reader_next(reader, &record)) == REPLAY_RECORD)
		fault = record.type == REPLAY_FAULT;
	replay_reader_free(&reader);
	return status == REPLAY_DONE;
}

void replay_answer_file(struct http_answer *answer, const char *path)
{
	http_answer_file(
		answer, "application/octet-stream", open(path, O_RDONLY | O_CLOEXEC));
}
