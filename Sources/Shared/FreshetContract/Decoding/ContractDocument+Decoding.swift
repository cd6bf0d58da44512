// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension ContractDocument {
    /// The names that templates may use without a declaration in the contract.
    package static let builtInNames: Set<String> = [
        "refresh_token", "access_token", "intent", "email", "username", "password", "code", "attempt", "device",
        "identity_token", "nonce", "full_name", "id", "known_device",
    ]

    static let keys = [
        "$schema", "contract", "name", "title", "variables", "secrets", "endpoints", "reply", "rotation", "reuseGrace",
        "attach", "classify", "errors", "policy", "replay", "socket", "storage", "server", "facts",
    ]

    /// Decodes a contract file, and reports all errors in it.
    package init(reading text: some Sequence<UInt8>) throws(ContractDecodingError) {
        let value: JSONValue
        do throws(JSONParser.Fault) { value = try JSONParser.parse(text) } catch {
            throw ContractDecodingError(diagnostics: [
                .init(path: JSONPath.root, sentence: "This is not JSON: \(error).")
            ])
        }
        try self.init(value)
    }

    /// Decodes a contract from parsed JSON.
    package init(_ value: JSONValue) throws(ContractDecodingError) {
        let log = DecodingCursor.Log()
        let document = Self.read(DecodingCursor(value: value, path: JSONPath.root, log: log))
        guard let document, log.diagnostics.isEmpty else { throw ContractDecodingError(diagnostics: log.diagnostics) }
        self = document
    }

    private static func read(_ cursor: DecodingCursor) -> ContractDocument? {
        // The version decides whether unknown keys are errors, so it is decoded first.
        guard isKnownFormat(cursor), let fields = cursor.fields(keys) else { return nil }
        _ = fields.required("contract")
        let name = fields.required("name").flatMap(readName)
        var document = ContractDocument(name: name ?? "", title: fields["title"]?.text() ?? name ?? "")
        document.variables = readVariables(fields["variables"])
        document.secrets = readSecrets(fields["secrets"], besides: document.variables)
        // The names that templates may use must be known before the first template is read.
        cursor.log.vocabulary = vocabulary(document, fields)
        document.endpoints = readEndpoints(fields["endpoints"])
        if let reply = fields.required("reply") { document.reply = TokenResponseDefinition(reply) ?? document.reply }
        let rotation = fields.required("rotation")?.choice(of: Rotation.self)
        document.rotation = rotation ?? document.rotation
        document.reuseGrace = fields["reuseGrace"]?.seconds()
        document.requestAuthorization =
            fields["attach"].flatMap(RequestAuthorization.init) ?? document.requestAuthorization
        document.rules = fields["classify"]?.items()?.compactMap(ClassificationRule.init) ?? []
        document.readSmallParts(fields)
        document.socket = fields["socket"].flatMap(SocketDefinition.init)
        document.storage = fields["storage"].flatMap(StorageDefinition.init) ?? document.storage
        document.server = fields["server"].flatMap { ServerDefinition($0, document.endpoints) }
        document.facts =
            fields["facts"]?.members()?.compactMap { name, cursor in Fact(cursor).map { (name, $0) } } ?? []
        document.unknownKeys = cursor.log.unknownKeys
        if let rotation { check(rotation, fields) }
        return document
    }

    private static func isKnownFormat(_ cursor: DecodingCursor) -> Bool {
        guard let version = cursor.value.object?["contract"] else { return true }
        let format = Double(format)
        guard case .number(let number) = version, let version = number.double, format..<format + 1 ~= version else {
            let found = version.text.map { String($0.prefix(32)) } ?? version.mask
            cursor.diagnose("The format is \(found); this version reads format \(Self.format).")
            return false
        }
        cursor.log.allowsUnknownKeys = version > format
        return true
    }

    private mutating func readSmallParts(_ fields: DecodingFields) {
        if let errors = fields["errors"]?.fields(["code", "message"]) {
            errorCode = errors["code"].map(Selector.list) ?? []
            errorMessage = errors["message"].map(Selector.list) ?? []
        }
        if let policy = fields["policy"]?.fields(["refreshBefore", "minimumInterval"]) {
            self.policy.refreshBefore = policy["refreshBefore"]?.seconds()
            self.policy.minimumInterval = policy["minimumInterval"]?.seconds()
        }
        if let replay = fields["replay"]?.fields(["methods"]) {
            replayMethods = replay.required("methods")?.items().map { Set($0.compactMap { $0.method() }) }
        }
    }

    private static func readName(_ cursor: DecodingCursor) -> String? {
        guard let name = cursor.text() else { return nil }
        let isPlain = name.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
        if isPlain, name.first != "-" { return name }
        cursor.diagnose("A contract's name consists of a-z, 0-9 and '-', and does not begin with '-'.")
        return nil
    }
}
