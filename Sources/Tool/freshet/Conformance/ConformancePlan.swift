// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit
import FreshetWire

/// A plan of the live test, with the account to use.
struct ConformancePlan: Sendable, Masked {
    /// The source of tokens.
    enum SignIn: Sendable, Masked {
        /// A sign-in of the contract, with the values for its templates.
        case fields(EndpointName, [String: String])
        /// A sign-up first; later sign-ins use its password.
        case signUp([String: String])
        /// A code that is sent to an address, and then entered by the user.
        case code(email: String, ask: @Sendable () throws -> Secret)
        /// Existing tokens; a second sign-in is not possible.
        case tokens(TokenGrant)

        var mask: String { "ConformancePlan.SignIn(•••)" }
    }

    /// A request of the app that requires an access token.
    struct Call: Equatable, Sendable {
        var method: String
        var address: URL
    }

    let contract: ContractDocument
    let baseURL: URL
    let signIn: SignIn
    /// The request to send; by default the contract's `me`, if it has one.
    var call: Call?
    /// The maximum time to wait for an event.
    var longestWait = Duration.seconds(20)
    /// Whether to wait for the access token's expiry for any length of time.
    var waitsForExpiry = false

    var mask: String { "ConformancePlan(\(contract.name), •••)" }

    var canCall: Bool { call != nil || contract.endpoints[.me] != nil }

    /// A description of the test for the owner of the account.
    var lines: [String] {
        var lines = [
            "This test sends requests to \(baseURL.absoluteString) as the contract \(contract.name) describes:"
        ]
        switch signIn {
        case .fields(let name, let values):
            let user = values["email"] ?? values["username"]
            lines.append("  - signs in (\(name)\(user.map { " as \($0)" } ?? "")), and once more if that session ends")
        case .signUp(let values):
            lines.append("  - creates an account for \(values["email"] ?? "?") and signs in to it")
        case .code(let email, _): lines.append("  - requests a code for \(email) and signs in with it")
        case .tokens: lines.append("  - uses the given tokens; this test ends their session")
        }
        if let call { lines.append("  - sends \(call.method) \(call.address.absoluteString), also with bad tokens") }
        if call == nil, canCall { lines.append("  - calls `me`, also with bad tokens") }
        if contract.rotation != .none {
            lines.append("  - refreshes, and presents made-up, altered and used refresh tokens")
            lines.append("    (a backend that notices reuse ends the session; some end all sessions of the account)")
        }
        if contract.endpoints[.logout] != nil { lines.append("  - signs out, and uses the tokens again") }
        if wrongPassword != nil { lines.append("  - signs in once with a wrong password") }
        return lines
    }

    /// The values of a sign-in with a wrong password; `nil` for a sign-in without one.
    var wrongPassword: [String: String]? {
        let values: [String: String]
        switch signIn {
        case .fields(.password, let given), .signUp(let given): values = given
        default: return nil
        }
        guard values["password"] != nil, contract.endpoints[.password] != nil else { return nil }
        return values.merging(["password": "wrong-\(Intent.random().text)"]) { $1 }
    }
}
