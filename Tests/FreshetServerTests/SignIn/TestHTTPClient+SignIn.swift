// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures

@testable import FreshetIdentity
@testable import FreshetServer

extension TestHTTPClient {
    /// Posts as somebody at `source`, through a proxy.
    func post(_ path: String, _ body: some Encodable, from source: String, bearer: String? = nil) async throws -> Answer
    {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name("X-Forwarded-For") { headers[name] = source }
        let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
        return try await send(.post, path, text, bearer: bearer, headers: headers)
    }

    func sessions(_ grant: SessionTokens) async throws -> [SessionSummary] {
        try await send(.get, NativePath.sessions, bearer: grant.accessToken).json(SessionList.self).sessions
    }

    /// The last code that was sent for a purpose, with its attempt.
    func sentCode(_ kind: String) -> (attempt: String, code: String)? {
        guard let line = log.lines.last(where: { $0["message"] == kind }), let attempt = line["attempt"],
            let code = line["code"]
        else { return nil }
        return (attempt, code)
    }

    func signIn(password: String, knownDevice: String? = nil, device: Device? = nil, from source: String = "192.0.2.1")
        async throws -> Answer
    {
        let credentials = PasswordCredentials(
            email: "ann@example.com",
            password: password,
            device: device,
            knownDevice: knownDevice
        )
        return try await post(NativePath.loginPassword, credentials, from: source)
    }
}

extension ServerUnderTest {
    /// Settings under which this machine is a proxy.
    var behindProxy: ServerConfiguration {
        var configuration = configuration
        configuration.signIn.trustedProxies = ["127.0.0.1", "::1"].compactMap { AddressRange($0) }
        return configuration
    }
}
