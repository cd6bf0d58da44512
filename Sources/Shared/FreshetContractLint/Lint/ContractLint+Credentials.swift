// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that each request carries the credentials that it needs.
    mutating func checkCredentials() {
        let wanted: [(EndpointName, String)] = [
            (.password, "password"), (.signup, "password"), (.codeVerify, "code"), (.apple, "identity_token"),
            (.sessionRevoke, "id"),
        ]
        for (name, value) in wanted {
            guard let endpoint = document.endpoints[name], !endpoint.names.contains(value) else { continue }
            error(Self.path(name), "It does not send the \(Self.phrases[value] ?? value).", "Put '$\(value)' into it.")
        }
        for (name, endpoint, path) in endpoints where !name.isLogin && name != .refresh {
            let showsWho =
                endpoint.attachesAccessToken
                || endpoint.names.contains { $0 == "access_token" || $0 == "refresh_token" }
            // `checkConfirmed()` checks confirm and report.
            guard !showsWho, name != .confirm, name != .report else { continue }
            error(
                path,
                "Nothing in it says whose session it is about.",
                "Set 'attach' to true, or send '$refresh_token'."
            )
        }
        if document.endpoints[.logout] == nil {
            warning(
                "$.endpoints",
                "There is no endpoint 'logout': signing out deletes the client's tokens, but they stay valid.",
                "Add 'logout' if the backend has such an endpoint."
            )
        }
    }

    private static let phrases = ["identity_token": "identity token", "id": "session's id"]

    /// Checks that the client has a value for each name in each request.
    mutating func checkValues() {
        for (name, endpoint, path) in endpoints {
            // The app passes the values of a sign-in.
            guard !name.isLogin, let known = known(to: name) else { continue }
            checkValues(endpoint.placed(at: path), known)
        }
        checkValues(document.requestAuthorization.headers.placed(at: "$.attach.headers", .header), ["access_token"])
        if let socket = document.socket { checkValues(socket.placed, ["access_token"]) }
    }

    private mutating func checkValues(_ templates: [PlacedTemplate], _ known: Set<String>) {
        let known = known.union(document.variables.keys).union(document.secrets.keys)
        for placed in templates {
            for name in Set(placed.template.names).subtracting(known).sorted() {
                // Other checks report a misplaced refresh token with more specific advice.
                if name == "refresh_token" { continue }
                let problem = "There is no value for '\(name)' then"
                if placed.template.soleName != nil, placed.place != .path {
                    warning(placed.path, "\(problem), so this is never sent.", "Remove it.")
                } else {
                    error(placed.path, "\(problem), so the request can never be made.", "Remove '$\(name)'.")
                }
            }
        }
    }

    private func known(to name: EndpointName) -> Set<String>? {
        switch name {
        case .refresh where document.rotation == .confirmed: ["refresh_token", "access_token", "intent"]
        case .sessionRevoke: ["refresh_token", "access_token", "id"]
        default: ["refresh_token", "access_token"]
        }
    }
}
