// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

extension Contract {
    /// Extracts the grant from a response that was classified as delivered.
    func grant(from answer: HTTPReply) throws(ContractFault) -> SessionGrant {
        let reply = document.reply
        var reader = ReplyReader(answer, reply)
        guard let accessToken = try reader.token(reply.access, "access token") else {
            throw ContractFault("the response contains no access token")
        }
        if let type = reader.text(reply.tokenType),
            type.lowercased() != document.requestAuthorization.scheme.lowercased()
        {
            throw ContractFault("the token type is not \(document.requestAuthorization.scheme)")
        }
        let claims = UnverifiedJWT(accessToken)
        let expiry = expiry(of: claims, reply.expiry, &reader)
        var grant = SessionGrant(
            accessToken: try Self.validated(accessToken, "access token"),
            refreshToken: try reader.token(reply.refresh, "refresh token").map { token throws(ContractFault) in
                try Self.validated(token, "refresh token")
            },
            lifetime: expiry.lifetime,
            email: reader.text(reply.email)
        )
        grant.users = users(claims, &reader)
        grant.sessionID = reader.text(reply.session)
        grant.expirySource = expiry.source
        // A field of Freshet's own protocol, at a fixed place.
        if isConfirmed, let place = Selector("/refresh_after"), let hint = reader.value([place])?.double, hint > 0 {
            grant.refreshAfter = Self.bounded(hint)
        }
        if let end = reply.refreshExpiry {
            // Some backends send 0 for "no expiry".
            let lifetime = seconds(end.sources, &reader, of: grant.refreshToken).flatMap { $0 > 0 ? $0 : nil }
            grant.sessionLifetime = lifetime.map(Self.bounded)
            grant.isSessionExtended = end.extends
        }
        return try withGeneration(grant)
    }

    /// Extracts the user's fields from the response with a grant.
    func result(of answer: HTTPReply, _ grant: SessionGrant) -> SignInResult {
        var reader = ReplyReader(answer, document.reply)
        return reader.signInResult(for: grant)
    }

    /// Extracts the ID of an email-code sign-in attempt, and the code's lifetime.
    func attempt(from answer: HTTPReply) throws(ContractFault) -> (id: String, lifetime: Duration) {
        let reply = document.reply
        var reader = ReplyReader(answer, reply)
        let id = reader.text(reply.attempt)
        guard id != nil || reply.attempt.isEmpty else {
            throw ContractFault("the response to a request for a code cannot be read")
        }
        let lifetime = seconds(reply.expiry.filter { $0.isInAnswer }, &reader)
        return (id ?? "", Self.bounded(lifetime ?? 600))
    }

    /// Creates a grant from tokens that the app obtained.
    func grant(from tokens: TokenGrant) throws(ContractFault) -> SessionGrant {
        let claims = UnverifiedJWT(tokens.accessToken)
        let said = [
            tokens.expiresIn?.inSeconds, claims.map(JWTTimes.init)?.lifetime(serverTime: nil),
        ].compactMap(\.self).min()
        var grant = SessionGrant(
            accessToken: try Self.validated(tokens.accessToken, "access token"),
            refreshToken: try tokens.refreshToken.map { token throws(ContractFault) in
                try Self.validated(token, "refresh token")
            },
            lifetime: Self.bounded(said ?? assumedSeconds),
            userID: tokens.userID,
            email: tokens.email
        )
        grant.users += document.reply.users.compactMap { source in
            guard case .claim(let claim, nil) = source else { return nil }
            return claims?[claim]?.text.map { SessionGrant.User(id: $0, source: "\(source)", isInAnswer: false) }
        }
        if said != nil { grant.expirySource = said == tokens.expiresIn?.inSeconds ? .answer : .claim }
        return try withGeneration(grant)
    }

    /// Creates a grant from tokens that an older version of the app stored.
    func grant(from tokens: LegacyTokens, at now: Date) throws(ContractFault) -> SessionGrant {
        var grant = try grant(from: TokenGrant(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken))
        grant.lifetime = Self.bounded(tokens.lifetime(at: now))
        return grant
    }

    /// Adds the session and generation that Freshet's own refresh tokens contain.
    private func withGeneration(_ grant: SessionGrant) throws(ContractFault) -> SessionGrant {
        guard isConfirmed else { return grant }
        guard let token = try? RefreshToken(grant.refreshToken ?? "") else {
            throw ContractFault("the refresh token cannot be read")
        }
        guard grant.sessionID == nil || grant.sessionID == token.session.description else {
            throw ContractFault("the refresh token is for another session")
        }
        var grant = grant
        grant.sessionID = token.session.description
        grant.generation = token.generation
        return grant
    }

