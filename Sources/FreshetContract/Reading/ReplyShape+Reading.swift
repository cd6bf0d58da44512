// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Selector {
    init?(_ spot: Spot) {
        guard let text = spot.string() else { return nil }
        guard let selector = Selector(text) else {
            spot.mistake("\(text.quoted) names no place; write '/pointer', 'header:Name' or 'cookie:Name'.")
            return nil
        }
        self = selector
    }

    static func list(_ spot: Spot) -> [Selector] { spot.oneOrMore().compactMap { Selector($0) } }
}

extension ReplyShape {
    static let keys = [
        "encoding", "success", "envelope", "anyCasing", "access", "refresh", "session", "tokenType", "user", "attempt",
        "expiry", "expiryBounds", "refreshExpiry",
    ]

    init?(_ spot: Spot) {
        guard let fields = spot.fields(Self.keys) else { return nil }
        self.init()
        encoding = fields["encoding"]?.choice() ?? encoding
        success = fields["success"].map(Condition.list) ?? []
        envelope = fields["envelope"]?.oneOrMore().compactMap { $0.pointer() } ?? []
        anyCasing = fields["anyCasing"]?.bool() ?? false
        if fields["access"] == nil { spot.mistake("The key 'access' is missing: an answer must hold a token.") }
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

    /// Reads sources of the user's ID, or an object that has other facts of the user beside them.
    private mutating func readUser(_ spot: Spot?) {
        guard let spot else { return }
        guard let object = spot.value.object, object["jwt"] == nil else {
            users = UserSource.list(spot)
            return
        }
        guard let user = spot.fields(["id", "email", "username", "name", "isNew", "hasProfile"]) else { return }
        users = user["id"].map(UserSource.list) ?? []
        email = user["email"].map(Selector.list) ?? []
        username = user["username"].map(Selector.list) ?? []
        name = user["name"].map(Selector.list) ?? []
        isNewUser = user["isNew"].map(Selector.list) ?? []
        hasProfile = user["hasProfile"].map(Selector.list) ?? []
    }

    private static func bounds(_ spot: Spot) -> ClosedRange<Double>? {
        guard let fields = spot.fields(["min", "max"]) else { return nil }
        let least = fields["min"]?.seconds() ?? 0, most = fields["max"]?.seconds() ?? 315_360_000
        if least <= most { return least...most }
        spot.mistake("'min' is more than 'max'.")
        return nil
    }
}

extension ReplyShape.RefreshExpiry {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["sources", "extends"]) else { return nil }
        let sources = fields.required("sources")?.items()?.compactMap(ExpirySource.init)
        let extends = fields.required("extends")?.bool()
        guard let sources, let extends else { return nil }
        self.init(sources: sources, extends: extends)
    }
}
