// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit
import FreshetWire

/// What the live test is to do, and with whose account.
struct ConformancePlan: Sendable, Masked {
    /// How it gets tokens.
    enum SignIn: Sendable, Masked {
        /// A sign-in of the contract, with what its templates ask for.
        case fields(EndpointName, [String: String])
        /// A new account first; later sign-ins use its password.
        case signUp([String: String])
        /// A code that is sent to an address, and then asked for.
        case code(email: String, ask: @Sendable () throws -> Secret)
        /// Tokens that exist already; there is no second sign-in.
        case tokens(TokenGrant)

        var mask: String { "ConformancePlan.SignIn(•••)" }
    }

    /// A request of the app that needs an access token.
    struct Call: Equatable, Sendable {
        var method: String
        var address: URL
    }

    let contract: ContractDocument
    let baseURL: URL
    let signIn: SignIn
    /// Without one the contract's `me` is called, if it has one.
    var call: Call?
    /// How long it waits for something to happen.
    var patience = Duration.seconds(20)
    /// It waits for the access token's end however long that takes.
    var waitsForExpiry = false

    var mask: String { "ConformancePlan(\(contract.name), •••)" }

    var canCall: Bool { call != nil || contract.endpoints[.me] != nil }

    /// What is about to happen, for whoever owns the account.
    var lines: [String] {
        var lines = ["This asks \(baseURL.absoluteString) as the contract \(contract.name) says:"]
        switch signIn {
        case .fields(let name, let values):
            let user = values["email"] ?? values["username"]
            lines.append("  - signs in (\(name)\(user.map { " as \($0)" } ?? "")), and once more if that session ends")
        case .signUp(let values): lines.append("  - makes an account for \(values["email"] ?? "?") and signs in to it")
        case .code(let email, _): lines.append("  - has a code sent to \(email) and signs in with it")
        case .tokens: lines.append("  - takes the tokens given; their session ends by this test")
        }
        if let call { lines.append("  - sends \(call.method) \(call.address.absoluteString), also with bad tokens") }
        if call == nil, canCall { lines.append("  - calls `me`, also with bad tokens") }
        if contract.rotation != .none {
            lines.append("  - refreshes, and presents made-up, altered and used refresh tokens")
            lines.append("    (a backend that notices reuse ends the session; some end all sessions of the account)")
        }
        if contract.endpoints[.logout] != nil { lines.append("  - signs out, and tries to go on") }
        if wrongPassword != nil { lines.append("  - signs in once with a wrong password") }
        return lines
    }

    /// The values of a sign-in that must fail; `nil` if there is no password to get wrong.
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
