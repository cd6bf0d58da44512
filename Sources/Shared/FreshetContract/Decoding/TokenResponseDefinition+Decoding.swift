// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Selector {
    init?(_ cursor: DecodingCursor) {
        guard let text = cursor.string() else { return nil }
        guard let selector = Selector(text) else {
            cursor.diagnose("\(text.quoted) names no place; write '/pointer', 'header:Name' or 'cookie:Name'.")
            return nil
        }
        self = selector
    }

    static func list(_ cursor: DecodingCursor) -> [Selector] { cursor.oneOrMore().compactMap { Selector($0) } }
}

extension TokenResponseDefinition {
    static let keys = [
        "encoding", "success", "envelope", "anyCasing", "access", "refresh", "session", "tokenType", "user", "attempt",
        "expiry", "expiryBounds", "refreshExpiry",
    ]

    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(Self.keys) else { return nil }
        self.init()
        encoding = fields["encoding"]?.choice() ?? encoding
        success = fields["success"].map(Condition.list) ?? []
        envelope = fields["envelope"]?.oneOrMore().compactMap { $0.pointer() } ?? []
        anyCasing = fields["anyCasing"]?.bool() ?? false
        if fields["access"] == nil { cursor.diagnose("The key 'access' is missing: an answer must hold a token.") }
        access = fields["access"].map(Selector.list) ?? []
        refresh = fields["refresh"].map(Selector.list) ?? []
        session = fields["session"].map(Selector.list) ?? []
        tokenType = fields["tokenType"].map(Selector.list) ?? []
        attempt = fields["attempt"].map(Selector.list) ?? []
        readUser(fields["user"])
        expiry = fields["expiry"]?.items()?.compactMap(ExpirySource.init) ?? []
        expiryBounds = fields["expiryBounds"].flatMap(Self.bounds)
        refreshExpiry = fields["refreshExpiry"].flatMap(RefreshExpiry.init)
    }

    /// Decodes sources of the user's ID, or an object with the ID and other fields of the user.
    private mutating func readUser(_ cursor: DecodingCursor?) {
        guard let cursor else { return }
        guard let object = cursor.value.object, object["jwt"] == nil else {
            users = UserSource.list(cursor)
            return
        }
        guard let user = cursor.fields(["id", "email", "username", "name", "isNew", "hasProfile"]) else { return }
        users = user["id"].map(UserSource.list) ?? []
        email = user["email"].map(Selector.list) ?? []
        username = user["username"].map(Selector.list) ?? []
        name = user["name"].map(Selector.list) ?? []
        isNewUser = user["isNew"].map(Selector.list) ?? []
        hasProfile = user["hasProfile"].map(Selector.list) ?? []
    }

    private static func bounds(_ cursor: DecodingCursor) -> ClosedRange<Double>? {
        guard let fields = cursor.fields(["min", "max"]) else { return nil }
        let least = fields["min"]?.seconds() ?? 0, most = fields["max"]?.seconds() ?? 315_360_000
        if least <= most { return least...most }
        cursor.diagnose("'min' is more than 'max'.")
        return nil
    }
}

extension TokenResponseDefinition.RefreshExpiry {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["sources", "extends"]) else { return nil }
        let sources = fields.required("sources")?.items()?.compactMap(ExpirySource.init)
        let extends = fields.required("extends")?.bool()
        guard let sources, let extends else { return nil }
        self.init(sources: sources, extends: extends)
    }
}
