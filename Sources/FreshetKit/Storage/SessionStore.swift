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
    func read() throws(StoreUnavailable) -> SessionRecord?

    /// Puts `record` in the place of `expected`, if that is still what rests here, as one step for all processes.
    ///
    /// - Returns: Whether it did. If not, somebody else came first, and the caller reads again.
    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(StoreUnavailable) -> Bool

    /// Puts `record` in the place of whatever rests here, readable or not.
    func overwrite(with record: SessionRecord?) throws(StoreUnavailable)

    /// What lets one process at a time refresh, if several may share what rests here.
    var processLock: ProcessLock? { get }
}

extension SessionStore {
    /// None: only this process uses the store.
    public var processLock: ProcessLock? { nil }
}
