// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#define _GNU_SOURCE
#include "CFreshetSimulator.h"

// A sanitizer replaces the same calls.
#if defined(__linux__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

static bool isReplaced = false;
static int64_t elapsed = 0;
static uint64_t history = 0;
static uint64_t state = 0;
static long threads = 0;

// 2027-01-15T08:00:00Z
static const int64_t wallStart = INT64_C(1800000000) * 1000000000;

void freshet_simulator_begin(uint64_t seed) {
    history = seed;
    state = seed;
    elapsed = 0;
    threads = 0;
    isReplaced = true;
}

void freshet_simulator_end(void) { isReplaced = false; }
void freshet_simulator_set_time(int64_t nanoseconds) { elapsed = nanoseconds; }
long freshet_simulator_threads(void) { return threads; }

long freshet_simulator_allocated(void) {
    const struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

// SplitMix64
static uint64_t next(void) {
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t bits = state;
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return bits ^ bits >> 31;
}

void freshet_simulator_begin_step(uint64_t step) {
    state = history;
    uint64_t start = next();
    state = start ^ step;
    state = next();
}

static void fill(void *buffer, size_t length) {
    uint8_t *place = buffer;
    while (length > 0) {
        uint64_t bits = next();
        size_t count = length < sizeof bits ? length : sizeof bits;
        memcpy(place, &bits, count);
        place += count;
        length -= count;
    }
}

ssize_t getrandom(void *buffer, size_t length, unsigned flags) {
    static ssize_t (*original)(void *, size_t, unsigned);
    if (isReplaced) {
        fill(buffer, length);
        return (ssize_t)length;
    }
    if (!original) original = dlsym(RTLD_NEXT, "getrandom");
    return original(buffer, length, flags);
}

int getentropy(void *buffer, size_t length) {
    static int (*original)(void *, size_t);
    if (isReplaced) {
        fill(buffer, length);
        return 0;
    }
    if (!original) original = dlsym(RTLD_NEXT, "getentropy");
    return original(buffer, length);
}

// BoringSSL makes the system call itself.
long syscall(long number, ...) {
    static long (*original)(long, ...);
    long values[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) values[i] = va_arg(list, long);
    va_end(list);
    if (isReplaced && number == SYS_getrandom) {
        fill((void *)values[0], (size_t)values[1]);
        return values[1];
    }
    if (!original) original = dlsym(RTLD_NEXT, "syscall");
    return original(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*original)(clockid_t, struct timespec *);
    if (isReplaced) {
        int64_t nanoseconds = elapsed + (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? wallStart : 0);
        time->tv_sec = nanoseconds / 1000000000;
        time->tv_nsec = nanoseconds % 1000000000;
        return 0;
    }
    if (!original) original = dlsym(RTLD_NEXT, "clock_gettime");
    return original(clock, time);
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    static int (*original)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (isReplaced) threads++;
    if (!original) original = dlsym(RTLD_NEXT, "pthread_create");
    return original(thread, attributes, start, argument);
}

#else

void freshet_simulator_begin(uint64_t seed) { (void)seed; }
void freshet_simulator_begin_step(uint64_t step) { (void)step; }
void freshet_simulator_end(void) {}
void freshet_simulator_set_time(int64_t nanoseconds) { (void)nanoseconds; }
long freshet_simulator_threads(void) { return 0; }
long freshet_simulator_allocated(void) { return 0; }

#endif
