// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What a contract file says: where tokens travel, how expiry is written and what answers mean.
///
/// Plain data: `FreshetKit` acts on it as a client, `FreshetServer` as the backend it describes. It holds no secret, only
/// names of secrets.
package struct ContractDocument: Sendable, Equatable {
    /// The version of the format that this code knows.
    package static let format = 1

    package var name: String
    package var title: String
    package var variables: [String: Variable] = [:]
    package var secrets: [String: Variable] = [:]
    package var endpoints: [EndpointName: Endpoint] = [:]
    package var reply = TokenResponseDefinition()
    package var rotation = Rotation.optional
    /// For how many seconds the backend still takes a refresh token that was used.
    package var reuseGrace: Double?
    package var requestAuthorization = RequestAuthorization()
    package var rules: [ClassificationRule] = []
    /// Where a refused sign-in explains itself.
    package var errorCode: [Selector] = []
    package var errorMessage: [Selector] = []
    package var policy = RefreshPolicy()
    /// Which methods may be sent again after a refresh; `nil` for all.
    package var replayMethods: Set<String>?
    package var socket: SocketDefinition?
    package var storage = StorageDefinition()
    package var server: ServerDefinition?
    package var facts: [(name: String, fact: Fact)] = []
    /// Keys of a later format that were passed over.
    package var unknownKeys: [ContractDiagnostic] = []

    /// A contract that says nothing yet.
    package init(name: String, title: String) {
        self.name = name
        self.title = title
    }

    /// A value that the app gives at run time.
    package struct Variable: Sendable, Equatable {
        package var about: String?
        package var defaultValue: String?
    }

    /// What is known of a backend, and how.
    package struct Fact: Sendable, Equatable {
        package enum Source: String, Sendable, CaseIterable {
            case run = "R"
            case source = "S"
            case documentation = "D"
            case thirdParty = "I"
            case unverified = "K"
        }

        package var text: String
        package var checked: [Source]
    }

    package static func == (a: ContractDocument, b: ContractDocument) -> Bool {
        // Facts explain and decide nothing.
        a.name == b.name && a.title == b.title && a.variables == b.variables && a.secrets == b.secrets
            && a.endpoints == b.endpoints && a.reply == b.reply && a.rotation == b.rotation
            && a.reuseGrace == b.reuseGrace && a.requestAuthorization == b.requestAuthorization && a.rules == b.rules
            && a.errorCode == b.errorCode && a.errorMessage == b.errorMessage && a.policy == b.policy
            && a.replayMethods == b.replayMethods && a.socket == b.socket && a.storage == b.storage
            && a.server == b.server
    }
}

/// Whether refreshing brings a new refresh token.
package enum Rotation: String, Sendable, CaseIterable {
    /// Every refresh does.
    case always
    /// Some do: one that comes is kept, otherwise the old one stays.
    case optional
    /// None does.
    case never
    /// There is no refresh token: the access token renews itself.
    case sliding
    /// There is nothing to refresh with; the session lasts as long as its access token.
    case none
    /// Freshet's own protocol: bound to intents, and confirmed.
    case confirmed
}

/// How eagerly a token is refreshed, in seconds.
package struct RefreshPolicy: Sendable, Equatable {
    /// The earliest point before expiry at which an access token is refreshed; `nil` for a fifth of its lifetime.
    package var ahead: Double?
    /// How young a token must be for a further refresh to be pointless.
    package var minimumInterval: Double?
}

/// How a request of the app shows its access token.
package struct RequestAuthorization: Sendable, Equatable {
    package var header = "Authorization"
    /// The word before the token; empty for none.
    package var scheme = "Bearer"
    package var headers: [NamedTemplate] = []
    /// Further hosts that may see the token.
    package var hosts: [String] = []
}

/// A header, query item, cookie or form field.
package struct NamedTemplate: Sendable, Equatable {
    package var name: String
    package var template: Template

    package init(name: String, template: Template) {
        self.name = name
        self.template = template
    }
}
