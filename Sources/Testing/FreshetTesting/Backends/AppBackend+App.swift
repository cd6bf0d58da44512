// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension AppBackend {
    /// One of the five apps whose backends there are doubles of.
    public enum App: String, Sendable, CaseIterable {
        /// A minimal pair of tokens; the refresh token travels in the Authorization field.
        case authservice
        /// Snake case, Sign in with Apple, one refresh token for seven days.
        case bitbasel
        /// Camel case, a code by e-mail, sign-out here and everywhere, a legacy backend.
        case melchat
        /// A stated lifetime, and rotation by switch.
        case creatist
        /// An envelope, rotation always, and writes that are recorded.
        case outbox

        /// How that app's backend reads requests and writes answers.
        var routes: any AppRoutes {
            switch self {
            case .authservice: AuthServiceRoutes()
            case .bitbasel: BitBaselRoutes()
            case .melchat: MelChatRoutes()
            case .creatist: CreatistRoutes()
            case .outbox: OutboxRoutes()
            }
        }
    }
}
