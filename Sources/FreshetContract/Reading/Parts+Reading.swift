// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Spot {
    func named() -> [NamedTemplate] {
        members()?.compactMap { name, spot in spot.template().map { NamedTemplate(name: name, template: $0) } } ?? []
    }

    /// Headers, whose names must be such (RFC 9110 section 5.1).
    func headers() -> [NamedTemplate] {
        for (name, spot) in members() ?? [] where !Self.isToken(name) { spot.mistake("'\(name)' is no header's name.") }
        return named()
    }

    func headerName() -> String? {
        guard let name = text() else { return nil }
        if !Self.isToken(name) { mistake("'\(name)' is no header's name.") }
        return Self.isToken(name) ? name : nil
    }

    func method() -> String? {
        guard let method = text() else { return nil }
        let isMethod = method.allSatisfy { $0.isASCII && $0.isUppercase }
        if !isMethod { mistake("'\(method)' is no method; methods are written in capitals.") }
        return isMethod ? method : nil
    }

    func pathTemplate() -> Template? {
        guard let template = template() else { return nil }
        if case .text(let start)? = template.parts.first, start.hasPrefix("/"), !start.contains("?") { return template }
        mistake("A path begins with '/' and has no query; that has a key of its own.")
        return nil
    }

    func unit(_ units: [ExpirySource.Unit]) -> ExpirySource.Unit? {
        guard let unit = choice(of: ExpirySource.Unit.self) else { return nil }
        if units.contains(unit) { return unit }
        mistake("Here the unit is one of \(units.map { "'\($0.rawValue)'" }.joined(separator: ", ")).")
        return nil
    }

    private static func isToken(_ text: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~")
        return !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
    }
}

extension Attachment {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["header", "scheme", "headers", "hosts"]) else { return nil }
        self.init()
        header = fields["header"]?.headerName() ?? header
        scheme = fields["scheme"]?.string() ?? scheme
        headers = fields["headers"]?.headers() ?? []
        hosts = fields["hosts"]?.items()?.compactMap { $0.text() } ?? []
    }
}

extension Endpoint {
    init?(_ spot: Spot) {
        let keys = [
            "method", "path", "query", "headers", "cookies", "basic", "json", "form", "contentType", "attach",
            "timeout",
        ]
        guard let fields = spot.fields(keys), let path = fields.required("path")?.pathTemplate() else { return nil }
        self.init(path: path)
        method = fields["method"]?.method() ?? method
        query = fields["query"]?.named() ?? []
        headers = fields["headers"]?.headers() ?? []
        cookies = fields["cookies"]?.named() ?? []
        if let pair = fields["basic"]?.items() {
            if pair.count == 2, let user = pair[0].template(), let password = pair[1].template() {
                basic = Basic(user: user, password: password)
            } else {
                fields["basic"]?.mistake("A list of two templates is expected here: user and password.")
            }
        }
        switch fields.only(of: ["json", "form"]) {
        case ("json", let spot)?: body = spot.jsonTemplate().map(Body.json) ?? .none
        case (_, let spot)?: body = .form(spot.named())
        case nil: break
        }
        contentType = fields["contentType"]?.text()
        attachesAccessToken = fields["attach"]?.bool() ?? false
        timeout = fields["timeout"]?.seconds()
        if let timeout, timeout < 1 { fields["timeout"]?.mistake("A timeout is at least one second.") }
        if body != .none, method == "GET" || method == "HEAD" { spot.mistake("A \(method) request has no body.") }
    }
}

extension Selector {
    init?(_ spot: Spot) {
        guard let text = spot.string() else { return nil }
        guard let selector = Selector(text) else {
            spot.mistake("'\(text)' names no place; write '/pointer', 'header:Name' or 'cookie:Name'.")
            return nil
        }
        self = selector
    }

    static func list(_ spot: Spot) -> [Selector] { spot.oneOrMore().compactMap { Selector($0) } }
}

extension ReplyShape {
    private static let keys = [
        "encoding", "success", "envelope", "anyCasing", "access", "refresh", "session", "tokenType", "user", "attempt",
        "expiry", "expiryBounds", "refreshExpiry",
    ]

