// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetContract
import FreshetJWT

/// `freshet verify`: verifies access tokens, for scripts.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies access tokens from standard input, one per line.",
        discussion: """
            Prints "ok <sub>" or "rejected <code>" for each line. Exits with 0 if all tokens were valid, and with 1 if \
            one was not. An empty line is rejected as malformed; input without a line is a usage error (64). With \
            --json, each line is an object: {"status": "ok", "subject": ...} or {"status": "rejected", "code": ...}.

            --jwks is a file, or an HTTPS address (HTTP for this machine). If a token names a key that is not in the \
            response, the keys are fetched again, once a minute at most. A token counts as valid until it expires, \
            even if its session has ended.

            Example:
              freshet token | freshet verify --jwks http://localhost:8080/.well-known/jwks.json \
            --issuer http://localhost --audience api
            """
    )

    @Option(help: ArgumentHelp("The issuer's public keys (RFC 7517).", valueName: "file|url"))
    var jwks: String

    @Option(help: "The required issuer (the `iss` claim).")
    var issuer: String

    @Option(help: "The required audience (the `aud` claim).")
    var audience: String

    @Option(help: "The required token type (the `typ` header).")
    var type = "at+jwt"

    @Option(
        help: "The permitted difference between the issuer's clock and this one, at most 1m (default: 30s).",
        transform: Duration.length
    )
    var leeway = Duration.seconds(30)

    @OptionGroup var trust: TrustOptions

    @Flag(help: "Print JSON, an object for each token.")
    var json = false

    func validate() throws {
        guard leeway <= .seconds(60) else { throw ValidationError("--leeway must be at most 1m") }
        guard !issuer.isEmpty, !audience.isEmpty else {
            throw ValidationError("--issuer and --audience must not be empty")
        }
    }

    func run() async throws {
        trust.apply()
        var rules = TokenRules(issuer: issuer, audience: audience)
        rules.type = type.lowercased()
        rules.setLeeway(leeway / .seconds(1))
        let now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
        let verifier = TokenVerifier(rules, keys: try keys(now), now: now)
        var verdicts = (good: 0, bad: 0)
        var lines = LineReader(limit: rules.maximumLength)
        while let line = await lines.next() {
            let verdict = try await verdict(on: line, by: verifier)
            switch verdict {
            case .ok: verdicts.good += 1
            case .rejected: verdicts.bad += 1
            }
            if json { try Output.json(verdict) } else { Output.line(verdict.line) }
        }
        if verdicts == (0, 0) { throw ToolError.usage("standard input contains no token") }
        if verdicts.bad > 0 { throw ExitCode(1) }
    }

    private enum Verdict: Encodable {
        case ok(subject: String)
        case rejected(TokenVerificationError)

        var line: String {
            switch self {
            // A subject may contain a newline.
            case .ok(let subject): "ok \(JSONValue.string(subject).jsonText.dropFirst().dropLast())"
            case .rejected(let error): "rejected \(error.rawValue)"
            }
        }

        private enum CodingKeys: String, CodingKey {
            case status, subject, code
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .ok(let subject):
                try container.encode("ok", forKey: .status)
                try container.encode(subject, forKey: .subject)
            case .rejected(let error):
                try container.encode("rejected", forKey: .status)
                try container.encode(error.rawValue, forKey: .code)
            }
        }
    }

    private func verdict(on line: LineReader.Line, by verifier: TokenVerifier) async throws -> Verdict {
        do throws(TokenVerificationError) {
            guard case .text(let token) = line else { throw .tooLarge }
            return .ok(subject: try await verifier.verify(token).subject)
        } catch {
            if error == .keysUnavailable { throw ToolError.unreachable("\(jwks): the keys cannot be fetched") }
            return .rejected(error)
        }
    }

    private func keys(_ now: @escaping @Sendable () -> Double) throws -> TokenVerifier.Keys {
        if let url = URL(string: jwks), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) {
            do throws(JWKSource.UnsafeAddress) {
                return .source(try JWKSource(at: url, now: now, issuerFetch: IssuerFetch.send))
            } catch {
                throw ToolError.usage("\(jwks): keys are fetched over HTTPS, or over HTTP from this machine")
            }
        }
        guard let data = FileManager.default.contents(atPath: jwks) else {
            throw ToolError.usage("\(jwks): cannot be read")
        }
        do throws(JWKSet.Fault) { return .fixed(try JWKSet(Array(data))) } catch {
            switch error {
            case .unreadable: throw ToolError.usage("\(jwks): not a key set")
            case .duplicateID: throw ToolError.usage("\(jwks): two keys have the same id")
            case .empty: throw ToolError.usage("\(jwks): it contains no key that can verify a token")
            }
        }
    }
}
