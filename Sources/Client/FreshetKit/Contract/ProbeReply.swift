// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
package import FreshetContract
internal import FreshetWire

/// An answer, and everything that a contract reads in it.
package struct ProbeReply: Sendable, Masked {
    /// How the contract read it.
    package let channel: ClassificationRule.Channel
    package let outcome: Outcome
    /// The rule of the contract's own that decided, as an index of `classify`; `nil` if one did that holds for every backend.
    package let rule: Int?
    /// What the error selectors of the contract find.
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
    /// Whether it is a page for people.
    package var isPage: Bool { answer.isPage }

    /// How far the server's clock is ahead of this machine's, in seconds; its `Date` header has whole seconds.
    package var clockSkew: Double? {
        guard let server = answer.serverTime else { return nil }
        let earliest = sentAt.timeIntervalSince1970
        let latest = receivedAt.timeIntervalSince1970
        if server > latest { return server - latest }
        // Half a second and everything below is cut off.
        return server + 1 < earliest ? server + 1 - earliest : 0
    }

    /// The server's clock at its answer, or this machine's if the answer does not tell.
    package var serverTime: Double { answer.serverTime ?? receivedAt.timeIntervalSince1970 }

    /// The tokens in an answer that was classified as delivered.
    ///
    /// - Throws: What the answer lacks, without a secret.
    package func tokens() throws(Unreadable) -> Tokens {
        do throws(ContractFault) {
            let grant = try contract.grant(from: answer)
            return Tokens(access: grant.accessToken, refresh: grant.refreshToken, lifetime: grant.lifetime.inSeconds)
        } catch {
            throw Unreadable(reason: error.message)
        }
    }

    /// Which attempt to sign in by a code it is about.
    package func attempt() throws(Unreadable) -> String {
        do throws(ContractFault) { return try contract.attempt(from: answer).id } catch {
            throw Unreadable(reason: error.message)
        }
    }

    /// What each of the contract's sources says about the access token's life, in their order.
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

    /// A member in which backends usually put an access token's life, if it is there and no source of the contract speaks.
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

    /// How long an access token lives by its own account, if it is a JWT.
    package func claimedLifetime(of accessToken: String) -> Double? {
        JWTTimes(accessToken)?.lifetime(serverTime: answer.serverTime)
    }

    /// Tokens as they came.
    package struct Tokens: Sendable, Equatable, Masked {
        package var access: String
        package var refresh: String?
        /// How long the access token lives as the client reckons, in seconds.
        package var lifetime: Double

        package init(access: String, refresh: String?, lifetime: Double) {
            self.access = access
            self.refresh = refresh
            self.lifetime = lifetime
        }

        package var mask: String { "Tokens(•••)" }

        /// When the access token says that it was issued, if it is a JWT.
        package var issuedAt: Double? { JWTTimes(access)?.issuedAt }
    }

    /// Why tokens cannot be read.
    package struct Unreadable: Error { package var reason: String }
}

/// What one of a contract's sources says about a token's life.
package struct ExpiryClaim: Sendable, Equatable {
    package let source: ExpirySource
    /// In seconds; `nil` if it says nothing.
    package let seconds: Double?

    package init(_ source: ExpirySource, _ seconds: Double?) {
        self.source = source
        self.seconds = seconds
    }
}

extension ExpirySource {
    /// Whether it is a place in the answer.
    package var isPlace: Bool {
        switch self {
        case .lifetime, .instant: true
        case .token, .assumed: false
        }
    }
}
