// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

extension KeyDirectory {
    /// Whether the keys of a kind are external, for this server or another one on the directory.
    func isExternal(_ kind: KeyKind) throws -> Bool {
        if let externalKeys { return !externalKeys.document.ids(of: kind).isEmpty }
        return try chains()[kind]?.isSupplied ?? false
    }

    /// Records the external keys, so that all servers on a directory agree on the current one.
    ///
    /// Records only changed keys: a server that still has the older ones must not undo the record of a server with
    /// newer ones.
    package func recordExternalKeys(now: Timestamp, activationDelay: Duration) throws {
        for kind in KeyKind.allCases {
            guard let document = externalKeys?.document, case let ids = document.ids(of: kind), !ids.isEmpty else {
                try reclaim(kind, now: now)
                continue
            }
            guard externalKeys?.isNew ?? false else { continue }
            try record(kind, now: now) { chain in
                chain = chain ?? KeySchedule(ids: ids, using: document.inUse[kind], now: now)
                chain?.follow(ids, using: document.inUse[kind], now: now, activationDelay: activationDelay)
            }
        }
        externalKeys?.markRecorded()
    }

    /// Marks the keys of a kind, which may have been external before, as files of this directory.
    private func reclaim(_ kind: KeyKind, now: Timestamp) throws {
        guard let chain = try chains()[kind], chain.isSupplied ?? false else { return }
        guard try Set(chain.members.map(\.id)).isSubset(of: fileIDs(of: kind)) else {
            throw IdentityStartupError.keys(
                "the \(kind.rawValue) keys came from FRESHET_KEYS or keys-command before, and are given by neither now"
            )
        }
        try record(kind, now: now) { $0?.takeBack() }
    }
}
