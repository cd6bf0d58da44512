// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// An advisory lock on an open file, held until it is released or the process exits.
///
/// On systems that suspend processes, it is held only while the system has agreed not to suspend this one.
package final class FileLock: Sendable {
    package let file: Int32
    private let system: any FileSystem
    private let isOpen = Locked(true)
    private let lease = Locked<SuspensionGuard.Lease?>(nil)

    init(file: Int32, system: any FileSystem) {
        self.file = file
        self.system = system
    }

    deinit { release() }

    /// Whether the lock is held; `false` after a release by its owner or before a suspension.
    package var isHeld: Bool { isOpen.withLock { $0 } }

    /// Asks the system not to suspend the process as long as the lock is held.
    ///
    /// - Parameters:
    ///   - suspension: The guard that keeps the system from suspending the process.
    ///   - isBrief: Whether the owner is sure to release the lock within milliseconds. Any other lock is released by
    ///     the guard when the system is about to suspend the process.
    /// - Throws: ``SessionStoreError`` if the system is about to suspend the process. The lock is released then.
    func holdLease(_ suspension: SuspensionGuard, isBrief: Bool) throws(SessionStoreError) {
        do throws(SessionStoreError) {
            let granted = try suspension.lease { [weak self] in if !isBrief { self?.release() } }
            lease.withLock { $0 = granted }
        } catch {
            release()
            throw error
        }
        // The lock was released in between.
        if !isHeld { endLease() }
    }

    /// Tries to acquire the lock without waiting.
    ///
    /// - Returns: Whether it was acquired.
    func attempt() throws(SessionStoreError) -> Bool {
        // The file must not be closed by another thread during the call.
        let result: Int32? = isOpen.withLock { isOpen in
            guard isOpen else { return nil }
            return system.lock(file) == 0 ? 0 : errno
        }
        switch result {
        case nil: throw .suspension
        case 0?: return true
        case EWOULDBLOCK?, EINTR?: return false
        case let code?:
            release()
            throw SessionStoreError(SessionStoreError.kind(of: code), "cannot lock: \(String(cString: strerror(code)))")
        }
    }

    /// Writes the next number into the file, so that processes that wait see that the lock has another owner.
    ///
    /// Without effect if the file cannot be written.
    func recordOwner() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            let size = MemoryLayout<UInt64>.size
            let bytes = read(size)
            let last = bytes.count < size ? 0 : bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            _ = overwrite(with: withUnsafeBytes(of: last &+ 1, Array.init))
        }
    }

    /// Returns the first bytes of the file; fewer than `count` if it is shorter or cannot be read.
    package func read(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let read = bytes.withUnsafeMutableBytes { system.pread(file, .init(rebasing: $0[length...]), length) }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { break }
            length += read
        }
        return Array(bytes[..<length])
    }

    /// Overwrites the first bytes of the file.
    ///
    /// - Returns: Whether all were written; otherwise, `errno` has the reason.
    package func overwrite(with bytes: [UInt8]) -> Bool {
        var length = 0
        while length < bytes.count {
            let written = bytes.withUnsafeBytes { system.pwrite(file, .init(rebasing: $0[length...]), length) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            length += written
        }
        return true
    }

    /// Runs `body` under the lock.
    ///
    /// - Returns: `nil` if the lock is not held.
    package func whileHeld<Value, Fault: Error>(_ body: () throws(Fault) -> Value) throws(Fault) -> Value? {
        try isOpen.withLock { isOpen throws(Fault) in isOpen ? try body() : nil }
    }

    /// Releases the lock.
    ///
    /// The file is unlocked before it is closed: a child process that is just starting has a copy of the descriptor
    /// until it executes its program. May be called more than once, from any thread.
    package func release() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            if isOpen {
                system.unlock(file)
                system.close(file)
            }
            return isOpen
        }
        if wasOpen { endLease() }
    }

    private func endLease() {
        let ended = lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
        ended?.end()
    }
}
