// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// An open folder that only the current user can access, and operations in it.
///
/// All paths are relative to the open folder, so replacing the folder in the meantime has no effect.
package struct SecureFolder: ~Copyable {
    package static let largestFile = 1 << 20
    /// The timeout for a lock whose owners keep it for milliseconds: a suspended process must not block others.
    package static let lockTimeout = Duration.seconds(2)

    package let handle: Int32
    /// The system's ID of the folder's volume.
    let volume: UInt64
    /// The system's ID of the folder on its volume.
    private let number: UInt64
    private let path: String
    private let environment: FileEnvironment

    /// Opens or creates a folder.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - creating: Whether to create it if it does not exist.
    ///   - parents: Whether to create its parent folders, too. They are not created if the parent is shared: it may be
    ///     on a volume that was unmounted.
    ///   - environment: The operating system's rules for files.
    /// - Returns: `nil` if it does not exist and is not to be created.
    /// - Throws: ``SessionStoreError``.
    package static func open(
        _ path: String,
        creating: Bool,
        parents: Bool = true,
        environment: FileEnvironment = .current
    ) throws(SessionStoreError) -> SecureFolder? {
        let system = environment.system
        var handle = openFolder(path, system)
        let isNew = handle < 0 && errno == ENOENT
        if isNew {
            guard creating else { return nil }
            let parent = (path as NSString).deletingLastPathComponent
            if parents { createFolders(parent, system) }
            guard system.mkdir(path, 0o700) == 0 || errno == EEXIST else {
                if errno == ENOENT { throw .missingFolder }
                throw .system("make the folder")
            }
            environment.protect(path)
            handle = openFolder(path, system)
        }
        guard handle >= 0 else { throw .system("open the folder") }
        var facts = stat()
        let isExamined = system.fstat(handle, &facts) == 0
        let folder = SecureFolder(
            handle: handle,
            volume: UInt64(truncatingIfNeeded: facts.st_dev),
            number: UInt64(truncatingIfNeeded: facts.st_ino),
            path: path,
            environment: environment
        )
        guard isExamined else { throw .system("examine the folder") }
        guard facts.st_uid == geteuid() else { throw SessionStoreError(.denied, "the folder belongs to another user") }
        guard facts.st_mode & 0o022 == 0 else {
            throw SessionStoreError(.denied, "other users can write to the folder")
        }
        // Also without files: on a volume that is full, it could not be created again.
        if isNew { folder.makeNameDurable(isNew: true) }
        return folder
    }

    private init(handle: Int32, volume: UInt64, number: UInt64, path: String, environment: FileEnvironment) {
        self.handle = handle
        self.volume = volume
        self.number = number
        self.path = path
        self.environment = environment
    }

    deinit { environment.system.close(handle) }

    private static func openFolder(_ path: String, _ system: any FileSystem) -> Int32 {
        system.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    /// Creates a folder and those above it, unless they exist.
    ///
    /// Other users have no access to them, as the XDG Base Directory Specification demands of a missing folder.
    private static func createFolders(_ path: String, _ system: any FileSystem) {
        let parent = (path as NSString).deletingLastPathComponent
        if system.mkdir(path, 0o700) != 0 {
            guard errno == ENOENT, !parent.isEmpty, parent != path else { return }
            createFolders(parent, system)
            _ = system.mkdir(path, 0o700)
        }
    }

    package var system: any FileSystem { environment.system }

    // MARK: Files

    /// Reads a file; `nil` only if it does not exist.
    package borrowing func read(_ name: String, largest: Int = largestFile) throws(SessionStoreError) -> Data? {
        // Non-blocking, because opening a pipe of that name would block forever.
        let file = system.openat(handle, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw refusal("open the file")
        }
        defer { system.close(file) }
        var facts = stat()
        guard system.fstat(file, &facts) == 0 else { throw .system("examine the file") }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw SessionStoreError(.denied, "it is not a regular file") }
        guard facts.st_uid == geteuid() else { throw SessionStoreError(.denied, "the file belongs to another user") }
        guard facts.st_mode & 0o077 == 0 else {
            throw SessionStoreError(.denied, "the file is open to other users (chmod 600 it, if they are no threat)")
        }
        guard facts.st_size <= largest else { throw SessionStoreError(.damaged, "the file is too large") }
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.count <= largest {
            let count = buffer.withUnsafeMutableBytes { system.read(file, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("read the file") }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
        throw SessionStoreError(.damaged, "the file is too large")
    }

    /// Replaces a file atomically and durably: after a crash, it has either the old or the new content.
    ///
    /// Under the lock, no other process uses the temporary name, so an existing temporary file was left by a crash.
    package borrowing func write(_ bytes: Data, to name: String, by temporary: String) throws(SessionStoreError) {
        try prepare(bytes, as: temporary)
        try place(temporary, as: name)
        try syncDirectory()
    }

    /// Writes a file under a temporary name, and makes its content durable.
    package borrowing func prepare(_ bytes: Data, as temporary: String) throws(SessionStoreError) {
        guard system.unlinkat(handle, temporary) == 0 || errno == ENOENT else { throw .system("tidy up") }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = system.openat(handle, temporary, flags, 0o600)
        guard file >= 0 else { throw refusal("make a file") }
        environment.protect("\(path)/\(temporary)")
        do throws(SessionStoreError) {
            defer { system.close(file) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { system.write(file, $0) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw .system("write the file") }
                rest = rest.dropFirst(count)
            }
            guard system.syncFile(file) == 0 else { throw .system("write the file") }
        } catch {
            _ = system.unlinkat(handle, temporary)
            throw error
        }
    }

    /// Renames a prepared file to its final name; the rename is not durable yet.
    package borrowing func place(_ temporary: String, as name: String) throws(SessionStoreError) {
        guard system.renameat(handle, temporary, handle, name) == 0 else {
            let fault = SessionStoreError.system("put the file in place")
            _ = system.unlinkat(handle, temporary)
            throw fault
        }
    }

    /// Renames a file, replacing a file of the new name; does nothing if it does not exist.
    borrowing func rename(_ name: String, to other: String) {
        _ = system.renameat(handle, name, handle, other)
    }

    /// Makes the names in the folder durable, and its own name.
    package borrowing func syncDirectory() throws(SessionStoreError) {
        guard system.syncFolder(handle) == 0 else { throw .system("write the folder") }
        makeNameDurable()
    }

    private borrowing func makeNameDurable(isNew: Bool = false) {
        let folder = "\(volume):\(number):\(path)"
        environment.durableFolders.add(folder, isNew: isNew) { Self.syncParents(of: path, system) }
    }

    /// Makes the names of a folder and of those above it durable, if the file system supports that, up to the first one of
    /// another user.
    private static func syncParents(of path: String, _ system: any FileSystem) {
        let parent = (path as NSString).deletingLastPathComponent
        guard !parent.isEmpty, parent != path else { return }
        let handle = system.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return }
        _ = system.syncFolder(handle)
        var facts = stat()
        let isOwn = system.fstat(handle, &facts) == 0 && facts.st_uid == geteuid()
        system.close(handle)
        if isOwn { syncParents(of: parent, system) }
    }

    borrowing func remove(_ name: String) throws(SessionStoreError) {
        guard system.unlinkat(handle, name) == 0 else {
            if errno == ENOENT { return }
            throw .system("remove the file")
        }
        try syncDirectory()
    }

    /// Removes a file; a power failure may undo the removal.
    package borrowing func removeWithoutSync(_ name: String) throws(SessionStoreError) {
        guard system.unlinkat(handle, name) == 0 || errno == ENOENT else { throw .system("remove the file") }
    }

    /// Returns the size of a file; `nil` if it does not exist.
    package borrowing func size(of name: String) -> Int? {
        var facts = stat()
        guard system.fstatat(handle, name, &facts) == 0 else { return nil }
        return Int(facts.st_size)
    }

    /// Waits for a lock among processes and threads.
    ///
    /// The timeout is for a wait in which no thread of this process acquires it. The caller must release it soon: until
    /// then the system cannot suspend the process.
    package borrowing func lock(
        _ name: String,
        timeout: Duration = lockTimeout
    ) throws(SessionStoreError) -> FileLock {
        let lock = try openLock(name, isBrief: true)
        let queue = environment.lockQueue, file = identifier(of: name)
        let ticket = queue.join(file)
        var hasAcquired = false
        defer { queue.remove(ticket, file, hasAcquired: hasAcquired) }
        // The pauses in all, and since another thread acquired it.
        var pauses = 0, idlePauses = 0, acquisitions = 0
        while Duration.milliseconds(idlePauses) < timeout {
            let turn = queue.turn(of: ticket, for: file, hasWaited: pauses > 100)
            if turn.mayTry, try lock.attempt() {
                hasAcquired = true
                return lock
            }
            // Short ones at first, because most owners release it at once.
            usleep(pauses < 20 ? 200 : 1_000)
            pauses += 1
            idlePauses = turn.acquisitions == acquisitions ? idlePauses + 1 : 0
            acquisitions = turn.acquisitions
        }
        lock.release()
        throw SessionStoreError(.locked, "another process holds the lock")
    }

    /// Tries to acquire a lock, which is held until the system suspends the process.
    ///
    /// - Returns: `nil` if it has an owner.
    package borrowing func tryLock(_ name: String) throws(SessionStoreError) -> FileLock? {
        let lock = try openLock(name, isBrief: false)
        guard try lock.attempt() else {
            lock.release()
            return nil
        }
        return lock
    }

    /// The same for each way to open this folder.
    borrowing func identifier(of name: String) -> String { "\(volume):\(number):\(name)" }

    private borrowing func openLock(_ name: String, isBrief: Bool) throws(SessionStoreError) -> FileLock {
        let file = system.openat(handle, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw refusal("open the lock file") }
        // Set each time, because an earlier version may have created the file with the app's default.
        environment.protect("\(path)/\(name)")
        let lock = FileLock(file: file, system: system)
        if let suspension = environment.suspension { try lock.holdLease(suspension, isBrief: isBrief) }
        return lock
    }

    /// Maps the system's refusal to open or create a file in this folder to a store error.
    private borrowing func refusal(_ operation: String) -> SessionStoreError {
        let code = errno
        let isFolderWritable = system.checkWritable(handle) == 0
        let kind = environment.platform.kind(ofRefusal: code, isFolderWritable: isFolderWritable)
        let cause = kind == .locked && (code == EPERM || code == EACCES) ? " (the device is locked)" : ""
        return SessionStoreError(kind, "cannot \(operation): \(String(cString: strerror(code)))\(cause)")
    }

    /// Returns the names of the folder's entries.
    package borrowing func names() throws(SessionStoreError) -> [String] {
        guard let names = system.names(handle) else { throw .system("list the folder") }
        return names
    }
}

extension SessionStoreError {
    /// Maps `errno` to a store error.
    package static func system(_ operation: String) -> SessionStoreError {
        let code = errno
        return SessionStoreError(kind(of: code), "cannot \(operation): \(String(cString: strerror(code)))")
    }

    /// Classifies an error of the system by its code alone.
    static func kind(of code: Int32) -> Kind {
        switch code {
        case EACCES, EPERM, ELOOP, ENOTDIR, EROFS: .denied
        case EAGAIN, EBUSY, EINTR: .locked
        default: .failed
        }
    }
}
