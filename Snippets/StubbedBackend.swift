// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

guard let server = URL(string: "https://api.example.com") else { exit(64) }

// snippet.show
/// Answers every request in the process, refreshes included.
final class StubbedBackend: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let body =
            request.url?.path == "/auth/refresh"
            ? #"{"access_token": "a1", "refresh_token": "r1"}"# : #"{"name": "Ann"}"#
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(body.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

let configuration = URLSessionConfiguration.ephemeral
configuration.protocolClasses = [StubbedBackend.self]
let session = try AuthSession(
    contract: .named("bitbasel"),
    baseURL: server,
    store: InMemoryStore(),
    transport: URLSessionTransport(configuration: configuration)
)
// snippet.hide
let tokens = TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .seconds(600))
try await session.signIn(.tokens(tokens))
try await session.refresh()
let (data, _) = try await session.data(for: URLRequest(url: server.appending(path: "me")))
print(String(decoding: data, as: UTF8.self))
