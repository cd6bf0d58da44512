// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import FreshetWire
import NIOConcurrencyHelpers

/// Records superseded refresh tokens, so that a repeated presentation does not wait for the writer.
///
/// It only decides whether a read precedes the write, and never the response: if two tokens share a slot, one of them
/// causes an unnecessary read.
package final class SupersededTokenCache: Sendable {
    private let slots = NIOLockedValueBox(SparseTable(count: 65_536))

    func insert(_ token: RefreshToken) {
        let hash = Self.hash(token)
        slots.withLockedValue { $0[$0.place(of: hash)] = hash }
    }

    package func mayContain(_ token: RefreshToken) -> Bool {
        let hash = Self.hash(token)
        return slots.withLockedValue { $0[$0.place(of: hash)] == hash }
    }

    private static func hash(_ token: RefreshToken) -> Int {
        var hasher = Hasher()
        hasher.combine(token.session)
        hasher.combine(token.generation)
        return hasher.finalize()
    }
}
