// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Keeps the session in one item of the keychain, safe for several processes at once.
///
/// The item is a generic password of the data-protection keychain and stays on this device. It is changed in place, never
/// deleted and added again, and a change names what it replaces in the same call, so that an app and its extensions need
/// no lock for it. A keychain that is locked, or not yet open after a start of the device, is *unavailable* and never empty.
public struct KeychainStore: SessionStore {
    private let item: KeychainItem
    private let installation: ReinstallDetector
    /// A lock beside the keychain, for one refresh at a time.
    public let processLock: ProcessLock?

    init(item: KeychainItem, installation: ReinstallDetector, folder: URL?) {
        self.item = item
        self.installation = installation
        let file = FileName.escaped("\(item.service) \(item.account ?? "")")
        processLock = folder.map { ProcessLock(directory: $0, file: "\(file).refresh") }
    }

    /// Says of which service and account the item is.
    public var name: String { "keychain item \(item.service) \(item.account ?? "")" }

    /// Returns the stored record; `nil` only if it is certain that there is no item.
    public func read() throws(SessionStoreError) -> SessionRecord? {
        guard let content = try find() else { return nil }
        return try SessionRecord(decoding: content.data)
    }

    /// Puts `record` in the place of `expected`, if that is still what rests here, as one step for all processes.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        guard let expected else {
            guard let record else { return try find() == nil }
            return try add(record)
        }
        guard let content = try find(), try SessionRecord(decoding: content.data) == expected else { return false }
        guard let record else { return try item.delete(tagged: content.tag) }
        return try item.update(tagged: content.tag, try record.encoded())
    }

    /// Puts `record` in the place of whatever rests here, readable or not.
    public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        guard let record else {
            // An item that does not show itself now would come back after the sign-out.
            if try !item.delete(tagged: nil) { _ = try installation.reconcile(isFound: false) }
            return
        }
        let data = try record.encoded()
        _ = try installation.reconcile(isFound: true)
        for _ in 0..<Self.maximumConflicts {
            do throws(SessionStoreError) {
                if try item.update(tagged: nil, data) { return }
            } catch {
                // An item that the keychain itself cannot decipher any more is no loss.
                guard error.kind == .damaged, try item.delete(tagged: nil) else { throw error }
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
    /// Before the first unlock a keychain may do so, and for a moment when somebody else signs in or out.
    fileprivate static let contradiction = SessionStoreError(
        .locked,
        "the keychain reports that an item exists and that it does not"
    )
}
