// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

extension KeyDirectory {
    /// Whether an operator gives the keys of a kind, to this server or to another one on the folder.
    func isExternal(_ kind: KeyKind) throws -> Bool {
        if let externalKeys { return !externalKeys.document.ids(of: kind).isEmpty }
        return try chains()[kind]?.isSupplied ?? false
    }

    /// Writes down which keys there are, so that servers on one folder agree on the one in use.
    ///
    /// Done when an operator gave other keys than before, and not each time: a server that still has the older ones must not
    /// undo what a newer one wrote.
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

    /// The keys of a kind are files of this folder, which they may not have been before.
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
