// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
package import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// The current keys, reloaded from their directory, so that a change needs no restart.
package final class CurrentKeys: Sendable {
    package struct Material: Sendable {
        var signer: AccessTokenSigner
        package var verifier: AccessTokenVerifier
        var ring: TokenKeyRing
        /// The published keys: current, upcoming, and superseded ones whose tokens have not all expired.
        package var keySet: JSONWebKeySet
    }

    private let registry: KeyRegistry
    private let issuer: String
    private let audience: String
    /// The maximum lifetime of an access token, including a tolerance for differing clocks.
    private let maximumTokenLifetime: Duration
    private let material: NIOLockedValueBox<Material>

    package init(
        _ registry: KeyRegistry,
        issuer: String,
        audience: String,
        maximumTokenLifetime: Duration,
        now: Timestamp
    )
        throws
    {
        self.registry = registry
        self.issuer = issuer
        self.audience = audience
        self.maximumTokenLifetime = maximumTokenLifetime
        // Creates a key if there is none, and registers it afterwards.
        _ = try registry.folder.tokenKeyRing(now: now)
        let retired = try registry.register(now: now)
        material = NIOLockedValueBox(
            try Self.read(registry.folder, retired, issuer, audience, maximumTokenLifetime, now, nil)
        )
    }

    package var current: Material { material.withLockedValue { $0 } }

    /// Reloads the directory.
    ///
    /// - Returns: Whether the keys have changed.
    func reload(now: Timestamp) throws -> Bool {
        let old = current
        // Keys are registered before their use, because another server may have a different key with the same number.
        let retired = try registry.register(now: now)
        let new = try Self.read(registry.folder, retired, issuer, audience, maximumTokenLifetime, now, old)
        material.withLockedValue { $0 = new }
        return new.keySet != old.keySet || new.signer.keyID != old.signer.keyID
            || new.ring.currentID != old.ring.currentID
    }

    private static func read(
        _ folder: KeyDirectory,
        _ retired: Set<UInt8>,
        _ issuer: String,
        _ audience: String,
        _ maximumTokenLifetime: Duration,
        _ now: Timestamp,
        _ old: Material?
    ) throws -> Material {
        let files = try folder.signingKeysByID()
        let chain = try folder.chain(.signing, now: now)
        guard let current = files[chain.current] else { throw IdentityStartupError.unreadableKeyFile(folder.url.path) }
        let live = chain.members.filter { member in
            member.supersededAt.map { now - Timestamp(milliseconds: $0) <= maximumTokenLifetime } ?? true
        }
        let keys = live.compactMap { files[$0.id] }
        let keySet = JSONWebKeySet(keys: keys.map { JSONWebKey($0.publicKey) })
        // The verifier is reused while the keys are unchanged, because it caches the verified tokens.
        let verifier =
            try old.flatMap { $0.keySet == keySet ? $0.verifier : nil }
            ?? AccessTokenVerifier(keys: keys, issuer: issuer, audience: audience)
        return Material(
            signer: try AccessTokenSigner(key: current, issuer: issuer, audience: audience),
            verifier: verifier,
            ring: try folder.tokenKeyRing(now: now, retired: retired),
            keySet: keySet
        )
    }
}
