// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetWire

/// `freshet decode`: prints the claims of a token.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Shows the contents of a token, without verifying it.",
        discussion: """
            Reads a JWT, or a refresh token of Freshet, from standard input or the argument. The signature is not \
            verified, so the contents may be forged. Prefer standard input: arguments are stored in the shell's \
            history.

            Example:
              freshet token | freshet decode
            """
    )

    @Argument(help: "The token (default: standard input).")
    var token: Secret?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let text = (token?.text ?? readLine() ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        if text.isEmpty { throw ToolError.usage("standard input contains no token") }
        if text.hasPrefix(RefreshToken.prefix) { return try showRefreshToken(text) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = object(parts[0]), let payload = object(parts[1]) else {
            throw ToolError.usage("the input is neither a JWT nor a refresh token of Freshet")
        }
        if json {
            let all: [String: Any] = ["header": header, "payload": payload, "verified": false]
            let data = try JSONSerialization.data(withJSONObject: all, options: [.sortedKeys, .withoutEscapingSlashes])
            return Output.line(String(decoding: data, as: UTF8.self))
        }
        Output.note("Not verified: the token may be forged.")
        show("header", header)
        show("payload", payload)
    }

    private func showRefreshToken(_ text: String) throws {
        guard let token = try? RefreshToken(text) else {
            throw ToolError.usage("this version cannot read the refresh token")
        }
        if json {
            return try Output.json(
                RefreshTokenView(
                    session: token.session.description,
                    generation: token.generation,
                    branch: token.body.branch,
                    keyID: token.body.keyID,
                    verified: false
                )
            )
        }
        Output.note("Not verified: the token may be forged.")
        Output.line("refresh token")
        Output.line("  session     \(token.session)")
        Output.line("  generation  \(token.generation)")
        Output.line("  branch      \(token.body.branch)")
        Output.line("  key         \(token.body.keyID)")
    }

    private struct RefreshTokenView: Encodable {
        var type = "refresh_token"
        var session: String
        var generation: UInt64
        var branch: UInt64
        var keyID: UInt8
        var verified: Bool

        private enum CodingKeys: String, CodingKey {
            case type, session, generation, branch, verified
            case keyID = "key_id"
        }
    }

    private func object(_ part: Substring) -> [String: Any]? {
        guard let bytes = Base64URL.decode(part) else { return nil }
        return (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    }

    private func show(_ title: String, _ members: [String: Any]) {
        Output.line(title)
        let width = members.keys.map(\.count).max() ?? 0
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let padding = String(repeating: " ", count: width - name.count)
            Output.line("  \(name)\(padding)  \(Self.text(name, value))")
        }
    }

    /// Formats timestamps as a number, a date and a relative time; everything else as JSON.
    private static func text(_ name: String, _ value: Any) -> String {
        if ["exp", "iat", "nbf", "auth_time"].contains(name), let seconds = (value as? NSNumber)?.doubleValue {
            let moment = Date(timeIntervalSince1970: seconds)
            return "\(Int(seconds))  \(moment.formatted(.iso8601))  (\(RelativeTime.text(to: moment)))"
        }
        if let text = value as? String { return text }
        let data = try? JSONSerialization.data(
            withJSONObject: value,
            options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        )
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }
}
