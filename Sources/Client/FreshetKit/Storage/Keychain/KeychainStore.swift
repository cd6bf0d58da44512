// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Stores the session in one keychain item.
///
/// Safe for concurrent use by several processes.
///
/// The item is a generic password in the data-protection keychain, and stays on this device. It is updated in place,
/// never deleted and added again. Each update matches the replaced content in the same call, so that an app and its
/// extensions need no lock. A keychain that is locked, or not yet available after a restart of the device, is
/// *unavailable* and never empty.
public struct KeychainStore: SessionStore {
    private let item: KeychainItem
    private let installation: ReinstallDetector
    /// The lock that allows one refresh at a time.
    public let processLock: ProcessLock?

    init(item: KeychainItem, installation: ReinstallDetector, folder: URL?) {
        self.item = item
        self.installation = installation
        let file = FileName.escaped("\(item.service) \(item.account ?? "")")
        processLock = folder.map { ProcessLock(directory: $0, file: "\(file).refresh") }
    }

    /// A description with the service and account of the item.
    public var name: String { "keychain item \(item.service) \(item.account ?? "")" }

    /// Returns the stored record; `nil` only if it is certain that there is no item.
    public func read() throws(SessionStoreError) -> SessionRecord? {
        guard let content = try find() else { return nil }
        return try SessionRecord(decoding: content.data)
    }

    /// Replaces the stored record if it still equals `expected`, atomically across processes.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        guard let expected else {
            guard let record else { return try find() == nil }
            return try add(record)
        }
        guard let content = try find(), try SessionRecord(decoding: content.data) == expected else { return false }
        guard let record else { return try item.delete(tagged: content.tag) }
        return try item.update(tagged: content.tag, try record.encoded())
    }

    /// Replaces the stored record, whether or not it can be read.
    public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        guard let record else {
            // `reconcile` throws if the keychain may be hiding an item, which would be visible again after the
            // sign-out.
            if try !item.delete(tagged: nil) { _ = try installation.reconcile(isFound: false) }
            return
        }
        let data = try record.encoded()
        _ = try installation.reconcile(isFound: true)
        for _ in 0..<Self.maximumConflicts {
            do throws(SessionStoreError) {
                if try item.update(tagged: nil, data) { return }
            } catch {
                // An item that the keychain cannot decrypt any longer can be deleted, unless another process has done so.
                guard error.kind == .damaged else { throw error }
                _ = try item.delete(tagged: nil)
            }
            if try item.add(data) { return }
        }
        throw .contradiction
    }

    private static let maximumConflicts = 4

    private func add(_ record: SessionRecord) throws(SessionStoreError) -> Bool {
        _ = try installation.reconcile(isFound: true)
        if try item.add(try record.encoded()) { return true }
        guard try item.find() != nil else { throw .contradiction }
        return false
    }

    private func find() throws(SessionStoreError) -> KeychainItem.Content? {
        let content = try item.find()
        return try installation.reconcile(isFound: content != nil) ? item.find() : content
    }
}

extension SessionStoreError {
    /// The error if the keychain contradicts itself, as it may before the first unlock and while another user signs in
    /// or out.
    fileprivate static let contradiction = SessionStoreError(
        .locked,
        "the keychain reports that an item exists and that it does not"
    )
}
