// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension DecodingCursor {
    func headerName() -> String? {
        guard let name = text() else { return nil }
        if !name.isHTTPToken { diagnose("\(name.quoted) is not a header name.") }
        return name.isHTTPToken ? name : nil
    }

    /// Decodes the authentication scheme before a token; the result is empty without a scheme.
    func scheme() -> String? {
        guard let scheme = string() else { return nil }
        if scheme.isEmpty || scheme.isHTTPToken { return scheme }
        diagnose("\(scheme.quoted) is not a scheme; a scheme is one word, or empty for none.")
        return nil
    }

    func method() -> String? {
        guard let method = text() else { return nil }
        let isMethod = method.allSatisfy { $0.isASCII && $0.isUppercase }
        if !isMethod { diagnose("\(method.quoted) is not a method; methods are written in capitals.") }
        return isMethod ? method : nil
    }
}

extension RequestAuthorization {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["header", "scheme", "headers", "hosts"]) else { return nil }
        self.init()
        header = fields["header"]?.headerName() ?? header
        scheme = fields["scheme"]?.scheme() ?? scheme
        headers = fields["headers"]?.headers() ?? []
        hosts = fields["hosts"]?.items()?.compactMap { $0.text() } ?? []
    }
}

extension Endpoint {
    static let keys = [
        "method", "path", "query", "headers", "cookies", "basic", "json", "form", "contentType", "attach", "timeout",
    ]

    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(Self.keys) else { return nil }
        let path = fields.required("path")?.pathTemplate()
        self.init(path: path ?? .empty)
        method = fields["method"]?.method() ?? method
        read(fields)
        if path == nil { return nil }
    }

    /// Decodes an alternative form of a request: the same method and path, with other parts.
    init?(_ cursor: DecodingCursor, insteadOf other: Endpoint) {
        guard let fields = cursor.fields(Self.keys.filter { !["method", "path", "timeout"].contains($0) }) else {
            return nil
        }
        self.init(method: other.method, path: other.path)
        read(fields)
    }

    private mutating func read(_ fields: DecodingFields) {
        query = fields["query"]?.named() ?? []
        headers = fields["headers"]?.headers() ?? []
        cookies = fields["cookies"]?.headers("cookie") ?? []
        basic = fields["basic"].flatMap(Basic.init)
        switch fields.only(of: ["json", "form"]) {
        case ("json", let cursor)?: body = cursor.jsonTemplate().map(Body.json) ?? .none
        case (_, let cursor)?: body = .form(cursor.named())
        case nil: break
        }
        contentType = fields["contentType"]?.text()
        if contentType?.isHeaderText == false {
            fields["contentType"]?.diagnose("A header must not contain line breaks or other control characters.")
        }
        attachesAccessToken = fields["attach"]?.bool() ?? false
        timeout = fields["timeout"]?.seconds()
        if let timeout, timeout < 1 { fields["timeout"]?.diagnose("A timeout is at least one second.") }
        if body != .none, method == "GET" || method == "HEAD" {
            fields.cursor.diagnose("A \(method) request has no body.")
        }
    }
}

extension Endpoint.Basic {
    init?(_ cursor: DecodingCursor) {
        guard let pair = cursor.items() else { return nil }
        guard pair.count == 2 else {
            cursor.diagnose("A list of two templates is expected here: user and password.")
            return nil
        }
        let user = pair[0].template(), password = pair[1].template()
        guard let user, let password else { return nil }
        self.init(user: user, password: password)
    }
}
