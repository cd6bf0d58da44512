// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import FreshetKit

/// The system's files, with calls that fail when a test demands it.
final class FaultyFileSystem: FileSystem {
    enum Call: CaseIterable, Sendable {
        case open, openat, mkdir, fstat, read, pread, pwrite, write, syncFile, syncFolder, renameat, linkat, unlinkat
        case lock, names, fstatat
    }

    private struct State {
        /// The error numbers of the next calls; zero lets one succeed.
        var faults: [Call: [Int32]] = [:]
        /// The number of bytes that one call reads or writes at most.
        var largestRead = Int.max
        var largestWrite = Int.max
        /// The error number of each creation of a file; zero lets it succeed.
        var creationFault: Int32 = 0
        /// Changes the attributes of open files and folders.
        var attributes: @Sendable (inout stat) -> Void = { _ in }
        /// Whether another process owns all locks, asked at each attempt.
        var isLocked: @Sendable () -> Bool = { false }
    }

    private let system = POSIXFileSystem()
    private let state = Locked(State())
    private let opened = Locked(0)

    /// The number of open files and folders.
    var openFiles: Int { opened.withLock { $0 } }

    /// Lets the next calls fail, each with one of `codes`, or succeed where it is zero.
    func fail(_ call: Call, _ codes: Int32...) { fail(call, codes) }

    func fail(_ call: Call, _ codes: [Int32]) { state.withLock { $0.faults[call] = codes } }

    /// Ends all faults.
    func recover() { state.withLock { $0 = State() } }

    /// Lets no file be created, as on a volume that has become read-only.
    func refuseCreation() { state.withLock { $0.creationFault = EROFS } }

    func limitReads(to count: Int) { state.withLock { $0.largestRead = count } }

    func limitWrites(to count: Int) { state.withLock { $0.largestWrite = count } }

    func refuseLocks(while isLocked: @escaping @Sendable () -> Bool) { state.withLock { $0.isLocked = isLocked } }

    func changeAttributes(_ change: @escaping @Sendable (inout stat) -> Void) {
        state.withLock { $0.attributes = change }
    }

    /// Whether the call fails; `errno` has the reason then.
    private func fails(_ call: Call) -> Bool {
        let code = state.withLock { state -> Int32 in
            guard let codes = state.faults[call], let first = codes.first else { return 0 }
            state.faults[call] = Array(codes.dropFirst())
            return first
        }
        if code != 0 { errno = code }
        return code != 0
    }

    private var largestRead: Int { state.withLock { $0.largestRead } }

    private var largestWrite: Int { state.withLock { $0.largestWrite } }

    private func counted(_ file: Int32) -> Int32 {
        if file >= 0 { opened.withLock { $0 += 1 } }
        return file
    }

    func open(_ path: String, _ flags: Int32) -> Int32 { fails(.open) ? -1 : counted(system.open(path, flags)) }

    func openat(_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        let code = flags & O_CREAT == 0 ? 0 : state.withLock { $0.creationFault }
        if code != 0 {
            errno = code
            return -1
        }
        return fails(.openat) ? -1 : counted(system.openat(folder, name, flags, mode))
    }

    func close(_ file: Int32) {
        opened.withLock { $0 -= 1 }
        system.close(file)
    }

    func mkdir(_ path: String, _ mode: mode_t) -> Int32 { fails(.mkdir) ? -1 : system.mkdir(path, mode) }

    func fstat(_ file: Int32, _ attributes: inout stat) -> Int32 {
        if fails(.fstat) { return -1 }
        let result = system.fstat(file, &attributes)
        state.withLock { $0.attributes }(&attributes)
        return result
    }

    func fstatat(_ folder: Int32, _ name: String, _ attributes: inout stat) -> Int32 {
        fails(.fstatat) ? -1 : system.fstatat(folder, name, &attributes)
    }

    func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        fails(.read) ? -1 : system.read(file, .init(rebasing: buffer.prefix(largestRead)))
    }

    func pread(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int {
        fails(.pread) ? -1 : system.pread(file, .init(rebasing: buffer.prefix(largestRead)), offset)
    }

    func pwrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        fails(.pwrite) ? -1 : system.pwrite(file, .init(rebasing: bytes.prefix(largestWrite)), offset)
    }

    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        fails(.write) ? -1 : system.write(file, .init(rebasing: bytes.prefix(largestWrite)))
    }

    func syncFile(_ file: Int32) -> Int32 { fails(.syncFile) ? -1 : system.syncFile(file) }

    func syncFolder(_ folder: Int32) -> Int32 { fails(.syncFolder) ? -1 : system.syncFolder(folder) }

    func renameat(_ folder: Int32, _ name: String, _ newFolder: Int32, _ new: String) -> Int32 {
        fails(.renameat) ? -1 : system.renameat(folder, name, newFolder, new)
    }

    func linkat(_ folder: Int32, _ name: String, _ new: String) -> Int32 {
        fails(.linkat) ? -1 : system.linkat(folder, name, new)
    }

    func unlinkat(_ folder: Int32, _ name: String) -> Int32 { fails(.unlinkat) ? -1 : system.unlinkat(folder, name) }

    func checkWritable(_ folder: Int32) -> Int32 { system.checkWritable(folder) }

    func lock(_ file: Int32) -> Int32 {
        if fails(.lock) { return -1 }
        guard !state.withLock({ $0.isLocked })() else {
            errno = EWOULDBLOCK
            return -1
        }
        return system.lock(file)
    }

    func unlock(_ file: Int32) { system.unlock(file) }

    func names(_ folder: Int32) -> [String]? { fails(.names) ? nil : system.names(folder) }
}
