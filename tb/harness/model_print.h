// SPDX-License-Identifier: Apache-2.0
// Where the messages of a Verilated model go instead of to printf (VL_PRINTF of verilated.h): to
// standard output, and to the model that is being clocked, which keeps the first ones.
#ifndef NOCTURNE_HARNESS_MODEL_PRINT_H
#define NOCTURNE_HARNESS_MODEL_PRINT_H

#ifdef __cplusplus
extern "C"
#endif
int model_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
