// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetKit
internal import SeededRandom

/// The system calls of one process on a ``SimulatedVolume``.
package final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
    private struct OpenFile {
        var node: SimulatedVolume.Node
        var position = 0
    }

    private let volume: SimulatedVolume
    /// Whether no call is interrupted, refused or counted.
    private let isObserver: Bool
    private var files: [Int32: OpenFile] = [:]
    /// Whether the process has ended: all its calls fail.
    package private(set) var hasEnded = false

    /// Creates the system calls of a process.
    ///
    /// - Parameters:
    ///   - volume: The volume.
    ///   - isObserver: Whether no call is interrupted, refused because of a full volume or a locked device, or counted.
    package init(_ volume: SimulatedVolume, isObserver: Bool = false) {
        self.volume = volume
        self.isObserver = isObserver
    }

    /// Ends the process: its files are closed, and their locks are released.
    package func end() {
        hasEnded = true
        for file in files.keys.sorted() { release(file) }
        files = [:]
    }

    // MARK: - Opening

    package func open(_ path: String, _ flags: Int32) -> Int32 {
        guard !hasEnded else { return failure(EIO) }
        guard let node = volume.node(path) else { return failure(ENOENT) }
        guard node.isFolder else { return failure(ENOTDIR) }
        return opened(node)
    }

    package func openat(_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        let mayCreate = flags & O_CREAT != 0
        guard mayCreate ? beginsChange() : !hasEnded else { return failure(EIO) }
        guard let parent = self.folder(folder) else { return -1 }
        if !isObserver, volume.isLocked { return failure(EPERM) }
        if let node = parent.entries[name] {
            guard !mayCreate || flags & O_EXCL == 0 else { return failure(EEXIST) }
            if flags & O_TRUNC != 0 { change(node) { $0 = [] } }
            return opened(node)
        }
        guard mayCreate else { return failure(ENOENT) }
        if !isObserver, volume.isFull, volume.random.number(in: 0...1) == 0 { return failure(ENOSPC) }
        let node = volume.create(isFolder: false, mode: UInt32(mode))
        change(node) { $0 = [] }
        parent.change(.add(name, node))
        return opened(node)
    }

    package func close(_ file: Int32) {
        release(file)
        files[file] = nil
    }

    package func mkdir(_ path: String, _ mode: mode_t) -> Int32 {
        guard beginsChange() else { return failure(EIO) }
        let names = volume.names(of: path)
        guard let name = names.last else { return failure(EEXIST) }
        guard let parent = volume.node(names.dropLast().joined(separator: "/")) else { return failure(ENOENT) }
        guard parent.entries[name] == nil else { return failure(EEXIST) }
        if !isObserver, volume.isFull { return failure(ENOSPC) }
        parent.change(.add(name, volume.create(isFolder: true, mode: UInt32(mode & ~0o022))))
        return 0
    }

    // MARK: - Files

    package func fstat(_ file: Int32, _ attributes: inout stat) -> Int32 {
        guard let node = open(file)?.node else { return -1 }
        attributes = self.attributes(of: node)
        return 0
    }

    package func fstatat(_ folder: Int32, _ name: String, _ attributes: inout stat) -> Int32 {
        guard let parent = self.folder(folder) else { return -1 }
        guard let node = parent.entries[name] else { return failure(ENOENT) }
        attributes = self.attributes(of: node)
        return 0
    }

    package func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let open = open(file) else { return -1 }
        let count = pread(file, buffer, open.position)
        if count > 0 { files[file]?.position += count }
        return count
    }

    package func pread(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int {
        guard let node = open(file)?.node else { return -1 }
        let rest = node.content.dropFirst(offset).prefix(buffer.count)
        guard let count = partialCount(of: rest.count) else { return Int(failure(EINTR)) }
        buffer.copyBytes(from: rest.prefix(count))
        return count
    }

    package func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        guard let open = open(file) else { return -1 }
        let count = pwrite(file, bytes, open.position)
        if count > 0 { files[file]?.position += count }
        return count
    }

    package func pwrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        guard beginsChange() else { return Int(failure(EIO)) }
        guard let node = open(file)?.node else { return -1 }
        guard var count = partialCount(of: bytes.count) else { return Int(failure(EINTR)) }
        if !isObserver, volume.isFull {
            // The free space ends within the bytes.
            count = volume.random.number(in: 0...count) / 2
            guard count > 0 else { return Int(failure(ENOSPC)) }
        }
        let range = offset..<offset + count
        change(node) { content in
            content.append(contentsOf: repeatElement(0, count: max(0, range.upperBound - content.count)))
            content.replaceSubrange(range, with: bytes.prefix(count))
        }
        return count
    }

    package func syncFile(_ file: Int32) -> Int32 { sync(file) }

    package func syncFolder(_ folder: Int32) -> Int32 { sync(folder) }

    private func sync(_ file: Int32) -> Int32 {
        guard beginsChange() else { return failure(EIO) }
        guard let node = open(file)?.node else { return -1 }
        node.sync()
        return 0
    }

    // MARK: - Names

    package func renameat(_ folder: Int32, _ name: String, _ newFolder: Int32, _ new: String) -> Int32 {
        guard beginsChange() else { return failure(EIO) }
        guard let parent = self.folder(folder), let target = self.folder(newFolder) else { return -1 }
        guard let node = parent.entries[name] else { return failure(ENOENT) }
        volume.renames += 1
        // Two names of one file are left as they are.
        guard target.entries[new] !== node else { return 0 }
        guard target !== parent else {
            parent.change(.rename(name, new, node))
            return 0
        }
        let move = SimulatedVolume.Move(node, to: target, as: new)
        target.change(.moveIn(move))
        parent.change(.moveOut(name, move))
        return 0
    }

    package func linkat(_ folder: Int32, _ name: String, _ new: String) -> Int32 {
        guard beginsChange() else { return failure(EIO) }
        guard let parent = self.folder(folder) else { return -1 }
        guard let node = parent.entries[name] else { return failure(ENOENT) }
        guard parent.entries[new] == nil else { return failure(EEXIST) }
        parent.change(.add(new, node))
        return 0
    }

    package func unlinkat(_ folder: Int32, _ name: String) -> Int32 {
        guard beginsChange() else { return failure(EIO) }
        guard let parent = self.folder(folder) else { return -1 }
        guard parent.entries[name] != nil else { return failure(ENOENT) }
        parent.change(.remove(name))
        return 0
    }

    package func checkWritable(_ folder: Int32) -> Int32 { self.folder(folder) == nil ? -1 : 0 }

    package func names(_ folder: Int32) -> [String]? { self.folder(folder)?.entries.keys.sorted() }

    // MARK: - Locks

    package func lock(_ file: Int32) -> Int32 {
        guard let node = open(file)?.node else { return -1 }
        let owner = volume.locks[node.number]
        guard owner == nil || owner == file else { return failure(EWOULDBLOCK) }
        volume.locks[node.number] = file
        return 0
    }

    package func unlock(_ file: Int32) { release(file) }

    private func release(_ file: Int32) {
        guard let node = files[file]?.node, volume.locks[node.number] == file else { return }
        volume.locks[node.number] = nil
    }

    // MARK: - Calls

    /// Returns whether the process is alive once the call begins.
    private func beginsChange() -> Bool {
        if !hasEnded, !isObserver { volume.willChange?(self) }
        return !hasEnded
    }

    private func failure(_ code: Int32) -> Int32 {
        errno = code
        return -1
    }

    private func opened(_ node: SimulatedVolume.Node) -> Int32 {
        defer { volume.nextFile += 1 }
        files[volume.nextFile] = OpenFile(node: node)
        return volume.nextFile
    }

    /// Returns an open file; `nil`, with `errno` set, if the process has ended or the file is not open.
    private func open(_ file: Int32) -> OpenFile? {
        if let open = files[file] { return open }
        errno = hasEnded ? EIO : EBADF
        return nil
    }

    private func folder(_ file: Int32) -> SimulatedVolume.Node? {
        guard let node = open(file)?.node else { return nil }
        if node.isFolder { return node }
        errno = ENOTDIR
        return nil
    }

    private func change(_ node: SimulatedVolume.Node, _ body: (inout [UInt8]) -> Void) {
        body(&node.content)
        node.changedAt = (time(nil), volume.nextChange())
    }

    /// Returns how many bytes of a call are transferred; `nil` if a signal interrupts it.
    private func partialCount(of count: Int) -> Int? {
        guard !isObserver, count > 0 else { return count }
        switch volume.random.number(in: 0...15) {
        case 0: return nil
        case 1: return volume.random.number(in: 1...count)
        default: return count
        }
    }

    private func attributes(of node: SimulatedVolume.Node) -> stat {
        var attributes = stat()
        attributes.st_dev = 1
        attributes.st_ino = ino_t(node.number)
        attributes.st_uid = geteuid()
        attributes.st_mode = (node.isFolder ? S_IFDIR : S_IFREG) | mode_t(node.mode)
        attributes.st_size = off_t(node.content.count)
        let changedAt = timespec(tv_sec: node.changedAt.seconds, tv_nsec: node.changedAt.order)
        #if canImport(Darwin)
            attributes.st_mtimespec = changedAt
        #else
            attributes.st_mtim = changedAt
        #endif
        return attributes
    }
}
