// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that lifetimes, refresh times and bounds are consistent.
    mutating func checkTimes() {
        let policy = document.policy
        for (path, lifetime) in lifetimes {
            if let time = policy.refreshBefore, time >= lifetime {
                error(
                    "$.policy.refreshBefore",
                    "A token that lives \(lifetime.shown) s (\(path)) cannot be refreshed \(time.shown) s before its expiry.",
                    "Keep it well below the lifetime; all times are in seconds."
                )
            }
            if let interval = policy.minimumInterval, interval >= lifetime {
                error(
                    "$.policy.minimumInterval",
                    "A token that lives \(lifetime.shown) s (\(path)) is over before it may be refreshed.",
                    "Keep the interval below the lifetime; all times are in seconds."
                )
            }
        }
        checkSources(document.reply.expiry, at: "$.reply.expiry")
        if document.reply.expiry.isEmpty {
            warning(
                "$.reply",
                "No source states when an access token expires: unless it is a JWT, only its refusal shows that it has expired.",
                "Add 'expiry': at least [{ \"jwt\": \"exp\" }], or an assumed lifetime."
            )
        }
        checkBounds()
        checkSessionEnd()
    }

    /// The lifetimes of access tokens that the contract states.
    private var lifetimes: [(path: String, seconds: Double)] {
        var all: [(String, Double)] = []
        for (index, source) in document.reply.expiry.enumerated() {
            if case .assumed(let seconds) = source { all.append(("$.reply.expiry[\(index)].assume", seconds)) }
        }
        if let bounds = document.reply.expiryBounds { all.append(("$.reply.expiryBounds.max", bounds.upperBound)) }
        if let seconds = document.server?.lifetimes.access { all.append(("$.server.lifetimes.access", seconds)) }
        return all
    }

    private mutating func checkSources(_ sources: [ExpirySource], at path: String, isHiding: Bool = false) {
        for (index, source) in sources.enumerated() {
            let place = JSONPath.item(path, index)
            if sources[..<index].contains(source) {
                warning(place, "This source is a duplicate of an earlier one.", "Remove it.")
                continue
            }
            guard case .assumed = sources[..<index].last(where: \.isAssumed) else { continue }
            if source.isAssumed {
                warning(
                    place,
                    "An earlier source assumes a lifetime already, so this one is never used.",
                    "Keep one of the two."
                )
            } else if isHiding {
                error(place, "An earlier source assumes a lifetime, so this one is never read.", "Put 'assume' last.")
            } else {
                warning(
                    place,
                    "An assumed lifetime is used only if no other source has a value, but it precedes this source.",
                    "Put 'assume' last."
                )
            }
        }
    }

    private mutating func checkBounds() {
        guard let bounds = document.reply.expiryBounds else { return }
        for (path, seconds) in lifetimes where !bounds.contains(seconds) && path != "$.reply.expiryBounds.max" {
            error(
                path,
                "\(seconds.shown) s are not within the bounds \(bounds.lowerBound.shown) to \(bounds.upperBound.shown) s "
                    + "that are believed.",
                "Mend the number or 'expiryBounds'."
            )
        }
    }

    private mutating func checkSessionEnd() {
        guard let end = document.reply.refreshExpiry else { return }
        if end.sources.isEmpty {
            error(
                "$.reply.refreshExpiry.sources",
                "No source states when the session ends, so 'extends' has no effect.",
                "Add a source, or remove 'refreshExpiry'."
            )
        }
        checkSources(end.sources, at: "$.reply.refreshExpiry.sources", isHiding: true)
    }
}

extension ExpirySource {
    fileprivate var isAssumed: Bool { if case .assumed = self { true } else { false } }
}

extension Double {
    /// The number in its shortest decimal form.
    var shown: String { JSONNumber(self).text }
}
