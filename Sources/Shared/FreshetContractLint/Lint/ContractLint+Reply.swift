// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that the places of values in a token response are consistent.
    mutating func checkReply() {
        let reply = document.reply
        for place in reply.access where reply.refresh.contains(place) {
            error(
                "$.reply.refresh",
                "Access token and refresh token are both read from '\(place)'.",
                "Give the place of each."
            )
        }
        if !reply.tokenType.isEmpty, document.requestAuthorization.scheme.isEmpty {
            error(
                "$.reply.tokenType",
                "The token type must equal the scheme of requests, which is empty.",
                "Remove 'tokenType', or give the scheme under 'attach'."
            )
        }
        checkEnvelope()
        if reply.encoding == .form {
            for (path, place) in places where place.depth > 1 {
                warning(
                    path,
                    "A form has no nested members, so '\(place)' matches nothing in one.",
                    "Name the field."
                )
            }
        }
        checkAttempt()
    }

    private mutating func checkEnvelope() {
        let envelope = document.reply.envelope
        // If the root is one of the candidates, a place may be correct with or without the envelope.
        guard !envelope.isEmpty, envelope.allSatisfy({ !$0.tokens.isEmpty }) else { return }
        for (path, place) in places {
            guard case .pointer(let pointer) = place,
                let outer = envelope.first(where: { pointer.tokens.starts(with: $0.tokens) })
            else { continue }
            warning(
                path,
                "'\(pointer)' is looked for inside the envelope '\(outer)', and names the envelope again.",
                "Begin the place at the envelope."
            )
        }
    }

    private mutating func checkAttempt() {
        let verify = document.endpoints[.codeVerify]
        if document.endpoints[.code] != nil, verify == nil {
            error(
                Self.path(.code),
                "Codes are requested, but no endpoint accepts them.",
                "Add 'login.code.verify'."
            )
        }
        if let verify, verify.names.contains("attempt"), document.reply.attempt.isEmpty {
            error(
                Self.path(.codeVerify),
                "It sends the attempt, but no response contains it.",
                "Give its place in the response to 'login.code' under 'attempt' of 'reply'."
            )
        }
    }

    /// The places that are relative to the envelope.
    private var places: [(path: String, place: Selector)] {
        let reply = document.reply
        let lists: [(String, [Selector])] = [
            ("access", reply.access), ("refresh", reply.refresh), ("session", reply.session),
            ("tokenType", reply.tokenType), ("user.id", reply.users.compactMap(\.place)), ("user.email", reply.email),
            ("user.username", reply.username), ("user.name", reply.name), ("user.isNew", reply.isNewUser),
            ("user.hasProfile", reply.hasProfile), ("attempt", reply.attempt),
        ]
        return lists.flatMap { key, places in places.map { ("$.reply.\(key)", $0) } }
    }
}

extension Selector {
    fileprivate var depth: Int { if case .pointer(let pointer) = self { pointer.tokens.count } else { 0 } }
}
