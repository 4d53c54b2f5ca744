// SPDX-License-Identifier: Apache-2.0
#include "dpi_context.h"

_Thread_local dpi_context_t *dpi_context_current;
