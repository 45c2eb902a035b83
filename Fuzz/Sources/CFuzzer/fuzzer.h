/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The library libclang_rt.fuzzer_no_main of LLVM, for which there is no installed header. */
#include <stddef.h>
#include <stdint.h>

/* Runs the fuzzer with the options of the command line. Passes each input to `entry`. */
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*entry)(const uint8_t *bytes, size_t size));
