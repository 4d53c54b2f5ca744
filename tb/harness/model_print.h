// SPDX-License-Identifier: Apache-2.0
// Takes the messages of a Verilated model in place of printf (VL_PRINTF of verilated.h): prints
// them to standard output, and gives them to the model that is being clocked, which keeps the
// first.
#ifndef NOCTURNE_HARNESS_MODEL_PRINT_H
#define NOCTURNE_HARNESS_MODEL_PRINT_H

#ifdef __cplusplus
extern "C"
#endif
    int
    model_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
