// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A contract: the places of tokens in requests and responses, and the meaning of responses.
///
/// `FreshetKit` uses it as a client, and `FreshetServer` as the backend that it describes. It contains no secrets, only
/// the names of secrets.
package struct ContractDocument: Sendable, Equatable {
    /// The version of the contract format that this code supports.
    package static let format = 1

    package var name: String
    package var title: String
    package var variables: [String: Variable] = [:]
    package var secrets: [String: Variable] = [:]
    package var endpoints: [EndpointName: Endpoint] = [:]
    package var reply = TokenResponseDefinition()
    package var rotation = Rotation.optional
    /// The time for which the backend still accepts a used refresh token, in seconds.
    package var reuseGrace: Double?
    package var requestAuthorization = RequestAuthorization()
    package var rules: [ClassificationRule] = []
    /// The places of the error code and message of a refused sign-in.
    package var errorCode: [Selector] = []
    package var errorMessage: [Selector] = []
    package var policy = ContractRefreshPolicy()
    /// The methods of requests that may be resent after a refresh; `nil` for all.
    package var replayMethods: Set<String>?
    package var socket: SocketDefinition?
    package var storage = StorageDefinition()
    package var server: ServerDefinition?
    package var facts: [(name: String, fact: Fact)] = []
    /// Ignored keys, which a later version of the format may define.
    package var unknownKeys: [ContractDiagnostic] = []

    /// Creates a contract with default values.
    package init(name: String, title: String) {
        self.name = name
        self.title = title
    }

    /// A value that the app passes at run time.
    package struct Variable: Sendable, Equatable {
        package var about: String?
        package var defaultValue: String?
    }

    /// A statement about a backend, with its sources.
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
        // Facts are documentation, and do not affect behaviour.
        a.name == b.name && a.title == b.title && a.variables == b.variables && a.secrets == b.secrets
            && a.endpoints == b.endpoints && a.reply == b.reply && a.rotation == b.rotation
            && a.reuseGrace == b.reuseGrace && a.requestAuthorization == b.requestAuthorization && a.rules == b.rules
            && a.errorCode == b.errorCode && a.errorMessage == b.errorMessage && a.policy == b.policy
            && a.replayMethods == b.replayMethods && a.socket == b.socket && a.storage == b.storage
            && a.server == b.server
    }
}

/// The rotation of refresh tokens.
package enum Rotation: String, Sendable, CaseIterable {
    /// Every refresh returns a new refresh token.
    case always
    /// A refresh may return a new refresh token; without one, the old one stays valid.
    case optional
    /// A refresh returns no new refresh token.
    case never
    /// There is no refresh token: the access token is exchanged for a new one.
    case sliding
    /// There is no refresh: the session lasts as long as its access token.
    case none
    /// The native refresh protocol: refreshes are bound to intents, and confirmed.
    case confirmed
}

/// The times at which tokens are refreshed, in seconds.
package struct ContractRefreshPolicy: Sendable, Equatable {
    /// The time before its expiry at which an access token is refreshed; `nil` for a fifth of its lifetime.
    package var refreshBefore: Double?
    /// The age below which a token is not refreshed again.
    package var minimumInterval: Double?
}

/// The credentials that a request of the app carries.
package struct RequestAuthorization: Sendable, Equatable {
    package var header = "Authorization"
    /// The authentication scheme before the token; empty without a scheme.
    package var scheme = "Bearer"
    package var headers: [NamedTemplate] = []
    /// Additional hosts to which the token may be sent.
    package var hosts: [String] = []
}

/// A header, query item, cookie or form field with a template as its value.
package struct NamedTemplate: Sendable, Equatable {
    package var name: String
    package var template: Template

    package init(name: String, template: Template) {
        self.name = name
        self.template = template
    }
}
