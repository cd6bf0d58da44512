// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The keychain items of an older version of the app, for ``Session/importSession(from:)``.
///
/// Texts in UTF-8 and in UTF-16 are read, and keys that were written as text or as data.
public struct KeychainItems: LegacyItems {
    private let calls: KeychainCalls
    private let service: String?
    private let accessGroup: String?
    private let usesDataProtectionKeychain: Bool
    private let marker: InstallationMarker?

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
    public func text(of item: LegacyItem) throws(StoreUnavailable) -> String? {
        for var query in queries(item) {
            query[.matchLimit] = .constant(.matchLimitOne)
            query[.returnsData] = .flag(true)
            let (status, items) = calls.copyMatching(query)
            if status == .itemNotFound { continue }
            guard status == .success else { throw status.fault("read an older item") }
            guard let data = items.first?[.valueData]?.data, let text = Self.text(data) else {
                throw StoreUnavailable(.damaged, "an older keychain item holds no text")
            }
            return text
        }
        try vouchForAbsence()
        return nil
    }

    /// Removes an item, if there is one.
    public func remove(_ item: LegacyItem) throws(StoreUnavailable) {
        for query in queries(item) {
            let status = calls.delete(query)
            guard status == .success || status == .itemNotFound else { throw status.fault("remove an older item") }
        }
    }

    /// Some widely used libraries write the account as data, and a query finds only what was written in the same way.
    private func queries(_ item: LegacyItem) -> [KeychainCalls.Attributes] {
        [.text(item.key), .data(Data(item.key.utf8))].map { (account: KeychainValue) in
            var query: KeychainCalls.Attributes = [
                .itemClass: .constant(.genericPassword), .account: account,
                .synchronizable: .flag(item.isSynchronizable),
            ]
            query[.service] = (item.service ?? service).map { .text($0) }
            query[.accessGroup] = accessGroup.map { .text($0) }
            if usesDataProtectionKeychain { query[.usesDataProtectionKeychain] = .flag(true) }
            return query
        }
    }

    /// Only a device that was unlocked since its start opens the marker, or makes it.
    private func vouchForAbsence() throws(StoreUnavailable) {
        guard let marker, marker.state() != .readable else { return }
        do throws(StoreUnavailable) { try marker.make() } catch {
            if error.kind == .denied { throw .hidden }
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
