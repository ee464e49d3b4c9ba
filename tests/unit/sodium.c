/* Has libsodium ready before the first test, as main.c has it before the first command.
 * Without it libsodium hashes right, but with its slowest code. */
#include <sodium.h>
#include <stdlib.h>

__attribute__((constructor)) static void get_ready(void)
{
	if (sodium_init() < 0)
		abort();
}
