// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
package import FreshetContract
internal import FreshetWire

/// A response, and the values that a contract reads from it.
package struct ProbeReply: Sendable, Masked {
    /// The channel by which the contract classified it.
    package let channel: ClassificationRule.Channel
    package let outcome: Outcome
    /// The contract's rule that matched, as an index into `classify`; `nil` if a general rule matched.
    package let rule: Int?
    /// The values of the contract's error selectors.
    package let errorCode: String?
    package let errorMessage: String?
    private let answer: HTTPReply
    private let contract: Contract
    private let sentAt: Date
    private let receivedAt: Date

    init(_ answer: HTTPReply, _ contract: Contract, _ channel: ClassificationRule.Channel, from: Date, to: Date) {
        self.answer = answer
        self.contract = contract
        self.channel = channel
        sentAt = from
        receivedAt = to
        outcome = contract.classify(answer, on: channel)
        rule = contract.classifier.rule(for: answer, on: channel)?.index
        if case .refused(let code, let message) = contract.classifier.refusal(in: answer) {
            errorCode = code == "status_\(answer.status)" ? nil : code
            errorMessage = message
        } else {
            (errorCode, errorMessage) = (nil, nil)
        }
    }

    package var mask: String { "ProbeReply(\(answer.status), •••)" }

    package var status: Int { answer.status }
    package var isSuccess: Bool { (200...299).contains(answer.status) }
    package func header(_ name: String) -> String? { answer.header(name) }
    package var hasBody: Bool { !answer.body.isEmpty }
    /// Whether the body is an HTML page.
    package var isPage: Bool { answer.isPage }

    /// The server's clock offset from this machine's, in seconds; its `Date` header has whole seconds.
    package var clockSkew: Double? {
        guard let server = answer.serverTime else { return nil }
        let earliest = sentAt.timeIntervalSince1970
        let latest = receivedAt.timeIntervalSince1970
        if server > latest { return server - latest }
        // The `Date` header is truncated to whole seconds.
        return server + 1 < earliest ? server + 1 - earliest : 0
    }

    /// The server's time of the response, or this machine's if the response has none.
    package var serverTime: Double { answer.serverTime ?? receivedAt.timeIntervalSince1970 }

    /// Returns the tokens in a response that was classified as delivered.
    ///
    /// - Throws: The missing field, without secrets.
    package func tokens() throws(Unreadable) -> Tokens {
        do throws(ContractFault) {
            let grant = try contract.grant(from: answer)
            return Tokens(access: grant.accessToken, refresh: grant.refreshToken, lifetime: grant.lifetime.inSeconds)
        } catch {
            throw Unreadable(reason: error.message)
        }
    }

    /// Returns the ID of an email-code sign-in attempt.
    package func attempt() throws(Unreadable) -> String {
        do throws(ContractFault) { return try contract.attempt(from: answer).id } catch {
            throw Unreadable(reason: error.message)
        }
    }

    /// Returns the access token's lifetime by each of the contract's sources, in their order.
    package func expiryClaims(of accessToken: String) -> [ExpiryClaim] {
        var reader = ReplyReader(answer, contract.document.reply)
        return contract.document.reply.expiry.map { source in
            switch source {
            case .lifetime(let place, let unit, _):
                let number = reader.value([place])?.double
                return ExpiryClaim(source, number.map { unit == .milliseconds ? $0 / 1000 : $0 })
            case .instant(let place, let unit):
                return ExpiryClaim(source, reader.value([place]).flatMap(unit.instant).map { $0 - serverTime })
            case .token: return ExpiryClaim(source, claimedLifetime(of: accessToken))
            case .assumed(let seconds): return ExpiryClaim(source, seconds)
            }
        }
    }

    /// A common lifetime member that the contract does not read; `nil` if the contract found a lifetime.
    package var unreadLifetime: String? {
        let told = expiryClaims(of: "").contains { $0.seconds != nil && $0.source.isPlace }
        guard !told else { return nil }
        var shape = contract.document.reply
        shape.anyCasing = true
        var reader = ReplyReader(answer, shape)
        for name in ["expires_in", "expires_at", "expires"] {
            guard let place = JSONPointer("/\(name)") else { continue }
            if reader.value([.pointer(place)]) != nil { return "/\(name)" }
        }
        return nil
    }

    /// Returns an access token's lifetime by its own claims, if it is a JWT.
    package func claimedLifetime(of accessToken: String) -> Double? {
        JWTTimes(accessToken)?.lifetime(serverTime: answer.serverTime)
    }

    /// The tokens of a response.
    package struct Tokens: Sendable, Equatable, Masked {
        package var access: String
        package var refresh: String?
        /// The access token's lifetime as the client computes it, in seconds.
        package var lifetime: Double

        package init(access: String, refresh: String?, lifetime: Double) {
            self.access = access
            self.refresh = refresh
            self.lifetime = lifetime
        }

        package var mask: String { "Tokens(•••)" }

        /// The issue time in the access token; `nil` if it is not a JWT with an issue time.
        package var issuedAt: Double? { JWTTimes(access)?.issuedAt }
    }

    /// The reason that tokens cannot be read.
    package struct Unreadable: Error { package var reason: String }
}

/// A token's lifetime by one of the contract's sources.
package struct ExpiryClaim: Sendable, Equatable {
    package let source: ExpirySource
    /// The lifetime in seconds; `nil` if the source has no value.
    package let seconds: Double?

    package init(_ source: ExpirySource, _ seconds: Double?) {
        self.source = source
        self.seconds = seconds
    }
}

extension ExpirySource {
    /// Whether the source is a place in the response.
    package var isPlace: Bool {
        switch self {
        case .lifetime, .instant: true
        case .token, .assumed: false
        }
    }
}
