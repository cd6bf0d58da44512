// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension ServerDefinition {
    init?(_ cursor: DecodingCursor, _ endpoints: [EndpointName: Endpoint]) {
        let keys = ["rotation", "lifetimes", "accepts", "replies", "resources", "errors"]
        guard let fields = cursor.fields(keys) else { return nil }
        // Alternatives are decoded first, with the client's vocabulary, because the client writes requests.
        let alternatives = fields["accepts"].map { Self.readAlternatives($0, endpoints) } ?? [:]
        // The server fills the templates of responses, with its own vocabulary.
        let before = cursor.log.vocabulary
        cursor.log.vocabulary = .server
        defer { cursor.log.vocabulary = before }
        let rotation = fields.required("rotation")?.choice(of: Rotation.self)
        self.init(rotation: rotation ?? .plain)
        self.alternatives = alternatives
        if let times = fields["lifetimes"]?.fields(["access", "idle", "absolute"]) {
            lifetimes.access = times["access"]?.seconds()
            lifetimes.idle = times["idle"]?.seconds()
            lifetimes.absolute = times["absolute"]?.seconds()
        }
        readReplies(fields["replies"])
        resources = fields["resources"]?.items()?.compactMap(Resource.init) ?? []
        for (text, cursor) in fields["errors"]?.members() ?? [] {
            if let refusal = Refusal(rawValue: text) {
                refusals[refusal] = Answer(cursor)
            } else {
                let known = Refusal.allCases.map(\.rawValue).joined(separator: ", ")
                cursor.unknown("There is no error \(text.quoted); those are \(known).")
            }
        }
        if rotation == nil { return nil }
    }

    private static func readAlternatives(
        _ cursor: DecodingCursor,
        _ endpoints: [EndpointName: Endpoint]
    ) -> [EndpointName: [Endpoint]] {
        var alternatives: [EndpointName: [Endpoint]] = [:]
        for (text, cursor) in cursor.members() ?? [] {
            guard let name = EndpointName(text), let endpoint = endpoints[name] else {
                cursor.diagnose(
                    "There is no endpoint \(text.quoted) in 'endpoints' that could be sent in another form."
                )
                continue
            }
            alternatives[name] = cursor.items()?.compactMap { Endpoint($0, insteadOf: endpoint) }
        }
        return alternatives
    }

    private mutating func readReplies(_ cursor: DecodingCursor?) {
        for (text, cursor) in cursor?.members() ?? [] {
            let name = text == "login" ? EndpointName.password : EndpointName(text)
            guard let name else {
                cursor.unknown("There is no endpoint \(text.quoted) to reply to; 'login' stands for all sign-ins.")
                continue
            }
            let answer = Answer(cursor)
            if replies[name] != nil {
                cursor.diagnose("'login' and 'login.password' are the same reply; one of them must go.")
            }
            replies[name] = answer
        }
    }
}

extension ServerDefinition.Answer {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["status", "json", "headers"]) else { return nil }
        self.init()
        if let status = fields["status"] {
            if case .number(let number) = status.value, let code = number.int, (200...599).contains(code) {
                self.status = code
            } else {
                status.diagnose("A status is a number from 200 to 599.")
            }
        }
        json = fields["json"]?.jsonTemplate()
        headers = fields["headers"]?.headers() ?? []
    }
}

extension ServerDefinition.Resource {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["method", "path", "reply", "profile"]) else { return nil }
        let path = fields.required("path")?.text()
        let reply = fields.required("reply").flatMap(ServerDefinition.Answer.init)
        let method = fields["method"].map { $0.method() } ?? "GET"
        if path?.hasPrefix("/") == false { fields["path"]?.diagnose("A path begins with '/'.") }
        guard let path, let reply, let method else { return nil }
        self.init(method: method, path: path, reply: reply, profile: fields["profile"]?.jsonTemplate())
        guard let profile else { return }
        if method == "GET" { fields["profile"]?.diagnose("A GET request has no body.") }
        if !profile.names.contains("username"), !profile.names.contains("name") {
            fields["profile"]?.diagnose("A profile's template has a place for '$username' or '$name'.")
        }
    }
}
