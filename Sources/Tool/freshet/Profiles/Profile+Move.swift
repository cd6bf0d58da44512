// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetCommandLine
import FreshetKit

/// The move of a profile from one store to another.
extension Profile {
    /// Moves the session's record, so that the next sign-in signs out the old session as usual.
    ///
    /// A record that cannot be read is reported, and stays in the old store.
    ///
    /// - Parameters:
    ///   - settings: The saved settings of the profile.
    ///   - kind: The store to move to.
    /// - Throws: `storeUnavailable` if the new store cannot take the record.
    func move(_ settings: Settings, to kind: StoreKind) async throws {
        let old = try store(settings.storeKind)
        do { try await moveRecord(from: old, to: try store(kind), settings, kind) } catch let fault as SessionStoreError
        {
            Output.note("freshet: \(old.name): \(fault.reason); a session stored there is not signed out")
        }
    }

    /// Moves the record.
    ///
    /// At any time, at least one of the stores has it.
    ///
    /// - Throws: The error of the old store, and `storeUnavailable` for the new one.
    private func moveRecord(
        from old: any SessionStore,
        to new: any SessionStore,
        _ settings: Settings,
        _ kind: StoreKind
    ) async throws {
        var moved = settings
        moved.store = kind
        var record = try old.read()
        guard record != nil else { return }
        if try Self.usable(new, { () throws(SessionStoreError) in try new.read() }) != nil {
            // The next sign-in signs out the session in the new store, so the session in the old store is signed out
            // now.
            return try await signOut(settings)
        }
        while let found = record {
            try Self.usable(new) { () throws(SessionStoreError) in try new.overwrite(with: found) }
            try save(moved)
            if try old.replace(found, with: nil) { return }
            // Another process has refreshed in the meantime.
            record = try old.read()
        }
    }

    private func signOut(_ settings: Settings) async throws {
        let session = try session(with: settings)
        try await ServerCall.perform { try await session.signOut() }
        guard session.status.hasPendingLogout else { return }
        Output.note("freshet: \(session.status.store): signed out on this machine; the server could not be notified")
    }

    private static func usable<Value>(
        _ store: any SessionStore,
        _ body: () throws(SessionStoreError) -> Value
    ) throws(ToolError) -> Value {
        do throws(SessionStoreError) { return try body() } catch {
            throw ToolError.storeUnavailable("\(store.name): \(error.reason)")
        }
    }
}
