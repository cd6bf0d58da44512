// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetKit

    /// The record that the processes of one device share.
    final class SharedRecord: @unchecked Sendable {
        var record: SessionRecord? {
            didSet {
                if let record { versions.append(StoredVersion(record)) }
                didStore?(record)
            }
        }
        /// Called with each record that is stored.
        var didStore: ((SessionRecord?) -> Void)?
        /// Whether the record that is being stored is an earlier one.
        private(set) var isReverting = false
        /// All records that were stored, the newest last.
        private(set) var versions: [StoredVersion] = []
        /// The stored record; `nil` if there is none.
        var current: StoredVersion? { record == nil ? nil : versions.last }
        /// The error of all accesses, such as those to a locked keychain; `nil` without one.
        var readFault: SessionStoreError? { didSet { didChange(oldValue, readFault) } }
        /// The error of all changes, such as those on a full disk; `nil` without one.
        var writeFault: SessionStoreError? { didSet { didChange(oldValue, writeFault) } }
        var didChangeFaults: (() -> Void)?
        /// Returns the time that passes before and after each access to a slow store; `nil` if it is not slow.
        var slowness: (() -> Duration)?

        /// The time at which the last slow access ends.
        private var slowEnd: Duration?

        /// Lets other processes go on during an access of a process, whose thread waits.
        func pauseIfSlow() {
            guard let time = slowness?() else { return }
            slowEnd = max(slowEnd ?? .zero, SimulationExecutor.shared.now + time)
            SimulationExecutor.shared.runOthers(for: time)
        }

        /// Whether an access was slow at some moment of the last time.
        func wasSlow(inLast time: Duration) -> Bool {
            slowness != nil || slowEnd.map { SimulationExecutor.shared.now - time < $0 } ?? false
        }

        /// Stores the record that a power failure or a backup brings back.
        func revert(to earlier: SessionRecord?) {
            isReverting = true
            record = earlier
            isReverting = false
        }

        var isAvailable: Bool { readFault == nil && writeFault == nil }

        /// The time at which a fault last began or ended.
        private var lastFault: Duration?
        /// The number of times that a fault has begun or ended.
        private(set) var faultChanges = 0

        private func didChange(_ earlier: SessionStoreError?, _ fault: SessionStoreError?) {
            if earlier != nil || fault != nil {
                lastFault = SimulationExecutor.shared.now
                faultChanges += 1
            }
            didChangeFaults?()
        }

        /// Whether the store was unavailable at some moment of the last time.
        func wasUnavailable(inLast time: Duration) -> Bool {
            !isAvailable || lastFault.map { SimulationExecutor.shared.now - time < $0 } ?? false
        }

        /// The store is available again.
        func endFaults() {
            readFault = nil
            writeFault = nil
        }
    }

    /// A record that was stored once.
    final class StoredVersion {
        let record: SessionRecord
        /// The parts that invariants and thieves use; `nil` if it cannot be decoded.
        private(set) lazy var stored: Device.Stored? = {
            guard let data = try? record.encoded() else { return nil }
            return try? JSONDecoder().decode(Device.Stored.self, from: data)
        }()

        init(_ record: SessionRecord) { self.record = record }
    }

    /// The store of one process, which changes nothing after the end of the process.
    protocol ProcessStore: SessionStore {
        /// The process ends.
        func close()
    }

    /// The store of one process in memory; after the end of the process it changes nothing.
    final class SimulatedStore: ProcessStore, @unchecked Sendable {
        private let shared: SharedRecord
        private var isClosed = false
        /// The number of times that the process has read the record, or has failed to.
        private(set) var reads = 0

        /// The lock that lets one process refresh at a time; `nil` if the contract does not need it.
        let processLock: ProcessLock?

        init(_ shared: SharedRecord, lock: ProcessLock? = nil) {
            self.shared = shared
            processLock = lock
        }

        var name: String { "simulated" }

        func close() { isClosed = true }

        func read() throws(SessionStoreError) -> SessionRecord? {
            reads += 1
            try checkOpen()
            defer { shared.pauseIfSlow() }
            return shared.record
        }

        func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
            try checkOpen()
            defer { shared.pauseIfSlow() }
            if let fault = shared.writeFault { throw fault }
            guard shared.record == expected else { return false }
            shared.record = record
            return true
        }

        func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
            try checkOpen()
            defer { shared.pauseIfSlow() }
            if let fault = shared.writeFault { throw fault }
            shared.record = record
        }

        private func checkOpen() throws(SessionStoreError) {
            shared.pauseIfSlow()
            guard !isClosed else { throw SessionStoreError(.missing, "the process has ended") }
            if let fault = shared.readFault { throw fault }
        }
    }
#endif
