// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The keychain items of an older version of the app, for ``AuthSession/importSession(from:)``.
///
/// Reads texts in UTF-8 and UTF-16, with keys that were stored as text or as data. Only items that were read are
/// removed.
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

    /// Returns the text of an item; `nil` only if it is certain that there is none.
    ///
    /// Without a service, it uses the item that has no service, or else the only item with this name.
    ///
    /// - Throws: ``SessionStoreError`` of the kind `damaged` if several items with this name have services: one may be
    ///   another library's, whose token must not be sent to this server. Specify the service then.
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
    /// An item that was not read is removed only if its service is known: an item with its name may belong to another
    /// library.
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

    /// The attributes that every call has.
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

    /// Returns the items with a name.
    ///
    /// Some widely used libraries store the account as data, and a query finds only items whose account was stored with
    /// the same type.
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

    /// Throws unless the marker can be opened or created, which requires an unlock of the device since its start.
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

    /// Decodes a text.
    ///
    /// Tokens are ASCII, so UTF-16 without a byte order mark is detected by its zero bytes. The zeros after a C string are
    /// left out.
    static func text(_ data: Data) -> String? {
        let bytes = [UInt8](data)
        let isMarked = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        let encoding: String.Encoding =
            if isMarked {
                .utf16
            } else if hasZeros(bytes, at: 0) {
                .utf16BigEndian
            } else if hasZeros(bytes, at: 1) {
                .utf16LittleEndian
            } else {
                .utf8
            }
        guard let text = String(data: data, encoding: encoding) else { return nil }
        return String(text.reversed().drop { $0 == "\0" }.reversed())
    }

    /// Whether every second byte of an even number is zero, from an index on.
    private static func hasZeros(_ bytes: [UInt8], at start: Int) -> Bool {
        bytes.count.isMultiple(of: 2) && stride(from: start, to: bytes.count, by: 2).allSatisfy { bytes[$0] == 0 }
    }
}
