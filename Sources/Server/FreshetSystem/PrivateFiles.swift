// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

#if canImport(Glibc)
    // In release builds, with whole-module optimisation, `stat` is imported through this module.
    import CDispatch
    import Glibc
    private let readBytes = Glibc.read(_:_:_:)
    private let writeBytes = Glibc.write(_:_:_:)
#else
    import Darwin
    private let readBytes = Darwin.read(_:_:_:)
    private let writeBytes = Darwin.write(_:_:_:)
#endif

/// Folders and files that only the user of this process can open.
package enum PrivateFiles {
    /// A folder that belongs to another user, or that other users can open.
    package struct UnsafeFolder: StartupError, Equatable {
        package let path: String

        package init(path: String) { self.path = path }

        package var cause: StartupErrorCause { .storage }
        package var description: String {
            "\(path): not a folder of this user alone; "
                + (PrivateFiles.isFolder(path) ? PrivateFiles.remedy(path, mode: "0700") : "it is a file")
        }
    }

    /// A file with a secret that other users can read.
    package struct UnsafeKeyFile: StartupError, Equatable {
        package let path: String

        package init(path: String) { self.path = path }

        package var cause: StartupErrorCause { .storage }
        package var description: String {
            "\(path): a key that others may read; \(PrivateFiles.remedy(path, mode: "0600"))"
        }
    }

    /// Returns what to do about a file or folder that is not this user's alone.
    ///
    /// It often belongs to the service's user: a `chown` by the superuser, who runs a command on it, would lock the
    /// service out.
    package static func remedy(_ path: String, mode: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_uid != geteuid() else { return "chmod \(mode) it" }
        let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        return "it belongs to the user \(owner): run this as that user, as with sudo -u \(owner)"
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates `folder` with mode 0700 if it is missing, and makes its name durable.
    ///
    /// A process that was killed may have created it; all files in it would be lost with its name at a power failure.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - synchronize: Syncs the directory entries of each folder above, up to the first one of another user.
    /// - Throws: ``UnsafeFolder`` if it belongs to another user or is open to others; else `POSIXError`.
    package static func prepare(_ folder: URL, synchronize: (URL) throws -> Void = Self.synchronize) throws {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var status = stat()
        guard lstat(folder.path, &status) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let isOurs = status.st_uid == geteuid() && status.st_mode & S_IFMT == S_IFDIR
        guard isOurs, status.st_mode & 0o077 == 0 else { throw UnsafeFolder(path: folder.path) }
        var parent = folder.absoluteURL.standardizedFileURL
        repeat {
            parent.deleteLastPathComponent()
            // Some file systems cannot sync a folder, and this user may not read all.
            try? synchronize(parent)
        } while parent.path != "/" && isOwn(parent)
    }

    /// Checks that ``prepare(_:synchronize:)`` can use or create `folder`, and creates nothing.
    ///
    /// The superuser may check the folder of another user, which the service runs as.
    ///
    /// - Throws: ``UnsafeFolder`` if it belongs to another user or is open to others; else `POSIXError`.
    package static func check(_ folder: URL) throws {
        var status = stat()
        guard lstat(folder.path, &status) == 0 else {
            guard errno == ENOENT else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            return try checkCreation(of: folder)
        }
        let isOurs = geteuid() == 0 || status.st_uid == geteuid()
        guard isOurs, status.st_mode & S_IFMT == S_IFDIR, status.st_mode & 0o077 == 0 else {
            throw UnsafeFolder(path: folder.path)
        }
        guard access(folder.path, R_OK | W_OK | X_OK) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    /// Checks that the nearest existing parent of a missing folder is a folder that can be written.
    private static func checkCreation(of folder: URL) throws {
        var parent = folder.absoluteURL.deletingLastPathComponent()
        while access(parent.path, F_OK) != 0, errno == ENOENT, parent.path != "/" { parent.deleteLastPathComponent() }
        var status = stat()
        guard stat(parent.path, &status) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw POSIXError(.ENOTDIR) }
        guard access(parent.path, W_OK | X_OK) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    /// Whether a file or folder exists and belongs to this user.
    package static func isOwn(_ file: URL) -> Bool {
        var status = stat()
        return lstat(file.path, &status) == 0 && status.st_uid == geteuid()
    }

    /// Whether users other than the owner and the group have no access to `path`.
    ///
    /// A group may read a secret that several servers share.
    package static func isClosedToOthers(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o007 == 0
    }

    /// Whether `file` is a regular file of this user that other users cannot read.
    package static func isPrivateFile(_ file: URL) throws -> Bool {
        var status = stat()
        guard lstat(file.path, &status) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return isPrivate(status)
    }

    private static func isPrivate(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    /// Reads a file that must be a regular file of this user that other users cannot read.
    ///
    /// - Returns: The contents; `nil` if there is no such file.
    /// - Throws: ``UnsafeKeyFile`` for another file; else `POSIXError`.
    package static func read(_ path: String) throws -> [UInt8]? {
        // Without waiting for the writer of a pipe.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = errno
            if error == ENOENT { return nil }
            var status = stat()
            if lstat(path, &status) == 0, !isPrivate(status) { throw UnsafeKeyFile(path: path) }
            throw POSIXError(.init(rawValue: error) ?? .EIO)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        guard isPrivate(status) else { throw UnsafeKeyFile(path: path) }
        var bytes: [UInt8] = []
        while true {
            // One byte more than its size, to find the end with the first read.
            let part = try [UInt8](unsafeUninitializedCapacity: max(0, Int(status.st_size) - bytes.count) + 1) {
                let count = readBytes(descriptor, $0.baseAddress, $0.count)
                guard count >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
                $1 = count
            }
            if bytes.isEmpty { bytes = part } else { bytes += part }
            if part.isEmpty || bytes.count == Int(status.st_size) { return bytes }
        }
    }

    /// Returns the names of the files in a folder, without an order.
    package static func names(in folder: String) throws -> [String] {
        guard let directory = opendir(folder) else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        // A part of a folder of keys would look like keys that are missing.
        guard errno == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return names
    }

    /// Creates a file with mode 0600, which must not exist yet, and syncs it to disk.
    package static func write(_ bytes: [UInt8], toNewFile file: URL) throws {
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            rest = rest.dropFirst(written)
        }
        guard fsync(descriptor) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    /// Creates or replaces a file atomically, with mode 0600 from the start.
    package static func replace(_ file: URL, with bytes: [UInt8]) throws {
        let folder = file.deletingLastPathComponent()
        let new = folder.appending(path: ".\(file.lastPathComponent).\(getpid())")
        unlink(new.path)
        try write(bytes, toNewFile: new)
        guard rename(new.path, file.path) == 0 else {
            let error = POSIXError(.init(rawValue: errno) ?? .EIO)
            unlink(new.path)
            throw error
        }
        try synchronize(folder)
    }

    /// Syncs the directory entries of `folder` to disk.
    package static func synchronize(_ folder: URL) throws {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}
