// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// All of it is in the header; a target needs a source file.
#include "CFreshetKeyring.h"