    /// Returns the session's user by each source of the contract that has a value.
    private func users(_ claims: UnverifiedJWT?, _ reader: inout ReplyReader) -> [SessionGrant.User] {
        var users: [SessionGrant.User] = []
        for source in document.reply.users {
            let id: String?
            switch source {
            case .place(let place): id = reader.text([place])
            case .claim(let claim, nil): id = claims?[claim]?.text
            case .claim(let claim, let place?): id = reader.text([place]).flatMap(UnverifiedJWT.init)?[claim]?.text
            }
            guard let id else { continue }
            let isInAnswer = if case .place = source { true } else { false }
            users.append(SessionGrant.User(id: id, source: "\(source)", isInAnswer: isInAnswer))
        }
        return users
    }

    /// Returns the earliest expiry in the response and the token, or else the contract's default, with its source.
    private func expiry(
        of claims: UnverifiedJWT?,
        _ sources: [ExpirySource],
        _ reader: inout ReplyReader
    ) -> (lifetime: Duration, source: AccessTokenReport.Source) {
        let stated = seconds(sources.filter { $0.isInAnswer }, &reader)
        let claimed = claims.map(JWTTimes.init)?.lifetime(serverTime: reader.answer.serverTime)
        let (earliest, source): (Double, AccessTokenReport.Source) =
            switch (stated, claimed) {
            case (let stated?, let claimed?): stated <= claimed ? (stated, .answer) : (claimed, .claim)
            case (let stated?, nil): (stated, .answer)
            case (nil, let claimed?): (claimed, .claim)
            case (nil, nil): (assumedSeconds, .assumed)
            }
        let bounds = document.reply.expiryBounds
        return (Self.bounded(bounds.map { min(max(earliest, $0.lowerBound), $0.upperBound) } ?? earliest), source)
    }

    /// The lifetime of an access token without an expiry.
    var assumedSeconds: Double {
        for source in document.reply.expiry { if case .assumed(let seconds) = source { return seconds } }
        return 300
    }

    /// Returns the value of the first source that has one, in seconds from the response.
    private func seconds(_ sources: [ExpirySource], _ reader: inout ReplyReader, of token: String? = nil) -> Double? {
        let now = reader.answer.serverTime
        for source in sources {
            let found: Double?
            switch source {
            case .lifetime(let place, let unit, let since):
                let start = since.flatMap { reader.value([$0])?.double }
                let passed = start.flatMap { start in now.map { $0 - start } } ?? 0
                found = reader.value([place])?.double.map { unit.seconds($0) - passed }
            case .instant(let place, let unit):
                let end = reader.value([place]).flatMap(unit.instant)
                found = end.map { $0 - (now ?? Date().timeIntervalSince1970) }
            case .token: found = token.flatMap(JWTTimes.init)?.lifetime(serverTime: now)
            case .assumed(let seconds): found = seconds
            }
            if let found, found.isFinite { return found }
        }
        return nil
    }

    /// A token with a shorter lifetime counts as expired when it is received.
    private static let shortestLifetime = Duration.seconds(1)

    /// Caps a lifetime at ten years, so that sums cannot overflow; less than a second counts as zero.
    ///
    /// A token with such a short lifetime counts as expired on arrival. The next refresh is then delayed, so that the
    /// session does not refresh at every call.
    private static func bounded(_ seconds: Double) -> Duration {
        seconds >= shortestLifetime.inSeconds ? .bounded(seconds: seconds) : .zero
    }

    /// Rejects a token with anything but visible ASCII (RFC 6750 section 2.1, RFC 9110 section 5.5).
    private static func validated(_ text: String, _ what: String) throws(ContractFault) -> String {
        let isSound =
            !text.isEmpty && text.utf8.count <= 64 * 1024 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isSound else { throw ContractFault("the \(what) has characters that are not allowed in a header") }
        return text
    }
}

extension ExpirySource {
    /// Whether the source is a field of the response.
    fileprivate var isInAnswer: Bool {
        switch self {
        case .lifetime, .instant: true
        case .token, .assumed: false
        }
    }
}

extension ExpirySource.Unit {
    fileprivate func seconds(_ value: Double) -> Double { self == .milliseconds ? value / 1000 : value }

    /// Returns an instant in seconds since 1970.
    func instant(_ value: JSONValue) -> Double? {
        switch self {
        case .seconds, .milliseconds: value.double.map(seconds)
        case .httpDate: value.text.flatMap(HTTPDate.secondsSince1970)
        case .iso8601: value.text.flatMap(Self.iso8601)
        }
    }

    private static func iso8601(_ text: String) -> Double? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return (try? style.parse(text))?.timeIntervalSince1970
    }
}
