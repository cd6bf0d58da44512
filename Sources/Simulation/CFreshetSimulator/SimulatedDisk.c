// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#include "SimulatedDisk.h"

#if defined(__linux__)

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// The database, its WAL and its journal: one database a disk.
enum { files = 3 };

typedef struct {
    unsigned char *bytes;
    size_t length, capacity;
} content;

// A write or, without bytes, a truncation, since the last flush of the file.
typedef struct {
    size_t offset, length;
    unsigned char *bytes;
} change;

typedef struct {
    // What the operating system has, and what is on the disk.
    content current, durable;
    change *changes;
    size_t count, capacity;
    bool exists;
} file;

struct freshet_disk {
    file files[files];
    bool is_full, fails_flushes;
};

typedef struct {
    sqlite3_file base;
    freshet_disk *disk;
    file *file;
} open_file;

static void reserve(content *content, size_t length) {
    if (length <= content->capacity) return;
    size_t capacity = content->capacity < 4096 ? 4096 : content->capacity;
    while (capacity < length) capacity *= 2;
    content->bytes = realloc(content->bytes, capacity);
    content->capacity = capacity;
}

static void put(content *content, size_t offset, const unsigned char *bytes, size_t length) {
    reserve(content, offset + length);
    if (offset > content->length) memset(content->bytes + content->length, 0, offset - content->length);
    memcpy(content->bytes + offset, bytes, length);
    if (offset + length > content->length) content->length = offset + length;
}

static void apply(content *content, const change *change) {
    if (change->bytes) put(content, change->offset, change->bytes, change->length);
    else if (change->offset < content->length) content->length = change->offset;
}

static void forget(file *file) {
    for (size_t i = 0; i < file->count; i++) free(file->changes[i].bytes);
    file->count = 0;
}

static void record(file *file, size_t offset, const unsigned char *bytes, size_t length) {
    if (file->count == file->capacity) {
        file->capacity = file->capacity ? file->capacity * 2 : 64;
        file->changes = realloc(file->changes, file->capacity * sizeof(change));
    }
    change change = {offset, length, NULL};
    if (bytes) {
        change.bytes = malloc(length ? length : 1);
        memcpy(change.bytes, bytes, length);
    }
    file->changes[file->count++] = change;
    apply(&file->current, &change);
}

static void flush(file *file) {
    for (size_t i = 0; i < file->count; i++) apply(&file->durable, &file->changes[i]);
    forget(file);
}

static int close_file(sqlite3_file *base) {
    (void)base;
    return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    content *content = &((open_file *)base)->file->current;
    size_t start = (size_t)offset, available = start < content->length ? content->length - start : 0;
    if (available > (size_t)count) available = (size_t)count;
    memcpy(buffer, content->bytes + start, available);
    if (available == (size_t)count) return SQLITE_OK;
    memset((unsigned char *)buffer + available, 0, (size_t)count - available);
    return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    open_file *open = (open_file *)base;
    if (open->disk->is_full) return SQLITE_FULL;
    record(open->file, (size_t)offset, buffer, (size_t)count);
    return SQLITE_OK;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 length) {
    record(((open_file *)base)->file, (size_t)length, NULL, 0);
    return SQLITE_OK;
}

static int sync_file(sqlite3_file *base, int flags) {
    (void)flags;
    open_file *open = (open_file *)base;
    if (open->disk->fails_flushes) {
        // The system reports the failure once, and takes the pages for written from then on.
        forget(open->file);
        return SQLITE_IOERR_FSYNC;
    }
    if (open->disk->is_full) return SQLITE_IOERR_FSYNC;
    flush(open->file);
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    *size = (sqlite3_int64)((open_file *)base)->file->current.length;
    return SQLITE_OK;
}

static int lock_file(sqlite3_file *base, int level) {
    (void)base, (void)level;
    return SQLITE_OK;
}

static int check_reserved(sqlite3_file *base, int *result) {
    (void)base;
    *result = 0;
    return SQLITE_OK;
}

