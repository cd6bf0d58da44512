// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A persistent store for a session.
///
/// It stores one opaque record, and a read has three results: a record, no record, or an error. The methods are
/// synchronous so that no other operation can occur between a decision and its storage. A successful change must
/// survive the exit of the process. `SessionStoreContract` in FreshetTesting checks an app's own store.
public protocol SessionStore: Sendable {
    /// A description of the storage location, for diagnostics. Must not contain secrets.
    var name: String { get }

    /// Returns the stored record; `nil` only if it is certain that there is none.
    func read() throws(SessionStoreError) -> SessionRecord?

    /// Replaces the stored record if it still equals `expected`, atomically across processes.
    ///
    /// - Returns: Whether it was replaced. If not, another caller or process changed it, and the caller reads again.
    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool

    /// Replaces the stored record unconditionally, even if it cannot be read.
    ///
    /// An app's own store does not have to keep a damaged record. ``FileStore`` does, because a file can be copied from
    /// the device and is removed together with the app's data. The stores of Freshet in a keychain, a Secret Service or
    /// the kernel's keys replace it: only the app can read their items, a second item with tokens would outlive the
    /// removal of the app, and a record that the keychain cannot decipher cannot be copied. A record in memory is never
    /// damaged.
    func overwrite(with record: SessionRecord?) throws(SessionStoreError)

    /// The lock that lets one process at a time refresh; `nil` if only this process uses the store.
    var processLock: ProcessLock? { get }
}

extension SessionStore {
    /// Returns `nil`: only this process uses the store.
    public var processLock: ProcessLock? { nil }
}
