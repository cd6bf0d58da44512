// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    private static let credentials: Set<String> = [
        "refresh_token", "password", "identity_token", "intent", "known_device",
    ]

    /// Checks that tokens and secrets are not sent where third parties can read them.
    mutating func checkExposure() {
        for (_, endpoint, path) in endpoints { checkURL(endpoint.placed(at: path)) }
        if let socket = document.socket {
            checkURL(socket.placed)
            for placed in socket.placed where placed.template.names.contains("refresh_token") {
                error(placed.path, "A socket must receive access tokens only.", "Remove '$refresh_token'.")
            }
        }
        for placed in document.requestAuthorization.headers.placed(at: "$.attach.headers", .header) {
            guard placed.template.names.contains("refresh_token") else { continue }
            error(
                placed.path,
                "Every request of the app would carry the refresh token.",
                "Send it to the token endpoints only."
            )
        }
    }

    private mutating func checkURL(_ templates: [PlacedTemplate]) {
        for placed in templates where placed.place.isInURL {
            let names = Set(placed.template.names)
            let secret = names.filter { Self.credentials.contains($0) || document.secrets[$0] != nil }
            for name in secret.sorted() {
                error(
                    placed.path,
                    "'$\(name)' is in the URL, which servers and proxies write into their logs.",
                    document.secrets[name] == nil
                        ? "Send it in the body or in a header."
                        : "Send it in the body or in a header; if it is public, declare it under 'variables'."
                )
            }
            if names.contains("access_token") {
                warning(
                    placed.path,
                    "The access token is in the URL, which servers and proxies write into their logs.",
                    "Send it in a header if the backend accepts it there."
                )
            }
        }
    }
}
