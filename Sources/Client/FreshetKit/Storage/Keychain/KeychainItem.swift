// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// One generic-password item, or all of a service, and what is done with it.
///
/// Whether "not found" is to be believed is not decided here.
struct KeychainItem: Sendable {
    var calls: KeychainCalls
    var service: String
    /// `nil` stands for every account of the service.
    var account: String?
    /// `nil` stands for the app's own.
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
    /// The accessibility is no part of it: a query that names one does not find an item that was made with another.
    private var identity: KeychainCalls.Attributes {
        var attributes: KeychainCalls.Attributes = [
            .itemClass: .constant(.genericPassword), .service: .text(service), .synchronizable: .flag(false),
            .usesDataProtectionKeychain: .flag(true),
        ]
        attributes[.account] = account.map { .text($0) }
        attributes[.accessGroup] = accessGroup.map { .text($0) }
        return attributes
    }

    /// The item, if it still has the tag; with `nil` whatever it has.
    private func query(_ tag: Data?) -> KeychainCalls.Attributes {
        var query = identity
        query[.generic] = tag.map { .data($0) }
        return query
    }

    /// The attributes to write; with the accessibility, which an update would leave as an older version set it.
    private func content(_ data: Data) -> KeychainCalls.Attributes {
        [
            .valueData: .data(data), .generic: .data(withUnsafeBytes(of: UUID().uuid) { Data($0) }),
            .accessible: .constant(accessibility.constant),
        ]
    }

    /// - Returns: `nil` if it is not found.
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

    /// The items of the service that Freshet wrote: their accounts and tags.
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

    /// - Returns: Whether there was none.
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

    /// - Returns: Whether there was an item with that tag.
    func delete(tagged tag: Data?) throws(SessionStoreError) -> Bool {
        let status = calls.delete(query(tag))
        if status == .itemNotFound { return false }
        guard status == .success else { throw status.fault("remove the session") }
        return true
    }
}
