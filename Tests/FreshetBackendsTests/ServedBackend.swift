// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetBackends
import FreshetKit
import FreshetTesting
import Logging
import ServiceLifecycle
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A double that is served on this machine for as long as a test needs it, and a client that knows nothing of sessions.
struct ServedBackend: Sendable {
    /// An answer that arrived.
    struct Answer {
        var status: Int
        var headers: [String: String]
        var body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var fields: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

        func text(_ key: String) throws -> String { try #require(fields[key] as? String) }
        func object(_ key: String) throws -> [String: Any] { try #require(fields[key] as? [String: Any]) }
    }

    let backend: AppBackend
    let url: String
    let log: Logger
    private let transport = URLSessionTransport()

    /// Serves, lets `body` ask, and stops.
    static func live(
        _ configuration: BackendServerConfiguration,
        _ body: (ServedBackend) async throws -> Void
    ) async throws {
        let (urls, url) = AsyncStream.makeStream(of: String.self)
        var log = Logger(label: "backend")
        log.logLevel = .error
        let server = try BackendServer(configuration, log: log) { url.yield($0) }
        let group = ServiceGroup(services: [server], logger: log)
        async let serving: Void = group.run()
        let address = try #require(await urls.first { _ in true })
        do {
            try await body(ServedBackend(backend: server.backend, url: address, log: log))
        } catch {
            await group.triggerGracefulShutdown()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await serving
    }

    static func live(_ backend: String, _ body: (ServedBackend) async throws -> Void) async throws {
        try await live(BackendServerConfiguration(backend: backend), body)
    }

    func send(
        _ method: String,
        _ path: String,
        _ json: String? = nil,
        bearer: String? = nil,
        base: String? = nil
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: (base ?? url) + path)))
        request.httpMethod = method
        if let json {
            request.httpBody = Data(json.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        // As sessions do: a write goes on a connection of its own, which nobody repeats when it is lost.
        let (body, response) =
            method == "POST"
            ? try await transport.exchange(request, deadline: .seconds(30)) : try await transport.data(for: request)
        let headers = response.allHeaderFields.reduce(into: [String: String]()) { headers, field in
            headers["\(field.key)".lowercased()] = "\(field.value)"
        }
        return Answer(status: response.statusCode, headers: headers, body: body)
    }

    /// Changes the double by one of its control paths.
    @discardableResult
    func control(_ path: String, _ json: String) async throws -> Answer {
        let answer = try await send("POST", "/__backend/\(path)", json)
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    /// The requests that the fake backend has counted.
    func counts() async throws -> [String: Any] { try await send("GET", "/__backend/counts").object("counts") }
}
