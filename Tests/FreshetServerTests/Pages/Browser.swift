// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import FreshetPages
@testable import FreshetServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks for pages as a browser does: keeps cookies, sends forms, and goes where it is told only if the test says so.
final class Browser: NSObject, URLSessionTaskDelegate, Sendable {
    struct Answer: Sendable {
        var status: Int
        var fields: [String: String]
        var text: String

        var location: String? { fields["location"] }

        /// The value of the first hidden field of this name.
        func hidden(_ name: String) -> String? {
            let mark = #"name="\#(name)" value=""#
            guard let start = text.range(of: mark)?.upperBound else { return nil }
            return text[start...].prefix { $0 != "\"" }.description
        }

        var heading: String? {
            guard let start = text.range(of: "<h1>")?.upperBound else { return nil }
            return text[start...].prefix { $0 != "<" }.description
        }

        var notice: String? {
            guard let start = text.range(of: #"role="status">"#)?.upperBound else { return nil }
            return text[start...].prefix { $0 != "<" }.description
        }
    }

    static let cookie = "__Host-freshet-account"

    private let port: Int
    private let agent: String
    private let jar = NIOLockedValueBox<[String: String]>([:])
    private let setCookies = NIOLockedValueBox<[String]>([])

    init(
        _ caller: TestHTTPClient,
        agent: String = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    )
        throws
    {
        port = try #require(caller.port)
        self.agent = agent
    }

    var cookies: [String: String] {
        get { jar.withLockedValue { $0 } }
        set { jar.withLockedValue { $0 = newValue } }
    }

    /// The `Set-Cookie` fields of the last answer.
    var lastCookies: [String] { setCookies.withLockedValue { $0 } }

    func open(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", path, nil, headers)
    }

    /// Sends a form; its word is read from the page at `page`, unless the test has one.
    func submit(
        _ path: String,
        _ fields: [String: String] = [:],
        from page: String = "/account",
        formToken: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        var fields = fields
        let own = formToken == nil ? try await open(page).hidden(PageForm.tokenField) : formToken
        let required: String = try #require(own, "no form at \(page)")
        fields[PageForm.tokenField] = required
        let allowed = CharacterSet.alphanumerics
        let body = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
        return try await send("POST", path, body, headers)
    }

    func send(_ method: String, _ path: String, _ body: String?, _ headers: [String: String]) async throws -> Answer {
        let url = try #require(URL(string: "http://localhost:\(port)\(path)"))
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpShouldHandleCookies = false
        request.setValue(agent, forHTTPHeaderField: "User-Agent")
        if let body {
            request.httpBody = Data(body.utf8)
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        }
        let pairs = cookies.map { "\($0.key)=\($0.value)" }.sorted()
        if !pairs.isEmpty { request.setValue(pairs.joined(separator: "; "), forHTTPHeaderField: "Cookie") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        var fields: [String: String] = [:]
        for (name, value) in answer.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
        keep(fields["set-cookie"] ?? "")
        return Answer(status: answer.statusCode, fields: fields, text: String(decoding: data, as: UTF8.self))
    }

    /// Several fields come as one, with commas between them.
    private func keep(_ text: String) {
        let fields = text.replacing(", __Host-", with: "\n__Host-").split(separator: "\n").map(String.init)
        setCookies.withLockedValue { $0 = fields }
        jar.withLockedValue { jar in
            for field in fields {
                let pair = field.prefix { $0 != ";" }.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                guard pair.count == 2 else { continue }
                jar[String(pair[0])] = field.contains("Max-Age=0") ? nil : String(pair[1])
            }
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    // MARK: - As a user

    /// Asks for a code and sends it.
    @discardableResult
    func signIn(_ email: String, _ caller: TestHTTPClient) async throws -> Answer {
        let asked = try await submit("/account/sign-in", ["email": email])
        try #require(asked.location == "/account/code", "\(asked)")
        let code = try #require(caller.sentCode("login code")?.code)
        return try await submit("/account/code", ["code": code], from: "/account/code")
    }
}
