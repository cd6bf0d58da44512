// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The keychain items of an older version of the app, for ``AuthSession/importSession(from:)``.
///
/// Texts in UTF-8 and in UTF-16 are read, and keys that were written as text or as data. Only items that were read are removed.
public struct LegacyKeychainItems: LegacyTokenSource {
    private let calls: KeychainCalls
    private let service: String?
    private let accessGroup: String?
    private let usesDataProtectionKeychain: Bool
    private let marker: InstallationMarker?
    /// The persistent references of the items that were read.
    private let read = Locked<[LegacyItem: Set<Data>]>([:])

    package init(
        calls: KeychainCalls,
        service: String? = nil,
        accessGroup: String? = nil,
        usesDataProtectionKeychain: Bool = true,
        marker: InstallationMarker?
    ) {
        self.calls = calls
        self.service = service
        self.accessGroup = accessGroup
        self.usesDataProtectionKeychain = usesDataProtectionKeychain
        self.marker = marker
    }

    /// The text of an item; `nil` only if it is certain that there is none.
    ///
    /// Without a service the item is the one that has none, or else the only one of its name.
    ///
    /// - Throws: ``SessionStoreError`` of the kind `damaged` if several items of the name have services: one of them may be
    ///   another library's, whose token must go to no other server. Name the service then.
    public func text(of item: LegacyItem) throws(SessionStoreError) -> String? {
        guard let reference = try reference(of: item) else {
            try verifyAbsence()
            return nil
        }
        var query = scope
        query[.persistentReference] = .data(reference)
        query[.matchLimit] = .constant(.matchLimitOne)
        query[.returnsData] = .flag(true)
        let (status, items) = calls.copyMatching(query)
        guard status == .success else { throw status.fault("read an older item") }
        guard let data = items.first?[.valueData]?.data, let text = Self.text(data) else {
            throw SessionStoreError(.damaged, "an older keychain item contains no text")
        }
        read.withLock { _ = $0[item, default: []].insert(reference) }
        return text
    }

    /// Removes an item that was read, by its persistent reference.
    ///
    /// An item that was not read is removed only if its service is known: items of its name may be another library's.
    public func remove(_ item: LegacyItem) throws(SessionStoreError) {
        var references = read.withLock { $0[item] } ?? []
        if item.service ?? service != nil, references.isEmpty { references = Set(try found(item).map(\.reference)) }
        for reference in references {
            var query = scope
            query[.persistentReference] = .data(reference)
            let status = calls.delete(query)
            guard status == .success || status == .itemNotFound else { throw status.fault("remove an older item") }
        }
        read.withLock { $0[item] = nil }
    }

    // MARK: Finding

    private struct Found {
        var service: String
        var reference: Data
    }

    /// The attributes common to every call.
    private var scope: KeychainCalls.Attributes {
        var scope: KeychainCalls.Attributes = [.itemClass: .constant(.genericPassword)]
        if usesDataProtectionKeychain { scope[.usesDataProtectionKeychain] = .flag(true) }
        return scope
    }

    private func reference(of item: LegacyItem) throws(SessionStoreError) -> Data? {
        let found = try found(item)
        guard item.service ?? service == nil else { return found.first?.reference }
        let own = found.filter(\.service.isEmpty)
        guard own.isEmpty else { return own.first?.reference }
        guard found.count <= 1 else {
            let reason = "several keychain items are named \(item.key); give the service of the app's own item"
            throw SessionStoreError(.damaged, reason)
        }
        return found.first?.reference
    }

    /// The items of a name.
    ///
    /// Some widely used libraries write the account as data, and a query finds only what was written in the same way.
    private func found(_ item: LegacyItem) throws(SessionStoreError) -> [Found] {
        var found: [Found] = []
        for account in [KeychainValue.text(item.key), .data(Data(item.key.utf8))] {
            var query = scope
            query[.account] = account
            query[.synchronizable] = .flag(item.isSynchronizable)
            query[.service] = (item.service ?? service).map { .text($0) }
            query[.accessGroup] = accessGroup.map { .text($0) }
            query[.matchLimit] = .constant(.matchLimitAll)
            query[.returnsAttributes] = .flag(true)
            query[.returnsPersistentReference] = .flag(true)
            let (status, items) = calls.copyMatching(query)
            if status == .itemNotFound { continue }
            guard status == .success else { throw status.fault("find an older item") }
            for item in items {
                guard let reference = item[.persistentReference]?.data else { continue }
                var service = ""
                switch item[.service] {
                case .text(let text): service = text
                case .data(let data): service = String(decoding: data, as: UTF8.self)
                default: break
                }
                if !found.contains(where: { $0.reference == reference }) {
                    found.append(Found(service: service, reference: reference))
                }
            }
        }
        return found
    }

    /// Only a device that was unlocked since its start opens the marker, or makes it.
    private func verifyAbsence() throws(SessionStoreError) {
        guard let marker else { return }
        switch marker.state() {
        case .readable, .unsupported: return
        case .missing, .locked: break
        }
        do throws(SessionStoreError) { try marker.make() } catch {
            if error.kind == .locked { throw .hidden }
        }
    }

    /// Tokens are of ASCII, so UTF-16 shows by its zeros, if not by a mark in front.
    static func text(_ data: Data) -> String? {
        let bytes = [UInt8](data)
        let isMarked = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        let encoding: String.Encoding =
            if isMarked {
                .utf16
            } else if bytes.count.isMultiple(of: 2), bytes.contains(0) {
                bytes.first == 0 ? .utf16BigEndian : .utf16LittleEndian
            } else {
                .utf8
            }
        return String(data: data, encoding: encoding)
    }
}
