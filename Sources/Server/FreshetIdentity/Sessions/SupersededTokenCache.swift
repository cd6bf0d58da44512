// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire
import NIOConcurrencyHelpers

/// Records superseded refresh tokens, so that a repeated presentation does not wait for the writer.
///
/// It only decides whether a read precedes the write, and never the response: if two tokens share a slot, one of them
/// causes an unnecessary read.
package final class SupersededTokenCache: Sendable {
    private let slots = NIOLockedValueBox([Int](repeating: 0, count: 65_536))

    func insert(_ token: RefreshToken) {
        let hash = Self.hash(token)
        slots.withLockedValue { $0[Self.place(hash, $0.count)] = hash }
    }

    package func mayContain(_ token: RefreshToken) -> Bool {
        let hash = Self.hash(token)
        return slots.withLockedValue { $0[Self.place(hash, $0.count)] == hash }
    }

    private static func place(_ hash: Int, _ count: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(count)) }

    private static func hash(_ token: RefreshToken) -> Int {
        var hasher = Hasher()
        hasher.combine(token.session)
        hasher.combine(token.generation)
        return hasher.finalize()
    }
}
