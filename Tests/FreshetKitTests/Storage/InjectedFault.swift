// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting

@testable import FreshetKit

/// The faults of a store, one at a time.
enum InjectedFault: CaseIterable, Sendable {
    case nothing
    case noLock, lockPerInstance, unlockedOverwrite, tornReads
    case cutAtTwoKiB, refusesTwoKiB, losesNonASCII, composesText
    case dropsSession, dropsEnd, dropsImport, dropsChoice, dropsLogouts
    case newNameEachCall, noName
    case leavesEmptyFile, leavesHiddenFile, keepsRecordAtRemoval
    case refusesNothingForNothing, refusesSameRecord, comparesNothing, ignoresExpectation
    case remembersReads, loudRivals, damagedIsAbsent

    /// The rules of which the suite names one.
    var rules: Set<SessionStoreContract.Rule> {
        switch self {
        case .nothing: []
        case .noLock, .lockPerInstance: [.oneWinner]
        case .unlockedOverwrite: [.lastingOverwrite]
        case .tornReads: [.atomicReads]
        case .cutAtTwoKiB, .refusesTwoKiB, .losesNonASCII, .composesText: [.wholeRecords]
        case .dropsSession, .dropsEnd, .dropsImport, .dropsChoice, .dropsLogouts: [.wholeRecords]
        case .newNameEachCall, .noName: [.stableName]
        case .leavesHiddenFile, .keepsRecordAtRemoval: [.removal]
        // Storing nothing leaves one, too, and then no record is taken.
        case .leavesEmptyFile: [.removal, .wholeRecords]
        case .refusesNothingForNothing, .refusesSameRecord: [.sameRecord]
        case .comparesNothing, .ignoresExpectation: [.comparison]
        case .remembersReads: [.sharedPlace, .wholeRecords, .removal]
        case .loudRivals: [.noFaultUnderContention]
        case .damagedIsAbsent: [.atomicReads, .noFaultUnderContention]
        }
    }
}

/// A place for bytes, as a file is.
final class FaultyDisk: Sendable {
    private let files = Locked<[String: Data]>([:])
    private let locks = Locked<[String: NSRecursiveLock]>([:])

    func bytes(_ place: String) -> Data? { files.withLock { $0[place] } }
    func put(_ bytes: Data?, _ place: String) { files.withLock { $0[place] = bytes } }
    func exists(_ place: String) -> Bool { bytes(place) != nil }

    func lock(_ place: String) -> NSRecursiveLock {
        locks.withLock { locks in
            let lock = locks[place] ?? NSRecursiveLock()
            locks[place] = lock
            return lock
        }
    }
}

/// A sound store but for one fault.
final class FaultyStore: SessionStore {
    private let disk: FaultyDisk
    private let place: String
    private let fault: InjectedFault
    private let ownLock = NSRecursiveLock()
    private let known = Locked<SessionRecord?>(nil)

    init(_ disk: FaultyDisk, _ place: String, _ fault: InjectedFault) {
        self.disk = disk
        self.place = place
        self.fault = fault
    }

    var name: String {
        switch fault {
        case .newNameEachCall: "planted \(UUID())"
        case .noName: ""
        default: "planted \(place)"
        }
    }

    func read() throws(SessionStoreError) -> SessionRecord? {
        if fault == .remembersReads, let record = known.withLock({ $0 }) { return record }
        guard let bytes = disk.bytes(place), !bytes.isEmpty else { return nil }
        do throws(SessionStoreError) {
            let record = try SessionRecord(decoding: bytes)
            known.withLock { $0 = record }
            return record
        } catch {
            if fault == .damagedIsAbsent { return nil }
            throw error
        }
    }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        let lock = try takeLock()
        defer { lock?.unlock() }
        let current = try read()
        switch fault {
        case .refusesNothingForNothing where expected == nil && record == nil: return false
        case .refusesSameRecord where expected != nil && expected == record: return false
        case .leavesEmptyFile where expected == nil && record != nil && disk.exists(place): return false
        case .comparesNothing where expected == nil: break
        case .ignoresExpectation where expected != nil && current != nil: break
        default: guard current == expected else { return false }
        }
        if [.noLock, .lockPerInstance, .unlockedOverwrite].contains(fault) { letOthersRun() }
        try write(record)
        return true
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        let lock = fault == .unlockedOverwrite ? nil : try takeLock()
        defer { lock?.unlock() }
        if record == nil, fault == .keepsRecordAtRemoval { return }
        try write(record)
    }

    private func takeLock() throws(SessionStoreError) -> NSRecursiveLock? {
        switch fault {
        case .noLock: return nil
        case .lockPerInstance:
            ownLock.lock()
            return ownLock
        case .loudRivals:
            let lock = disk.lock(place)
            guard lock.try() else { throw SessionStoreError(.locked, "another owner has the lock") }
            return lock
        default:
            let lock = disk.lock(place)
            lock.lock()
            return lock
        }
    }

    /// Widens the window of a race: on a busy machine, half a second may have no thread switch within a few microseconds.
    private func letOthersRun() { usleep(500) }

    private func write(_ record: SessionRecord?) throws(SessionStoreError) {
        known.withLock { $0 = record }
        guard let record else {
            let isEmptyLeft = fault == .leavesEmptyFile || fault == .leavesHiddenFile
            return disk.put(isEmptyLeft ? Data() : nil, place)
        }
        let bytes = try altered(try record.encoded())
        if fault == .tornReads || fault == .damagedIsAbsent {
            disk.put(bytes.prefix(bytes.count / 2), place)
            letOthersRun()
        }
        disk.put(bytes, place)
    }

    private func altered(_ bytes: Data) throws(SessionStoreError) -> Data {
        let text = String(decoding: bytes, as: UTF8.self)
        switch fault {
        case .refusesTwoKiB where bytes.count > 2_048: throw SessionStoreError(.failed, "too large")
        case .cutAtTwoKiB: return bytes.prefix(2_048)
        case .losesNonASCII: return Data(String(text.unicodeScalars.map { $0.isASCII ? Character($0) : "?" }).utf8)
        case .composesText: return Data(text.precomposedStringWithCanonicalMapping.utf8)
        case .dropsSession: return dropping("session", of: bytes)
        case .dropsEnd: return dropping("ended", of: bytes)
        case .dropsImport: return dropping("isImported", of: bytes)
        case .dropsChoice: return dropping("chosenAt", of: bytes)
        case .dropsLogouts: return replacing("pendingLogouts", of: bytes)
        default: return bytes
        }
    }

    private func dropping(_ key: String, of bytes: Data) -> Data { changing(bytes) { $0[key] = nil } }

    /// The suite tells its records apart by the first of them.
    private func replacing(_ key: String, of bytes: Data) -> Data {
        changing(bytes) { object in object[key] = (object[key] as? [Any]).map { Array($0.prefix(1)) } }
    }

    private func changing(_ bytes: Data, _ change: (inout [String: Any]) -> Void) -> Data {
        guard var object = (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any] else { return bytes }
        change(&object)
        return (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? bytes
    }
}
