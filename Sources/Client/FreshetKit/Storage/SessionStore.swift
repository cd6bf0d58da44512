// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where a session rests between launches.
///
/// It holds one opaque record and has three answers: a record, none, or unavailable. The methods are synchronous on
/// purpose: a decision and its record are then one step, and nothing can come between. Whatever is answered as done must
/// survive the end of the process. `SessionStoreContract` in FreshetTesting checks a store of your own.
public protocol SessionStore: Sendable {
    /// Says for `freshet status` where the record lies, without a secret.
    var name: String { get }

    /// What rests here; `nil` only if it is certain that nothing does.
    func read() throws(SessionStoreError) -> SessionRecord?

    /// Puts `record` in the place of `expected`, if that is still what rests here, as one step for all processes.
    ///
    /// - Returns: Whether it did. If not, somebody else came first, and the caller reads again.
    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool

    /// Puts `record` in the place of whatever rests here, readable or not.
    ///
    /// A store of your own need not keep a damaged record. ``FileStore`` does, because a file can be copied from the device
    /// and is removed together with the app's data. The stores of Freshet in a keychain, a Secret Service or the kernel's
    /// keys replace it: only the app can read their items, a second item with tokens would outlive the removal of the app,
    /// and a record that the keychain cannot decipher cannot be copied. A record in memory is never damaged.
    func overwrite(with record: SessionRecord?) throws(SessionStoreError)

    /// What lets one process at a time refresh, if several may share what rests here.
    var processLock: ProcessLock? { get }
}

extension SessionStore {
    /// None: only this process uses the store.
    public var processLock: ProcessLock? { nil }
}
