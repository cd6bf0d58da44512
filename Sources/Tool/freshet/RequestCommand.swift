// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `freshet request`: sends an API request with a valid token.
struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Sends a request with a valid access token, and prints the response's body.",
        discussion: """
            After a 401, refreshes and repeats the request once. The status is printed to standard error; the exit \
            code is 1 for a status of 400 or more, and 4 if the repeated request gets a 401, too.

            Example:
              freshet request GET /v1/me
              freshet request POST https://api.example.com/notes --data '{"text":"hello"}'
            """
    )

    @OptionGroup var options: ProfileOptions

    @Argument(help: "GET, POST, PUT, PATCH or DELETE.", completion: .list(["GET", "POST", "PUT", "PATCH", "DELETE"]))
    var method: String

    @Argument(help: "A URL, or a path on the profile's server. The token is sent to the profile's server only.")
    var url: String

    @Option(name: [.customShort("H"), .long], help: "A header field, such as 'Accept: text/plain'; may be repeated.")
    var header: [String] = []

    @Option(name: .shortAndLong, help: "The body, or @FILE to read it from a file. JSON unless a header differs.")
    var data: String?

    func validate() throws {
        guard Self.isToken(method) else { throw ValidationError("\(Self.quoted(method)) is not an HTTP method") }
        for field in header {
            let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, Self.isToken(parts[0]), parts[1].unicodeScalars.allSatisfy(Self.mayStandInField)
            else { throw ValidationError("\(Self.quoted(field)) is not a header field") }
        }
    }

    func run() async throws {
        let profile = options.value
        let server = try profile.settings().server
        guard let address = URL(string: url, relativeTo: server)?.absoluteURL, address.host != nil else {
            throw ToolError.usage("\(url) is not a URL")
        }
        var request = URLRequest(url: address)
        request.httpMethod = method.uppercased()
        if let data {
            request.httpBody = try body(data)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        for field in header {
            let name = field.prefix { $0 != ":" }
            let value = field.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            request.setValue(value, forHTTPHeaderField: String(name))
        }
        let session = try profile.session()
        let prepared = request
        let (answer, response) = try await ServerCall.perform {
            do { return try await session.data(for: prepared) } catch let error as SessionError {
                throw error
            } catch {
                throw ToolError.network("\(address.host ?? ""): no answer (\(ToolError.reason(of: error)))")
            }
        }
        await session.awaitConfirmation()
        try show(answer, response)
    }

    /// Whether a text is a token (RFC 9110 section 5.6.2), as methods and field names must be.
    private static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy(tokenScalars.contains)
    }

    private static let tokenScalars = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".unicodeScalars
    )

    /// Whether a field value may contain a character (RFC 9110 section 5.5).
    private static func mayStandInField(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar.value >= 0x20 && scalar.value != 0x7F
    }

    /// Returns the text as a Swift literal, so that a newline in it does not end the line of the message.
    private static func quoted(_ text: String) -> String { text.debugDescription }

    private func show(_ answer: Data, _ response: HTTPURLResponse) throws {
        if options.json {
            try Output.json(View(status: response.statusCode, body: String(decoding: answer, as: UTF8.self)))
        } else {
            Output.note("HTTP \(response.statusCode)")
            Output.write(answer)
            if answer.last != UInt8(ascii: "\n") { Output.line("") }
        }
        if response.statusCode == 401 { throw ExitCode(4) }
        if response.statusCode >= 400 { throw ExitCode(1) }
    }

    private func body(_ text: String) throws -> Data {
        guard text.hasPrefix("@") else { return Data(text.utf8) }
        let path = String(text.dropFirst())
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ToolError.usage("\(path): cannot be read")
        }
        return data
    }

    private struct View: Encodable {
        var status: Int
        var body: String
    }
}
