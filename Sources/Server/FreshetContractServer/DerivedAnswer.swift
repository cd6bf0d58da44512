// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract

extension ServerDefinition.Answer {
    /// Derives the response of an endpoint for which the contract defines none, so that the contract's clients
    /// understand it.
    static func derived(from contract: ContractDocument, for name: EndpointName) -> ServerDefinition.Answer {
        var builder = Builder()
        let reply = contract.reply
        let envelope = reply.envelope.first?.tokens ?? []
        for condition in reply.success {
            if case .pointer(let pointer) = condition.place, case .oneOf(let values) = condition.test,
                let value = values.first
            {
                builder.put(.constant(value), at: pointer.tokens)
            }
        }
        switch name {
        case .code:
            builder.put("attempt", at: reply.attempt.first, in: envelope)
            return builder.answer(status: 202)
        case .sessionList:
            builder.put("sessions", at: Selector("/sessions"), in: envelope)
        case .me:
            builder.put("user_id", at: Self.userID(reply) ?? Selector("/user/id"), in: envelope)
            builder.put("email", at: reply.email.first ?? Selector("/user/email"), in: envelope)
        case _ where name.isLogin || name == .refresh:
            builder.put("access_token", at: reply.access.first, in: envelope)
            builder.put("refresh_token", at: reply.refresh.first, in: envelope)
            builder.put("session_id", at: reply.session.first, in: envelope)
            builder.put("user_id", at: Self.userID(reply), in: envelope)
            builder.put("email", at: reply.email.first, in: envelope)
            if case .pointer(let pointer)? = reply.tokenType.first {
                builder.put(.constant(.string("Bearer")), at: envelope + pointer.tokens)
            }
            builder.put("expires_in", "expires_at", reply.expiry, envelope)
            builder.put("refresh_expires_in", nil, reply.refreshExpiry?.sources ?? [], envelope)
        default: break
        }
        return builder.answer(status: builder.isEmpty ? 204 : 200)
    }

    /// Returns the first place of the user's id in a response; access tokens always have it as `sub`.
    private static func userID(_ reply: TokenResponseDefinition) -> Selector? {
        for case .place(let place) in reply.users { return place }
        return nil
    }
}

/// Inserts templates at the places at which a contract's selectors read them.
private struct Builder {
    private var json: JSONTemplate?
    private var headers: [NamedTemplate] = []

    var isEmpty: Bool { json == nil && headers.isEmpty }

    func answer(status: Int) -> ServerDefinition.Answer {
        ServerDefinition.Answer(status: isEmpty && status == 200 ? 204 : status, json: json, headers: headers)
    }

    mutating func put(_ leaf: JSONTemplate, at tokens: [String]) { json = Self.adding(leaf, tokens[...], to: json) }

    mutating func put(_ name: String, at selector: Selector?, in envelope: [String]) {
        switch selector {
        case .pointer(let pointer)?:
            guard let template = try? Template("$\(name)") else { return }
            put(.text(template), at: envelope + pointer.tokens)
        case .header(let header)?:
            guard let template = try? Template("$\(name)") else { return }
            headers.append(NamedTemplate(name: header, template: template))
        case .cookie(let cookie)?:
            guard let template = try? Template("\(cookie)=${\(name)}; Path=/; HttpOnly; Secure; SameSite=Strict") else {
                return
            }
            headers.append(NamedTemplate(name: "Set-Cookie", template: template))
        case nil: break
        }
    }

    /// Inserts an expiry at the first of the contract's sources that is in seconds.
    mutating func put(_ span: String, _ instant: String?, _ sources: [ExpirySource], _ envelope: [String]) {
        for source in sources {
            switch source {
            case .lifetime(let place, .seconds, _): return put(span, at: place, in: envelope)
            case .instant(let place, .seconds):
                if let instant { return put(instant, at: place, in: envelope) }
            default: break
            }
        }
    }

    private static func adding(_ leaf: JSONTemplate, _ tokens: ArraySlice<String>, to tree: JSONTemplate?)
        -> JSONTemplate
    {
        guard let name = tokens.first else { return leaf }
        var members: [(name: String, value: JSONTemplate)] = []
        if case .object(let known)? = tree { members = known }
        let index = members.firstIndex { $0.name == name }
        let member = adding(leaf, tokens.dropFirst(), to: index.map { members[$0].value })
        if let index { members[index].value = member } else { members.append((name, member)) }
        return .object(members)
    }
}
