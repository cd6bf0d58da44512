// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#pragma once

#include <stdbool.h>
#include <stddef.h>

/// A disk in memory with one SQLite database, behind the VFS `freshet-simulated-disk`.
///
/// It keeps the writes since each file's last flush apart, so that a power failure can lose them. The disk has no shared
/// memory, so its connections lock the database exclusively.
typedef struct freshet_disk freshet_disk;

/// Creates an empty disk.
freshet_disk *_Nonnull freshet_disk_create(void);

/// Copies a disk, with all its writes flushed.
freshet_disk *_Nonnull freshet_disk_copy(const freshet_disk *_Nonnull other);

/// Destroys a disk, whose connections must be closed.
void freshet_disk_destroy(freshet_disk *_Nonnull disk);

/// Opens a connection to the disk's database: the only one at a time, in WAL mode without automatic checkpoints.
///
/// - Returns: `NULL` if the database cannot be opened.
struct sqlite3 *_Nullable freshet_disk_open(freshet_disk *_Nonnull disk);

/// The number of writes that a power failure may lose.
size_t freshet_disk_unflushed(const freshet_disk *_Nonnull disk);

/// Returns whether the disk has all that the operating system has, also the writes of a flush that failed.
bool freshet_disk_is_flushed(const freshet_disk *_Nonnull disk);

/// Loses the writes since the last flush but for the first `survivors`; connections must be closed.
void freshet_disk_cut_power(freshet_disk *_Nonnull disk, size_t survivors);

/// Sets whether writes and flushes fail as on a full disk.
void freshet_disk_set_full(freshet_disk *_Nonnull disk, bool is_full);

/// Sets whether flushes fail, each of which loses the writes since the one before, as on Linux.
void freshet_disk_set_fails_flushes(freshet_disk *_Nonnull disk, bool fails);
