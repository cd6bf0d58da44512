// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The folders whose names this process has made durable.
///
/// A folder that exists may be one that a killed process has created: its name, and all files in it, would be lost at a
/// power failure.
final class DurableFolders: Sendable {
    private let names = Locked<Set<String>>([])

    /// Runs `sync` for a folder that is new, or new to this process.
    func add(_ folder: String, isNew: Bool, _ sync: () -> Void) {
        guard isNew || names.withLock({ !$0.contains(folder) }) else { return }
        sync()
        _ = names.withLock { $0.insert(folder) }
    }
}
