/* Key files, lists of keys, and who is let in by them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "protocol/zap.h"

#define KEY_A "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
#define KEY_B "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

static char folder[64], path[128];

static void setup(void)
{
	strcpy(folder, "/tmp/pigpen-keys-XXXXXX");
	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/list", folder);
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(keys, .init = setup, .fini = teardown);

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	cr_assert(file);
	fputs(text, file);
	fclose(file);
}

static enum err admit(
	void *context, const char *name, const char *public_text, struct why *why)
{
	return zap_admit(context, name, public_text, why);
}

/* What is said of a list, "" if it is good. */
static const char *verdict(const char *text)
{
	static struct why why;
	struct zap *zap = zap_new();

	write_file(text);
	why.text[0] = 0;
	if (key_list_read(path, admit, zap, &why) == ERR_OK)
		cr_assert_str_empty(why.text);
	else
		cr_assert_str_not_empty(why.text);
	zap_free(&zap);
	return why.text;
}

Test(keys, a_list_has_a_name_and_a_key_on_each_line)
{
	cr_assert_str_empty(verdict(""));
	cr_assert_str_empty(
		verdict("# who may come\n\nann " KEY_A "\n  bob\t" KEY_B "\n"));
	cr_assert_str_empty(verdict("ann " KEY_A));
	cr_assert(strstr(verdict("ann\n"), "line 1: it is not `NAME KEY`"));
	cr_assert(strstr(verdict("ann " KEY_A " x\n"), "line 1: it is not `NAME KEY`"));
	cr_assert(strstr(
		verdict("\nan/n " KEY_A "\n"), "line 2: 'an/n' is not a valid name"));
	cr_assert(strstr(verdict("ann short\n"), "line 1: 'short' is not a public key"));
	cr_assert(strstr(verdict("ann " KEY_A "0\n"), "is not a public key"));
	cr_assert(strstr(verdict("ann \"" KEY_A "\"\n"), "is not a public key"));
}

Test(keys, the_tail_of_a_long_line_is_no_entry_of_its_own)
{
	char text[2048];

	for (int length = 500; length < 530; length++) {
		memset(text, ' ', (size_t)length);
		text[0] = '#';
		strcpy(text + length, "ann " KEY_A "\nbob short\n");
		cr_assert(strstr(verdict(text), "line 2: 'short' is not a public key"),
			"after %d bytes: %s", length, verdict(text));
		memcpy(text, "ann " KEY_B, strlen("ann " KEY_B));
		cr_assert(strstr(verdict(text), "line 1: it is not `NAME KEY`"),
			"after %d bytes: %s", length, verdict(text));
	}
}

Test(keys, a_name_has_one_key_and_a_key_one_name)
{
	cr_assert(strstr(verdict("ann " KEY_A "\nann " KEY_B "\n"),
		"line 2: 'ann' is on the list already"));
	cr_assert(strstr(verdict("ann " KEY_A "\nbob " KEY_A "\n"),
		"line 2: the key of 'bob' is on the list already, as 'ann'"));
}

Test(keys, a_list_that_is_not_there_is_explained)
{
	struct why why;

	cr_assert_eq(key_list_read("/nowhere/list", admit, NULL, &why), ERR_USAGE);
	cr_assert(strstr(why.text, "/nowhere/list: No such file"));
}

Test(keys, a_dismissed_key_can_be_admitted_again)
{
	struct zap *zap = zap_new();
	struct why why;

	cr_assert_eq(zap_admit(zap, "ann", KEY_A, &why), ERR_OK);
	cr_assert_eq(zap_admit(zap, "ann", KEY_B, &why), ERR_USAGE);
	zap_dismiss(zap, "ann");
	cr_assert_eq(zap_admit(zap, "ann", KEY_B, &why), ERR_OK);
	zap_free(&zap);
}

Test(keys, a_pair_is_written_and_read_and_never_overwritten)
{
	struct key_pair pair, again;
	struct stat info;
	struct why why;
	char file[160];

	cr_assert_eq(key_pair_make(&pair, "ann"), ERR_OK);
	snprintf(path, sizeof(path), "%s/ann", folder);
	snprintf(file, sizeof(file), "%s.key", path);
	cr_assert_eq(key_pair_write(&pair, path, &why), ERR_OK);
	cr_assert_eq(stat(file, &info), 0);
	cr_assert_eq(info.st_mode & 0777, 0600);
	cr_assert_eq(key_pair_read(&again, file, &why), ERR_OK, "%s", why.text);
	cr_assert_eq(memcmp(&pair, &again, sizeof(pair)), 0);
	cr_assert_eq(key_pair_write(&pair, path, &why), ERR_SYSTEM);
	cr_assert(strstr(why.text, "File exists"));
	unlink(file);
	cr_assert_eq(key_pair_write(&pair, path, &why), ERR_SYSTEM, "the .pub is there");
	cr_assert_neq(access(file, F_OK), 0, "half a pair was left");
}

Test(keys, a_file_whose_halves_do_not_belong_together_is_refused)
{
	struct key_pair pair;
	struct why why;

	write_file("name ann\npublic " KEY_A "\nsecret " KEY_B "\n");
	cr_assert_eq(key_pair_read(&pair, path, &why), ERR_USAGE);
	write_file("hello");
	cr_assert_eq(key_pair_read(&pair, path, &why), ERR_USAGE);
	cr_assert(strstr(why.text, "is not a key file"));
}

/* Reads a key file of this form, which takes the public and the secret half. */
__attribute__((format(printf, 1, 0))) static enum err read_form(const char *form)
{
	struct key_pair pair, read;
	struct why why;
	char text[256];

	cr_assert_eq(key_pair_make(&pair, "ann"), ERR_OK);
	snprintf(text, sizeof(text), form, pair.public_text, pair.secret_text);
	write_file(text);
	return key_pair_read(&read, path, &why);
}

Test(keys, nothing_in_a_key_file_is_cut_to_fit_or_there_twice)
{
	cr_assert_eq(read_form("name ann\npublic %s\nsecret %s\n"), ERR_OK);
	cr_assert_eq(read_form("name ann\npublic %s\nsecret %sx\n"), ERR_USAGE);
	cr_assert_eq(
		read_form("name annabel\nname ann\npublic %s\nsecret %s\n"), ERR_USAGE);
}

Test(keys, names_are_words)
{
	cr_assert(key_name_valid("a"));
	cr_assert(key_name_valid("Oinker_2.0-b"));
	cr_assert_not(key_name_valid(""));
	cr_assert_not(key_name_valid(".hidden"));
	cr_assert_not(key_name_valid("../x"));
	cr_assert_not(key_name_valid("a b"));
	cr_assert_not(key_name_valid("0123456789012345678901234567890123456789"
				     "0123456789012345678901234"));
}
