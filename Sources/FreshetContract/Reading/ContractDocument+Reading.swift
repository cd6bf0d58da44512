// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension ContractDocument {
    /// The names that templates may use without the contract declaring them.
    package static let builtInNames: Set<String> = [
        "refresh_token", "access_token", "intent", "email", "username", "password", "code", "attempt", "device",
        "identity_token", "nonce", "id",
    ]

    static let keys = [
        "$schema", "contract", "name", "title", "variables", "secrets", "endpoints", "reply", "rotation", "reuseGrace",
        "attach", "classify", "errors", "policy", "replay", "socket", "storage", "server", "facts",
    ]

    /// Reads a contract file, and finds every mistake in it.
    package init(reading text: some Sequence<UInt8>) throws(ContractMistakes) {
        let value: JSONValue
        do throws(JSONReader.Fault) { value = try JSONReader.read(text) } catch {
            throw ContractMistakes(mistakes: [.init(path: "$", sentence: "This is no JSON: \(error).")])
        }
        try self.init(value)
    }

    /// Reads a contract that was parsed.
    package init(_ value: JSONValue) throws(ContractMistakes) {
        let log = Spot.Log()
        let document = Self.read(Spot(value: value, path: "$", log: log))
        guard let document, log.mistakes.isEmpty else { throw ContractMistakes(mistakes: log.mistakes) }
        self = document
    }

    private static func read(_ spot: Spot) -> ContractDocument? {
        // The version decides how strict the rest is, so it comes first.
        if let version = spot.value.object?["contract"] {
            guard case .number(let number) = version, let version = number.double,
                Int(version) == format, version >= Double(format)
            else {
                spot.mistake("The format is \(version.text ?? version.mask); this version reads format \(format).")
                return nil
            }
            spot.log.allowsUnknownKeys = version > Double(format)
        }
        guard let fields = spot.fields(keys) else { return nil }
        _ = fields.required("contract")
        let name = fields.required("name").flatMap(readName)
        var document = ContractDocument(name: name ?? "", title: fields["title"]?.text() ?? name ?? "")
        document.variables = readVariables(fields["variables"])
        document.secrets = readVariables(fields["secrets"])
        document.endpoints = readEndpoints(fields["endpoints"])
        if let reply = fields.required("reply") { document.reply = ReplyShape(reply) ?? document.reply }
        document.rotation = fields.required("rotation")?.choice() ?? .optional
        document.reuseGrace = fields["reuseGrace"]?.seconds()
        document.attachment = fields["attach"].flatMap(Attachment.init) ?? document.attachment
        document.rules = fields["classify"]?.items()?.compactMap(ClassificationRule.init) ?? []
        if let errors = fields["errors"]?.fields(["code", "message"]) {
            document.errorCode = errors["code"].map(Selector.list) ?? []
            document.errorMessage = errors["message"].map(Selector.list) ?? []
        }
        if let policy = fields["policy"]?.fields(["ahead", "minimumInterval"]) {
            document.policy.ahead = policy["ahead"]?.seconds() ?? document.policy.ahead
            document.policy.minimumInterval = policy["minimumInterval"]?.seconds()
        }
        if let replay = fields["replay"]?.fields(["methods"]) {
            document.replayMethods = replay.required("methods")?.items().map { Set($0.compactMap { $0.method() }) }
        }
        document.socket = fields["socket"].flatMap(SocketShape.init)
        document.storage = fields["storage"].flatMap(StorageShape.init) ?? document.storage
        document.server = fields["server"].flatMap(ServerShape.init)
        document.facts = fields["facts"]?.members()?.compactMap { name, spot in Fact(spot).map { (name, $0) } } ?? []
        document.unknownKeys = spot.log.unknownKeys
        document.checkWhole(fields)
        return document
    }

    private static func readName(_ spot: Spot) -> String? {
        guard let name = spot.text() else { return nil }
        let isPlain =
            name.allSatisfy { $0 == "-" || ($0.isASCII && ($0.isLowercase || $0.isNumber)) } && name.first != "-"
        if !isPlain { spot.mistake("A contract's name is of a-z, 0-9 and '-'.") }
        return isPlain ? name : nil
    }

    private static func readVariables(_ spot: Spot?) -> [String: Variable] {
        var variables: [String: Variable] = [:]
        for (name, spot) in spot?.members() ?? [] {
            if builtInNames.contains(name) { spot.mistake("'\(name)' has a meaning of its own; choose another name.") }
            guard let fields = spot.fields(["about", "default"]) else { continue }
            variables[name] = Variable(about: fields["about"]?.string(), defaultValue: fields["default"]?.string())
        }
        return variables
    }

    private static func readEndpoints(_ spot: Spot?) -> [EndpointName: Endpoint] {
        var endpoints: [EndpointName: Endpoint] = [:]
        for (text, spot) in spot?.members() ?? [] {
            guard let name = EndpointName(text) else {
                let known = EndpointName.others.map(\.text).joined(separator: ", ")
                spot.mistake("There is no endpoint '\(text)'. Sign-ins begin with 'login.', the others are \(known).")
                continue
            }
            endpoints[name] = Endpoint(spot)
        }
        return endpoints
    }

    /// What no single place can know.
    private func checkWhole(_ fields: Fields) {
        for name in variables.keys where secrets[name] != nil {
            fields["secrets"]?.mistake("'\(name)' is a variable as well; one of the two must go.")
        }
        for secret in secrets.values where secret.defaultValue != nil {
            fields["secrets"]?.mistake("A contract holds no secret, so a secret has no default.")
        }
        let declared = Self.builtInNames.union(variables.keys).union(secrets.keys)
        for (name, endpoint) in endpoints.sorted(by: { $0.key.text < $1.key.text }) {
            for unknown in endpoint.names where !declared.contains(unknown) {
                fields["endpoints"]?.mistake(
                    "'\(name)' asks for '\(unknown)', which is neither built in nor among the variables and secrets."
                )
            }
        }
        for unknown in attachment.headers.flatMap(\.template.names) where !declared.contains(unknown) {
            fields["attach"]?.mistake("'\(unknown)' is neither built in nor among the variables and secrets.")
        }
        if rotation != .none, endpoints[.refresh] == nil {
            fields.spot.mistake("Without an endpoint 'refresh' the rotation can only be 'none'.")
        }
        if rotation == .none, endpoints[.refresh] != nil {
            fields["rotation"]?.mistake("There is an endpoint 'refresh', so the rotation cannot be 'none'.")
        }
        if reply.access.isEmpty {
            fields["reply"]?.mistake("The key 'access' is missing: an answer must hold a token.")
        }
        if rotation == .always || rotation == .confirmed, reply.refresh.isEmpty {
            fields["reply"]?.mistake(
                "The rotation is '\(rotation.rawValue)', so 'refresh' must say where the token is."
            )
        }
        if rotation == .confirmed {
            for name in [EndpointName.confirm, .report, .logout] where endpoints[name] == nil {
                fields.spot.mistake("The rotation is 'confirmed', so there must be an endpoint '\(name)'.")
            }
        }
    }
}
