// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit
    import SimulatedFiles

    /// The SDK's file store of one process, on the volume of its device.
    final class SimulatedFileStore: ProcessStore, SyncableStore {
        private let base: FileStore
        let system: SimulatedFileSystem
        private let files: DeviceFiles

        init(_ base: FileStore, _ system: SimulatedFileSystem, of files: DeviceFiles) {
            self.base = base
            self.system = system
            self.files = files
        }

        var name: String { base.name }

        var processLock: ProcessLock? { base.processLock }

        func close() { system.end() }

        func read() throws(SessionStoreError) -> SessionRecord? {
            try checkOpen()
            defer { files.pauseIfSlow() }
            let found = try base.read()
            files.didRead(found)
            return found
        }

        func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
            try change(to: record) { () throws(SessionStoreError) in try base.replace(expected, with: record) }
        }

        func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
            _ = try change(to: record) { () throws(SessionStoreError) in
                try base.overwrite(with: record)
                return true
            }
        }

        func sync(_ record: SessionRecord) {
            base.sync(record)
            if !system.hasEnded { files.didSync(record) }
        }

        private func change(
            to record: SessionRecord?,
            _ body: () throws(SessionStoreError) -> Bool
        ) throws(SessionStoreError) -> Bool {
            try checkOpen()
            defer { files.pauseIfSlow() }
            files.willChange(to: record)
            do throws(SessionStoreError) {
                guard try body() else {
                    files.didRefuse()
                    return false
                }
                files.didChange(to: record)
                return true
            } catch {
                // The record that its end left was checked then.
                guard !system.hasEnded else { throw SessionStoreError(.missing, "the process has ended") }
                files.didFail()
                throw error
            }
        }

        private func checkOpen() throws(SessionStoreError) {
            files.pauseIfSlow()
            guard !system.hasEnded else { throw SessionStoreError(.missing, "the process has ended") }
        }
    }
#endif
