// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A request that the contract describes.
package struct Endpoint: Sendable, Equatable {
    package var method = "POST"
    package var path: Template
    package var query: [NamedTemplate] = []
    package var headers: [NamedTemplate] = []
    package var cookies: [NamedTemplate] = []
    package var basic: Basic?
    package var body = Body.none
    package var contentType: String?
    /// Whether the request carries the access token in the same way as requests of the app.
    package var attachesAccessToken = false
    /// The timeout in seconds.
    package var timeout: Double?

    package enum Body: Sendable, Equatable {
        case none
        case json(JSONTemplate)
        case form([NamedTemplate])
    }

    /// The user and the password of the Basic scheme (RFC 7617).
    package struct Basic: Sendable, Equatable {
        package var user: Template
        package var password: Template
    }

    /// The names in all templates of this endpoint.
    package var names: [String] {
        let body =
            switch body {
            case .none: [String]()
            case .json(let template): template.names
            case .form(let fields): fields.flatMap(\.template.names)
            }
        let basic = basic.map { $0.user.names + $0.password.names } ?? []
        return path.names + (query + headers + cookies).flatMap(\.template.names) + basic + body
    }
}

/// The name of an endpoint.
package struct EndpointName: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    private init(known text: String) { self.text = text }

    /// Parses the name of an endpoint; `nil` if the format does not define it.
    package init?(_ text: String) {
        let isLogin =
            text.hasPrefix("login.") && text.utf8.count > 6
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        guard isLogin || Self.others.contains(where: { $0.text == text }) else { return nil }
        self.text = text
    }

    package static let password = EndpointName(known: "login.password")
    package static let signup = EndpointName(known: "login.signup")
    package static let code = EndpointName(known: "login.code")
    package static let codeVerify = EndpointName(known: "login.code.verify")
    package static let apple = EndpointName(known: "login.apple")
    package static let refresh = EndpointName(known: "refresh")
    package static let confirm = EndpointName(known: "confirm")
    package static let report = EndpointName(known: "report")
    package static let logout = EndpointName(known: "logout")
    package static let logoutAll = EndpointName(known: "logoutAll")
    package static let sessionList = EndpointName(known: "sessions.list")
    package static let sessionRevoke = EndpointName(known: "sessions.revoke")
    package static let me = EndpointName(known: "me")

    /// The names of endpoints other than sign-ins.
    package static let others = [refresh, confirm, report, logout, logoutAll, sessionList, sessionRevoke, me]

    package var isLogin: Bool { text.hasPrefix("login.") }
    package var description: String { text }
}
