// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#ifndef FRESHET_CLIBPQ_H
#define FRESHET_CLIBPQ_H

#include <libpq-fe.h>

#endif
