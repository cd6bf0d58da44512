// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

extension Contract {
    /// Reads the grant out of an answer that was classified as delivered.
    func grant(from answer: HTTPReply) throws(ContractFault) -> SessionGrant {
        let reply = document.reply
        var reader = ReplyReader(answer, reply)
        guard let accessToken = try reader.token(reply.access, "access token") else {
            throw ContractFault("the answer holds no access token")
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
        // A word of our own protocol, at its own place.
        if isConfirmed, let place = Selector("/refresh_after"), let hint = reader.value([place])?.double, hint > 0 {
            grant.refreshAfter = Self.bounded(hint)
        }
        if let end = reply.refreshExpiry {
            // Some backends write 0 for "no end".
            let lifetime = seconds(end.sources, &reader, of: grant.refreshToken).flatMap { $0 > 0 ? $0 : nil }
            grant.sessionLifetime = lifetime.map(Self.bounded)
            grant.isSessionExtended = end.extends
        }
        return try withGeneration(grant)
    }

    /// Reads what the answer that brought a grant says about the user.
    func result(of answer: HTTPReply, _ grant: SessionGrant) -> SignInResult {
        var reader = ReplyReader(answer, document.reply)
        return reader.signInResult(for: grant)
    }

    /// Reads which attempt to sign in by a code an answer is about, and how long the code lives.
    func attempt(from answer: HTTPReply) throws(ContractFault) -> (id: String, lifetime: Duration) {
        let reply = document.reply
        var reader = ReplyReader(answer, reply)
        let id = reader.text(reply.attempt)
        guard id != nil || reply.attempt.isEmpty else {
            throw ContractFault("the answer to a request for a code cannot be read")
        }
        let lifetime = seconds(reply.expiry.filter { $0.isInAnswer }, &reader)
        return (id ?? "", Self.bounded(lifetime ?? 600))
    }

    /// Takes over tokens that the app got by itself.
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

    /// Takes over tokens that an older version of the app kept.
    func grant(from tokens: LegacyTokens, at now: Date) throws(ContractFault) -> SessionGrant {
        var grant = try grant(from: TokenGrant(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken))
        grant.lifetime = Self.bounded(tokens.lifetime(at: now))
        return grant
    }

    /// Our own refresh tokens say which session and generation they are of.
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

    /// Whose session it is, by every source of the contract that says so.
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

    /// The earliest expiry that the answer and the token state, or the one that the contract assumes, and its source.
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

    /// How long an access token lives if nothing says so.
    var assumedSeconds: Double {
        for source in document.reply.expiry { if case .assumed(let seconds) = source { return seconds } }
        return 300
    }

    /// What the first source that answers says, in seconds from the answer.
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

    /// Ten years bound what arithmetic on durations has to bear; less than a second is no time.
    ///
    /// A token that lives so short has expired when it comes, and is not refreshed at every call for that.
    private static func bounded(_ seconds: Double) -> Duration {
        seconds >= RefreshSchedule.shortestLifetime.inSeconds ? .bounded(seconds: seconds) : .zero
    }

    /// Refuses what must not stand in a header: anything but visible ASCII (RFC 6750 section 2.1, RFC 9110 section 5.5).
    private static func validated(_ text: String, _ what: String) throws(ContractFault) -> String {
        let isSound =
            !text.isEmpty && text.utf8.count <= 64 * 1024 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isSound else { throw ContractFault("the \(what) has characters that no header may have") }
        return text
    }
}

extension ExpirySource {
    /// Whether it is the answer that says it.
    fileprivate var isInAnswer: Bool {
        switch self {
        case .lifetime, .instant: true
        case .token, .assumed: false
        }
    }
}

extension ExpirySource.Unit {
    fileprivate func seconds(_ value: Double) -> Double { self == .milliseconds ? value / 1000 : value }

    /// An instant in seconds since 1970.
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