    init?(_ spot: Spot) {
        guard let fields = spot.fields(Self.keys) else { return nil }
        self.init()
        encoding = fields["encoding"]?.choice() ?? encoding
        success = fields["success"].map(Condition.list) ?? []
        envelope = fields["envelope"]?.oneOrMore().compactMap(Self.pointer) ?? []
        anyCasing = fields["anyCasing"]?.bool() ?? false
        access = fields["access"].map(Selector.list) ?? []
        refresh = fields["refresh"].map(Selector.list) ?? []
        session = fields["session"].map(Selector.list) ?? []
        tokenType = fields["tokenType"].map(Selector.list) ?? []
        attempt = fields["attempt"].map(Selector.list) ?? []
        if let user = fields["user"]?.fields(["id", "email"]) {
            userID = user["id"].map(Selector.list) ?? []
            email = user["email"].map(Selector.list) ?? []
        }
        expiry = fields["expiry"]?.items()?.compactMap(ExpirySource.init) ?? []
        if let bounds = fields["expiryBounds"]?.fields(["min", "max"]) {
            let least = bounds["min"]?.seconds() ?? 0, most = bounds["max"]?.seconds() ?? 315_360_000
            if least <= most { expiryBounds = least...most } else { bounds.spot.mistake("'min' is more than 'max'.") }
        }
        if let end = fields["refreshExpiry"]?.fields(["sources", "extends"]),
            let sources = end.required("sources")?.items(), let extends = end.required("extends")?.bool()
        {
            refreshExpiry = RefreshExpiry(sources: sources.compactMap(ExpirySource.init), extends: extends)
        }
    }

    private static func pointer(_ spot: Spot) -> JSONPointer? {
        guard let text = spot.string() else { return nil }
        if let pointer = JSONPointer(text) { return pointer }
        spot.mistake("'\(text)' is no JSON pointer; it begins with '/' or is empty.")
        return nil
    }
}

extension ExpirySource {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["in", "at", "unit", "since", "jwt", "assume"]),
            let (key, source) = fields.only(of: ["in", "at", "jwt", "assume"])
        else {
            if spot.value.object != nil {
                spot.mistake("One of 'in', 'at', 'jwt' and 'assume' says where the time is.")
            }
            return nil
        }
        switch key {
        case "in":
            guard let place = Selector(source) else { return nil }
            let unit = fields["unit"].map { $0.unit([.seconds, .milliseconds]) } ?? .seconds
            guard let unit else { return nil }
            self = .lifetime(place, unit, since: fields["since"].flatMap { Selector($0) })
        case "at":
            guard let place = Selector(source), let unit = fields.required("unit")?.unit(Unit.allCases) else {
                return nil
            }
            self = .instant(place, unit)
        case "jwt":
            if source.string() != "exp" { source.mistake("The only claim that says when a token ends is 'exp'.") }
            self = .token
        default:
            guard let seconds = source.seconds() else { return nil }
            self = .assumed(seconds)
        }
    }
}

extension Condition {
    static func list(_ spot: Spot) -> [Condition] { spot.oneOrMore().compactMap(Condition.init) }

    init?(_ spot: Spot) {
        let tests = ["equals", "oneOf", "contains", "exists"]
        guard let fields = spot.fields(["at"] + tests) else { return nil }
        guard let place = fields.required("at").flatMap({ Selector($0) }) else { return nil }
        guard let (key, value) = fields.only(of: tests) else {
            spot.mistake("One of \(tests.joined(separator: ", ")) says what is tested.")
            return nil
        }
        switch key {
        case "equals": self.init(place, .oneOf([value.value]))
        case "oneOf":
            guard let items = value.items() else { return nil }
            if items.isEmpty { value.mistake("An empty list never holds.") }
            self.init(place, .oneOf(items.map(\.value)))
        case "contains":
            guard let text = value.text() else { return nil }
            self.init(place, .contains(text))
        default:
            guard let exists = value.bool() else { return nil }
            self.init(place, .exists(exists))
        }
    }
}