static int control_file(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int characteristics(sqlite3_file *base) {
    (void)base;
    // As on a real disk: a write that a power failure interrupts changes no other bytes.
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = lock_file,
    .xCheckReservedLock = check_reserved,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

// The name of a file begins with the address of its disk.
static freshet_disk *disk_of(const char *name) { return (freshet_disk *)strtoull(name, NULL, 16); }

static file *find(const char *name) {
    freshet_disk *disk = disk_of(name);
    size_t length = strlen(name);
    if (length > 4 && !strcmp(name + length - 4, "-wal")) return &disk->files[1];
    if (length > 8 && !strcmp(name + length - 8, "-journal")) return &disk->files[2];
    return &disk->files[0];
}

static int open_vfs(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *result) {
    (void)vfs;
    open_file *open = (open_file *)base;
    open->base.pMethods = NULL;
    // A temporary file: no statement needs one.
    if (!name) return SQLITE_CANTOPEN;
    open->disk = disk_of(name);
    open->file = find(name);
    open->file->exists = true;
    open->base.pMethods = &methods;
    if (result) *result = flags;
    return SQLITE_OK;
}

// The deletion of a file is durable at once, as that of a file in a synchronized folder.
static int delete_vfs(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs, (void)sync;
    file *file = find(name);
    forget(file);
    file->current.length = file->durable.length = 0;
    file->exists = false;
    return SQLITE_OK;
}

static int access_vfs(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs, (void)flags;
    file *file = find(name);
    *result = file->exists && file->current.length > 0;
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int count, char *result) {
    (void)vfs;
    sqlite3_snprintf(count, result, "%s", name);
    return SQLITE_OK;
}

static int randomness(sqlite3_vfs *vfs, int count, char *result) {
    sqlite3_vfs *system = vfs->pAppData;
    return system->xRandomness(system, count, result);
}

static int sleep_vfs(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return microseconds;
}

static int current_time(sqlite3_vfs *vfs, sqlite3_int64 *result) {
    sqlite3_vfs *system = vfs->pAppData;
    return system->xCurrentTimeInt64(system, result);
}

static sqlite3_vfs vfs = {
    .iVersion = 2,
    .szOsFile = sizeof(open_file),
    .mxPathname = 64,
    .zName = "freshet-simulated-disk",
    .xOpen = open_vfs,
    .xDelete = delete_vfs,
    .xAccess = access_vfs,
    .xFullPathname = full_path,
    .xRandomness = randomness,
    .xSleep = sleep_vfs,
    .xCurrentTimeInt64 = current_time,
};

freshet_disk *freshet_disk_create(void) {
    if (!vfs.pAppData) {
        // One thread has all connections, and no statistics of memory are read: both take locks in each allocation.
        sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        vfs.pAppData = sqlite3_vfs_find(NULL);
        sqlite3_vfs_register(&vfs, 0);
    }
    return calloc(1, sizeof(freshet_disk));
}

freshet_disk *freshet_disk_copy(const freshet_disk *other) {
    freshet_disk *disk = freshet_disk_create();
    for (int i = 0; i < files; i++) {
        const content *content = &other->files[i].current;
        if (content->length) {
            put(&disk->files[i].current, 0, content->bytes, content->length);
            put(&disk->files[i].durable, 0, content->bytes, content->length);
        }
        disk->files[i].exists = other->files[i].exists;
    }
    return disk;
}

void freshet_disk_destroy(freshet_disk *disk) {
    for (int i = 0; i < files; i++) {
        forget(&disk->files[i]);
        free(disk->files[i].changes);
        free(disk->files[i].current.bytes);
        free(disk->files[i].durable.bytes);
    }
    free(disk);
}

sqlite3 *freshet_disk_open(freshet_disk *disk) {
    char name[32];
    sqlite3_snprintf(sizeof name, name, "%llx", (unsigned long long)disk);
    sqlite3 *connection = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(name, &connection, flags, vfs.zName) == SQLITE_OK
        // A process that is killed checkpoints nothing.
        && sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK
        && sqlite3_exec(
               connection,
               "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
               "PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON",
               NULL, NULL, NULL) == SQLITE_OK)
        return connection;
    sqlite3_close(connection);
    return NULL;
}

size_t freshet_disk_unflushed(const freshet_disk *disk) {
    size_t count = 0;
    for (int i = 0; i < files; i++) count += disk->files[i].count;
    return count;
}

bool freshet_disk_is_flushed(const freshet_disk *disk) {
    for (int i = 0; i < files; i++) {
        const content *current = &disk->files[i].current, *durable = &disk->files[i].durable;
        if (current->length != durable->length) return false;
        if (current->length && memcmp(current->bytes, durable->bytes, current->length)) return false;
    }
    return true;
}

void freshet_disk_cut_power(freshet_disk *disk, size_t survivors) {
    for (int i = 0; i < files; i++) {
        file *file = &disk->files[i];
        size_t kept = survivors < file->count ? survivors : file->count;
        survivors -= kept;
        for (size_t j = 0; j < kept; j++) apply(&file->durable, &file->changes[j]);
        forget(file);
        file->current.length = 0;
        if (file->durable.length) put(&file->current, 0, file->durable.bytes, file->durable.length);
    }
}

void freshet_disk_set_full(freshet_disk *disk, bool is_full) { disk->is_full = is_full; }

void freshet_disk_set_fails_flushes(freshet_disk *disk, bool fails) { disk->fails_flushes = fails; }

#endif
