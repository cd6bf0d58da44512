// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// Replaces the calls of libc by which a process reads clocks and random numbers and starts threads.
//
// The definitions of a program take precedence over those of libc, also for the libraries that it loads. A program that
// links this target therefore has virtual clocks and seeded randomness in Swift's runtime, Foundation and BoringSSL.

#ifndef CFRESHET_SIMULATOR_H
#define CFRESHET_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "SimulatedDisk.h"

/// Begins to replace the calls, with the clocks at zero.
void freshet_simulator_begin(uint64_t seed);

/// Begins a step, whose random numbers do not depend on how many the steps before have drawn.
///
/// swift-crypto fills whole buffers, and the size of a buffer depends on the addresses that malloc has free.
void freshet_simulator_begin_step(uint64_t step);

/// Ends the replacement: clocks and random numbers are the system's again.
void freshet_simulator_end(void);

/// Sets the nanoseconds since the beginning; the wall clock shows them after 2027-01-15T08:00:00Z.
void freshet_simulator_set_time(int64_t nanoseconds);

/// The bytes of the process that are allocated now.
long freshet_simulator_allocated(void);

/// The number of threads that were started while the calls were replaced.
long freshet_simulator_threads(void);

#endif
