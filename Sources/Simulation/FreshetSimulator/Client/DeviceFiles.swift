// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetKit
    import SimulatedFiles

    /// The volume of a device with the file of its session, and the records that the file may contain.
    final class DeviceFiles: @unchecked Sendable {
        static let home = "/home/user"
        // The first write creates the folders below the home folder.
        private static let directory = URL(filePath: "\(home)/.local/state/app", directoryHint: .isDirectory)
        private static let name = "main"

        let volume: SimulatedVolume
        private let device: String
        private let record: SharedRecord
        private let journal: Journal
        /// The records that a power failure may leave: the last one that was acknowledged, and those of later changes that
        /// other processes see, although they failed or their process ended.
        private var possible: [SessionRecord?] = [nil]
        /// The record of a change that is under way.
        private var unacknowledged: SessionRecord??

        init(_ device: String, _ record: SharedRecord, on volume: SimulatedVolume, _ journal: Journal) {
            self.volume = volume
            self.device = device
            self.record = record
            self.journal = journal
            record.didChangeFaults = { [volume, weak record] in
                volume.isLocked = record?.readFault != nil
                volume.isFull = record?.writeFault != nil
            }
        }

        /// The number of power failures that lost a change.
        var lossyPowerCuts: Int { volume.losses }

        /// Returns the store of a new process.
        func store(_ system: SimulatedFileSystem) -> SimulatedFileStore {
            SimulatedFileStore(Self.store(system), system, of: self)
        }

        private static func store(_ system: SimulatedFileSystem) -> FileStore {
            FileStore(directory: directory, name: name, environment: .simulated(system))
        }

        // MARK: - Calls of processes

        /// Lets other processes go on before or after a call of a process, if the device's store is slow.
        func pauseIfSlow() { record.pauseIfSlow() }

        /// Checks a record that a process has read.
        func didRead(_ found: SessionRecord?) {
            if found != record.record { journal.violation("\(device) reads another record than the stored one") }
        }

        /// A process changes the record.
        func willChange(to new: SessionRecord?) { unacknowledged = .some(new) }

        /// The change has succeeded.
        func didChange(to new: SessionRecord?) {
            possible = [new]
            unacknowledged = nil
            if record.record != new { record.record = new }
        }

        /// A process has made a record durable that it has read, unless another one has replaced it since.
        func didSync(_ record: SessionRecord) {
            if self.record.record == record { possible = [record] }
        }

        /// The change has not taken place.
        func didRefuse() { unacknowledged = nil }

        /// The change has failed, or its process has ended: other processes read what is on the volume.
        func didFail() {
            let before = record.record
            adopt("after a failed change") { record.record = $0 }
            if record.record != before { possible.append(record.record) }
        }

        // MARK: - Events of the device

        /// Loses what is not durable, and checks the record that is left; the processes must have ended.
        func cutPower() {
            volume.cutPower()
            adopt("after a power failure") { record.revert(to: $0) }
            possible = [record.record]
        }

        /// Stores a record of a backup; the processes must have ended.
        func restore(_ backup: SessionRecord?) {
            do {
                try Self.store(SimulatedFileSystem(volume, isObserver: true)).overwrite(with: backup)
            } catch {
                journal.violation("\(device) cannot restore its backup: \(error)")
            }
            volume.sync()
            possible = [backup]
        }

        /// The ground truth becomes the record on the volume, which must be a possible one.
        private func adopt(_ event: String, _ store: (SessionRecord?) -> Void) {
            do {
                let found = try Self.store(SimulatedFileSystem(volume, isObserver: true)).read()
                let all = possible + (unacknowledged.map { [$0] } ?? [])
                unacknowledged = nil
                if !all.contains(found) {
                    let isOlder = found.map { older in record.versions.contains { $0.record == older } } ?? true
                    journal.violation("\(device) has \(isOlder ? "an older" : "another") record \(event)")
                }
                if record.record != found { store(found) }
            } catch {
                journal.violation("\(device) has no readable record \(event): \(error)")
            }
        }
    }
#endif
