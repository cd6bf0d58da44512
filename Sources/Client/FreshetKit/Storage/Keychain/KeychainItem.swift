// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// One generic-password item, or all items of a service, and operations on them.
///
/// The caller decides whether "not found" can be trusted.
struct KeychainItem: Sendable {
    var calls: KeychainCalls
    var service: String
    /// The account; `nil` for all accounts of the service.
    var account: String?
    /// The access group; `nil` for the app's own.
    var accessGroup: String?
    var accessibility: KeychainAccessibility

    /// The data of an item, and a tag that every change replaces.
    struct Content: Masked {
        var data: Data
        var tag: Data
        var mask: String { "KeychainItem.Content(•••)" }
    }

    func with(account: String?) -> KeychainItem {
        var item = self
        item.account = account
        return item
    }

    /// The attributes that identify the item.
    ///
    /// Excludes the accessibility: a query with one does not find an item that was created with another.
    private var identity: KeychainCalls.Attributes {
        var attributes: KeychainCalls.Attributes = [
            .itemClass: .constant(.genericPassword), .service: .text(service), .synchronizable: .flag(false),
            .usesDataProtectionKeychain: .flag(true),
        ]
        attributes[.account] = account.map { .text($0) }
        attributes[.accessGroup] = accessGroup.map { .text($0) }
        return attributes
    }

    /// Returns a query for the item if it still has the tag; with `nil`, for any tag.
    private func query(_ tag: Data?) -> KeychainCalls.Attributes {
        var query = identity
        query[.generic] = tag.map { .data($0) }
        return query
    }

    /// Returns the attributes to write, including the accessibility, because an update without it would keep the value
    /// of an older version.
    private func content(_ data: Data) -> KeychainCalls.Attributes {
        [
            .valueData: .data(data), .generic: .data(withUnsafeBytes(of: UUID.random().uuid) { Data($0) }),
            .accessible: .constant(accessibility.constant),
        ]
    }

    /// Returns the item's content; `nil` if it is not found.
    func find() throws(SessionStoreError) -> Content? {
        var query = identity
        query[.matchLimit] = .constant(.matchLimitOne)
        query[.returnsData] = .flag(true)
        query[.returnsAttributes] = .flag(true)
        let (status, items) = calls.copyMatching(query)
        if status == .itemNotFound { return nil }
        guard status == .success else { throw status.fault("read the session") }
        guard let item = items.first, let data = item[.valueData]?.data, let tag = item[.generic]?.data else {
            throw SessionStoreError(.damaged, "the keychain item was not written by Freshet")
        }
        return Content(data: data, tag: tag)
    }

    /// Returns the accounts and tags of the items that Freshet stored for the service.
    func list() throws(SessionStoreError) -> [(account: String, tag: Data)] {
        var query = identity
        query[.matchLimit] = .constant(.matchLimitAll)
        query[.returnsAttributes] = .flag(true)
        let (status, items) = calls.copyMatching(query)
        if status == .itemNotFound { return [] }
        guard status == .success else { throw status.fault("list the sessions") }
        return items.compactMap { item in
            guard case .text(let account)? = item[.account], let tag = item[.generic]?.data else { return nil }
            return (account, tag)
        }
    }

    /// Adds the item.
    ///
    /// - Returns: Whether none existed.
    func add(_ data: Data) throws(SessionStoreError) -> Bool {
        let status = calls.add(identity.merging(content(data)) { $1 })
        if status == .duplicateItem { return false }
        guard status == .success else { throw status.fault("store the session") }
        return true
    }

    /// Replaces the content in place, in one call.
    ///
    /// - Returns: Whether there was an item with that tag.
    func update(tagged tag: Data?, _ data: Data) throws(SessionStoreError) -> Bool {
        let status = calls.update(query(tag), content(data))
        if status == .itemNotFound { return false }
        guard status == .success else { throw status.fault("store the session") }
        return true
    }

    /// Deletes the item if it still has the tag; with `nil`, whatever its tag.
    ///
    /// - Returns: Whether there was an item with that tag.
    func delete(tagged tag: Data?) throws(SessionStoreError) -> Bool {
        let status = calls.delete(query(tag))
        if status == .itemNotFound { return false }
        guard status == .success else { throw status.fault("remove the session") }
        return true
    }
}
