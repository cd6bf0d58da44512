// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetContract
import FreshetKit

/// The options of a sign-in, for any contract.
struct SignInOptions: ParsableArguments {
    @Option(
        name: [.customLong("email"), .customLong("username")],
        help: "The account's e-mail address, or its user name at the backend."
    )
    var email: String?

    @Option(help: "The code that an earlier call requested by mail.")
    var code: Secret?

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var passwordStdin = false

    @Flag(name: .customLong("sign-up"), help: "Create the account; needs --password-stdin.")
    var signUp = false

    @Option(
        name: .customLong("sign-in"),
        help: "Another sign-in of the contract, such as guest for its login.guest; --field gives its values."
    )
    var signIn: String?

    @Option(
        help: "A value for --sign-in: NAME=VALUE, or NAME=@FILE for secrets; may be repeated.",
        transform: NamedValue.read
    )
    var field: [NamedValue] = []

    @Flag(help: "Import tokens: read {\"access_token\", \"refresh_token\", \"expires_in\"} from standard input.")
    var tokens = false

    func validate() throws {
        let ways = [code != nil, passwordStdin, signIn != nil, tokens].count { $0 }
        if ways > 1 {
            throw ValidationError("--code, --password-stdin, --sign-in and --tokens cannot be combined")
        }
        if signUp && !passwordStdin { throw ValidationError("--sign-up needs --password-stdin") }
        if passwordStdin && email == nil { throw ValidationError("--email is missing") }
        if !field.isEmpty && signIn == nil { throw ValidationError("--field needs --sign-in") }
    }

    /// Returns the sign-in of the contract that `--sign-in` names.
    func endpoint(in contract: ContractDocument) throws -> EndpointName? {
        guard let signIn else { return nil }
        let text = signIn.hasPrefix("login.") ? signIn : "login.\(signIn)"
        guard let name = EndpointName(text), contract.endpoints[name] != nil else {
            throw ToolError.usage("\(contract.name) has no sign-in \(signIn); \(Self.ways(of: contract))")
        }
        return name
    }

    /// The values for `--sign-in`, including `--email`.
    var values: [String: String] {
        let account = email.map { ["email": $0, "username": $0] } ?? [:]
        return account.merging(field.byName) { $1 }
    }

    /// Describes the sign-ins that the contract has.
    static func ways(of contract: ContractDocument) -> String {
        let names = contract.endpoints.keys.filter(\.isLogin).map(\.text).sorted()
        return names.isEmpty ? "it has none: import tokens with --tokens" : "it has \(names.joined(separator: ", "))"
    }

    /// Reads the password from standard input or from the terminal.
    func password() throws -> Secret {
        if passwordStdin {
            guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                throw ToolError.usage("standard input contains no password")
            }
            return Secret(line)
        }
        guard let typed = HiddenPrompt.lines("Password: ")?.first else {
            throw ToolError.usage("there is no terminal for the prompt; use --password-stdin")
        }
        return typed
    }

    /// The number of prompts for a code: Freshet's server refuses an attempt after as many wrong codes.
    static let codePrompts = 5

    /// Asks the user for the code in the e-mail.
    static func askForCode(sentTo email: String) throws -> Secret {
        Output.prompt("Code sent to \(email): ")
        let line = readLine()?.trimmingCharacters(in: .whitespaces) ?? ""
        if line.isEmpty { throw ToolError.usage("no code was entered") }
        return Secret(line)
    }

    /// Reads tokens from standard input.
    func tokensFromInput() throws -> TokenGrant {
        let data = FileHandle.standardInput.readDataToEndOfFile()
        guard let tokens = try? JSONDecoder().decode(GivenTokens.self, from: data) else {
            throw ToolError.usage("standard input must be a JSON object with access_token, and may have refresh_token")
        }
        return tokens.grant
    }
}

/// Tokens in the format of an OAuth response (RFC 6749 section 5.1).
private struct GivenTokens: Decodable {
    let grant: TokenGrant

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let seconds = try container.decodeIfPresent(Double.self, forKey: .expiresIn)
        grant = TokenGrant(
            accessToken: try container.decode(String.self, forKey: .accessToken),
            refreshToken: try container.decodeIfPresent(String.self, forKey: .refreshToken),
            expiresIn: seconds.map { .seconds(min(max($0, 0), 10 * 365 * 86_400)) }
        )
    }
}
