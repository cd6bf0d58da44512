// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import NIOConcurrencyHelpers
import Testing

@testable import FreshetHTTP
@testable import FreshetPages
@testable import FreshetServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A browser at the operators' pages: it keeps cookies, finds the word in forms, and follows nothing by itself.
final class OperatorBrowser: Sendable {
    static let password = "a password for operators"

    let port: Int
    private let cookies = NIOLockedValueBox<[String: String]>([:])
    private let formToken = NIOLockedValueBox("")

    init(port: Int) {
        self.port = port
    }

    struct Answer: Sendable {
        var status: Int
        var location: String?
        var cookies: [String]
        var policy: String?
        var text: String
    }

    func get(_ path: String) async throws -> Answer { try await send("GET", path) }

    /// Sends a form with the word of the page that was read last, and goes where it is sent.
    func post(_ path: String, _ fields: [String: String] = [:], headers: [String: String] = [:]) async throws -> Answer
    {
        let fields = [PageForm.tokenField: formToken.withLockedValue { $0 }].merging(fields) { $1 }
        let answer = try await send("POST", path, fields, headers)
        guard answer.status == 303, let location = answer.location else { return answer }
        return try await get(location)
    }

    func signIn(_ password: String = OperatorBrowser.password) async throws -> Answer {
        _ = try await get(OperatorAuthentication.signIn)
        return try await post(OperatorAuthentication.signIn, ["password": password])
    }

    /// Finds somebody, as an operator would.
    func find(_ query: String) async throws -> Answer {
        _ = try await get(SessionExplorer.home)
        return try await post("/operator/search", ["query": query])
    }

    func forgetCookies() { cookies.withLockedValue { $0 = [:] } }

    var cookie: String? { cookies.withLockedValue { $0["__Host-freshet-operator"] } }

    private func send(
        _ method: String,
        _ path: String,
        _ fields: [String: String]? = nil,
        _ headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: "http://localhost:\(port)\(path)")))
        request.httpMethod = method
        request.httpShouldHandleCookies = false
        request.setValue(
            cookies.withLockedValue { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") },
            forHTTPHeaderField: "Cookie"
        )
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let fields {
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            let pairs = fields.map { "\($0.key)=\(Self.encoded($0.value))" }
            request.httpBody = Data(pairs.joined(separator: "&").utf8)
        }
        let session = URLSession(configuration: .ephemeral, delegate: Stayer(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        let text = String(decoding: data, as: UTF8.self)
        if let token = text.firstMatch(of: /name="form_token" value="([^"]+)"/) {
            formToken.withLockedValue { $0 = String(token.1) }
        }
        // Several of one name come joined.
        let set =
            http.value(forHTTPHeaderField: "Set-Cookie")?.replacing(", __Host", with: "\n__Host").split(separator: "\n")
            ?? []
        for line in set {
            guard let pair = line.split(separator: ";").first?.split(separator: "=", maxSplits: 1),
                let name = pair.first
            else { continue }
            cookies.withLockedValue { $0[String(name)] = pair.count > 1 ? String(pair[1]) : nil }
        }
        return Answer(
            status: http.statusCode,
            location: http.value(forHTTPHeaderField: "Location"),
            cookies: set.map(String.init),
            policy: http.value(forHTTPHeaderField: "Content-Security-Policy"),
            text: text
        )
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// A redirection is an answer like others.
    private final class Stayer: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(nil) }
    }
}

extension ServerUnderTest {
    /// Runs a server with its operators' pages.
    func operated(
        _ configuration: ServerConfiguration? = nil,
        _ body: @escaping @Sendable (TestHTTPClient, OperatorBrowser) async throws -> Void
    ) async throws {
        var configuration = configuration ?? self.configuration
        configuration.operatorPages.listen = ListenAddress(port: 0)
        try await OperatorPassword(in: folder).set(OperatorBrowser.password, cost: configuration.passwords)
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        try await run(configuration, onOperatorListening: { found.yield($0) }) { caller in
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            try await body(caller, OperatorBrowser(port: port))
        }
    }
}
