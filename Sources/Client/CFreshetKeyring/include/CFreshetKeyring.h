// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// The kernel's key calls, which the C library does not wrap and Swift cannot make: `syscall` is variadic.
// Empty on systems other than Linux.

#ifndef CFRESHET_KEYRING_H
#define CFRESHET_KEYRING_H

#ifdef __linux__

#include <linux/keyctl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Adds a key to a keyring, or gives the one of that type and description a new payload, as one step.
static inline long freshet_add_key(const char *type, const char *description, const void *payload, size_t length, int keyring) {
    return syscall(SYS_add_key, type, description, payload, length, keyring);
}

static inline long freshet_key_search(int keyring, const char *type, const char *description) {
    return syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, type, description, 0);
}

/// Returns how long the payload is, which may be more than was read.
static inline long freshet_key_read(int key, void *buffer, size_t length) {
    return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, length);
}

/// Gives "type;user;group;rights;description" and returns its length, with the null byte at its end.
static inline long freshet_key_describe(int key, char *buffer, size_t length) {
    return syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, buffer, length);
}

static inline long freshet_key_link(int key, int keyring) {
    return syscall(SYS_keyctl, KEYCTL_LINK, key, keyring);
}

static inline long freshet_key_unlink(int key, int keyring) {
    return syscall(SYS_keyctl, KEYCTL_UNLINK, key, keyring);
}

static inline long freshet_key_revoke(int key) {
    return syscall(SYS_keyctl, KEYCTL_REVOKE, key);
}

static inline long freshet_key_set_timeout(int key, unsigned seconds) {
    return syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}

/// Gives the calling thread a session keyring of its own, as a new login has.
static inline long freshet_join_new_session(void) {
    return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
}

#endif

#endif
