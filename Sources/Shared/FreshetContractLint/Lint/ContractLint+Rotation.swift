// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that the settings of refresh tokens are consistent.
    mutating func checkRotation() {
        let rotation = document.rotation
        switch rotation {
        case .always, .confirmed, .optional:
            if document.storage.synchronizable {
                error(
                    "$.storage.synchronizable",
                    "The session is synchronized between a user's devices while its refresh token rotates "
                        + "('\(rotation.rawValue)'): each device invalidates the others' copies.",
                    "Set 'synchronizable' to false, or 'rotation' to 'never' if no refresh ever brings a new refresh token."
                )
            }
        case .sliding, .none:
            if !document.reply.refresh.isEmpty {
                error(
                    "$.reply.refresh",
                    "The rotation is '\(rotation.rawValue)', so there is no refresh token to read.",
                    "Remove 'refresh', or choose a rotation with a refresh token."
                )
            }
        case .never: break
        }
        if document.reuseGrace != nil, rotation != .always, rotation != .optional {
            let why =
                rotation == .confirmed
                ? "Freshet's own protocol answers a repeat without a time limit" : "no refresh token is ever used up"
            warning(
                "$.reuseGrace",
                "A grace period for used refresh tokens has no effect here: \(why).",
                "Remove 'reuseGrace'."
            )
        }
        checkRefreshEndpoint()
        checkConfirmed()
    }

    private mutating func checkRefreshEndpoint() {
        guard let refresh = document.endpoints[.refresh] else { return }
        let path = Self.path(.refresh)
        let names = Set(refresh.names)
        if document.rotation == .sliding {
            if names.contains("refresh_token") {
                error(
                    path,
                    "It sends a refresh token, and with rotation 'sliding' there is none.",
                    "Send '$access_token' or set 'attach' to true, or choose another rotation."
                )
            } else if !names.contains("access_token"), !refresh.attachesAccessToken {
                error(
                    path,
                    "The access token renews itself, but this request does not send it.",
                    "Set 'attach' to true, or put '$access_token' where the backend expects it."
                )
            }
        } else if !names.contains("refresh_token") {
            error(
                path,
                "It does not send the refresh token.",
                "Put '$refresh_token' where the backend expects it; if the access token renews itself, set 'rotation' to "
                    + "'sliding'."
            )
        }
        if hasRefreshToken, document.reply.refresh.isEmpty, hasSignIn {
            error(
                "$.reply",
                "No response contains a refresh token, so a session of this contract can never be refreshed.",
                "Give the token's place under 'refresh', or set 'rotation' to the true value."
            )
        }
    }

    /// Whether the contract has an endpoint that returns the tokens of a sign-in; otherwise only the app provides them.
    private var hasSignIn: Bool { document.endpoints.keys.contains { $0.isLogin && $0 != .code } }

    private mutating func checkConfirmed() {
        guard document.rotation == .confirmed else {
            for name in [EndpointName.confirm, .report] where document.endpoints[name] != nil {
                warning(
                    Self.path(name),
                    "Only the rotation 'confirmed' calls it, and here it is '\(document.rotation.rawValue)'.",
                    "Remove the endpoint."
                )
            }
            return
        }
        if let refresh = document.endpoints[.refresh], !refresh.names.contains("intent") {
            error(
                Self.path(.refresh),
                "The rotation is 'confirmed', and the refresh sends no intent.",
                "Put '$intent' beside the refresh token."
            )
        }
        for name in [EndpointName.confirm, .report] {
            guard let endpoint = document.endpoints[name], !endpoint.names.contains("refresh_token") else { continue }
            error(Self.path(name), "It does not send the refresh token.", "Put '$refresh_token' into it.")
        }
        if !document.rules.contains(where: { $0.channels.contains(.refresh) && $0.outcome == .superseded }) {
            error(
                "$.classify",
                "No response to a refresh means 'superseded', so a stolen refresh token is not detected.",
                "Add a rule on 'refresh' with the outcome 'superseded'."
            )
        }
    }
}
