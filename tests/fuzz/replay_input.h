/*
 * A replay's file from an input. No fuzzer guesses a hash chain, so the input holds
 * records without it, each a type and a payload (one msgpack value), and the lengths and
 * the chain are put in here. The first byte says: a file as it is, records, or records
 * in a compressed file.
 */
#ifndef TESTS_FUZZ_REPLAY_INPUT_H
#define TESTS_FUZZ_REPLAY_INPUT_H

#include "tests/fuzz/fuzz.h"

struct fuzz_file replay_input(const uint8_t *data, size_t size);

#endif
