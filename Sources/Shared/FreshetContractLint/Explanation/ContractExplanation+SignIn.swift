// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractExplanation {
    private static let order: [EndpointName] = [.password, .signup, .code, .codeVerify, .apple]

    private static let kinds: [EndpointName: String] = [
        .password: "With a password", .signup: "With a new account", .code: "A code is sent by",
        .codeVerify: "With the code that came", .apple: "With Apple",
    ]

    static func signIn(_ document: ContractDocument) -> Section {
        let others = document.endpoints.keys.filter { $0.isLogin && !order.contains($0) }.sorted { $0.text < $1.text }
        var sentences: [String?] = []
        for name in order + others {
            guard let endpoint = document.endpoints[name] else { continue }
            let kind = kinds[name] ?? "By '\(name.text.dropFirst("login.".count))'"
            sentences.append("\(kind): \(endpoint.phrase(document.requestAuthorization)).")
        }
        if sentences.isEmpty {
            sentences.append("The app signs in by its own means, and passes the tokens to the session.")
        }
        return section("How you sign in", sentences + answer(document))
    }

    /// Describes the places of tokens and of the user in a token response.
    private static func answer(_ document: ContractDocument) -> [String?] {
        let reply = document.reply
        let encodings: [TokenResponseDefinition.Encoding: String] = [
            .json: "JSON", .form: "a form", .auto: "JSON or a form",
        ]
        let envelope = reply.envelope.map { $0.tokens.isEmpty ? "the response itself" : $0.description }
        let facts = [
            ("the e-mail address", reply.email), ("the username", reply.username), ("the full name", reply.name),
            ("whether this is the first sign-in", reply.isNewUser), ("whether there is a profile", reply.hasProfile),
        ]
        let user =
            (reply.users.isEmpty ? [] : ["the user's id \(Phrasing.users(reply.users))"])
            + facts.filter { !$0.1.isEmpty }.map { "\($0.0) at \(Phrasing.places($0.1))" }
        return [
            "The response is \(encodings[reply.encoding] ?? ""); the access token is at \(Phrasing.places(reply.access))"
                + (reply.refresh.isEmpty ? "." : ", the refresh token at \(Phrasing.places(reply.refresh))."),
            envelope.isEmpty
                ? nil
                : "These places are looked for in \(Phrasing.list(envelope, "or"))\(envelope.count > 1 ? ", whichever is there first" : "").",
            reply.anyCasing ? "Names are accepted in any casing: access_token, accessToken, AccessToken." : nil,
            user.isEmpty ? nil : "It also contains the user: \(Phrasing.list(user)).",
            reply.success.isEmpty
                ? nil : "It is a success only if \(Phrasing.list(reply.success.map(Phrasing.condition))).",
            document.errorMessage.isEmpty && document.errorCode.isEmpty
                ? nil : "The error message is at \(Phrasing.places(document.errorMessage + document.errorCode)).",
        ]
    }

    /// Describes the values that the app passes at run time.
    static func given(_ document: ContractDocument) -> Section {
        let variables = document.variables.sorted { $0.key < $1.key }.map { name, variable in
            let usual = variable.defaultValue.map { ", by default '\($0)'" } ?? ""
            return "'\(name)'\(usual)\(variable.about.map { ": \($0)" } ?? "")"
        }
        let secrets = document.secrets.sorted { $0.key < $1.key }.map { name, secret in
            "the secret '\(name)'\(secret.about.map { ": \($0)" } ?? "")"
        }
        return section("Values from the app", variables + secrets)
    }
}
