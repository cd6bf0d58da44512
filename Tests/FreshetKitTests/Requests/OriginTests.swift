// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct `Origins and redirects` {
    private func origin(_ text: String) -> Origin? { Origin(URL(string: text)) }

    @Test func `an origin is scheme, host and port`() {
        #expect(origin("https://API.example.com/a")?.description == "https://api.example.com:443")
        #expect(origin("https://api.example.com") == origin("https://api.example.com:443/x?y"))
        #expect(origin("https://api.example.com") != origin("https://api.example.com:8443"))
        #expect(origin("https://api.example.com") != origin("http://api.example.com"))
        #expect(origin("http://[::1]:80/")?.isLoopback == true)
        for text in ["https://a:99999", "https://a:65536", "https://a:0"] { #expect(origin(text) == nil) }
        for text in ["ftp://a", "/path", "https://", "https://user@api.example.com", "data:,x"] {
            #expect(origin(text) == nil)
        }
    }

    @Test(arguments: ["https://api.example.com/?tenant=a", "https://api.example.com/#top"])
    func `a base URL with a query or fragment is refused`(text: String) throws {
        let url = try Fixtures.url(text)
        #expect(throws: SessionError.self) { try AuthSession.Configuration().permittedOrigins(url, .freshet) }
    }

    @Test(arguments: ["http://localhost:1", "http://127.0.0.1", "http://[::1]:8080", "http://x.localhost"])
    func `an unencrypted URL of a loopback host is permitted`(text: String) throws {
        #expect(try AuthSession.Configuration().permittedOrigins(Fixtures.url(text), .freshet).count == 1)
    }

    @Test(arguments: ["http://example.com", "http://127.evil.example", "http://localhost.example"])
    func `an unencrypted URL of another host is refused unless the configuration allows it`(text: String) throws {
        let url = try Fixtures.url(text)
        #expect(throws: SessionError.self) { try AuthSession.Configuration().permittedOrigins(url, .freshet) }
        var configuration = AuthSession.Configuration()
        configuration.allowsUnencryptedConnectionsToOtherMachines = true
        #expect(try configuration.permittedOrigins(url, .freshet).count == 1)
    }

    @Test func `additional hosts use the base URL's scheme unless they have their own`() throws {
        var configuration = AuthSession.Configuration()
        configuration.additionalHosts = ["cdn.example.com", "cdn.example.com:8443", "https://other.example"]
        let names = try configuration.permittedOrigins(Fixtures.base(), .freshet).map(\.description).sorted()
        #expect(
            names == [
                "https://api.example.com:443", "https://cdn.example.com:443", "https://cdn.example.com:8443",
                "https://other.example:443",
            ]
        )
        configuration.additionalHosts = ["no host"]
        #expect(throws: SessionError.self) { try configuration.permittedOrigins(Fixtures.base(), .freshet) }
        configuration.additionalHosts = ["http://plain.example"]
        #expect(throws: SessionError.self) { try configuration.permittedOrigins(Fixtures.base(), .freshet) }
    }

    // MARK: Redirects

    private func redirect(
        _ status: Int,
        to location: String,
        method: String = "GET",
        streams: Bool = false
    ) throws -> URLRequest? {
        var request = URLRequest(url: try Fixtures.url("https://api.example.com/a/b"))
        request.httpMethod = method
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if streams {
            request.httpBodyStream = InputStream(data: Data("x".utf8))
        } else {
            request.httpBody = Data("x".utf8)
        }
        let response = try #require(
            HTTPURLResponse(
                url: Fixtures.base(),
                statusCode: status,
                httpVersion: nil,
                headerFields: ["Location": location]
            )
        )
        return Redirect.request(after: response, to: request)?.request
    }

    @Test(arguments: ["https://api.example.com/c", "/c", "../c"])
    func `a redirect within the same origin keeps the Authorization header`(location: String) throws {
        let next = try #require(try redirect(307, to: location))
        #expect(next.url?.absoluteString == "https://api.example.com/c")
        #expect(next.value(forHTTPHeaderField: "Authorization") == "Bearer secret")
    }

    @Test(arguments: ["https://api.example.com:8443/c", "https://evil.example/c", "//evil.example/c"])
    func `a redirect to another origin drops the Authorization header`(location: String) throws {
        let next = try #require(try redirect(307, to: location))
        #expect(next.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test(arguments: ["http://api.example.com/c", "ftp://api.example.com/c", ""])
    func `a redirect from https to an unencrypted or unsupported scheme is not followed`(location: String) throws {
        let next = try redirect(302, to: location)
        #expect(next == nil || next?.url?.scheme == "https")
    }

    @Test func `the method and body of a redirected request change as HTTP specifies`() throws {
        #expect(try redirect(301, to: "/c", method: "POST")?.httpMethod == "GET")
        #expect(try redirect(302, to: "/c", method: "POST")?.httpBody == nil)
        #expect(try redirect(302, to: "/c", method: "PUT")?.httpMethod == "PUT")
        #expect(try redirect(303, to: "/c", method: "PUT")?.httpMethod == "GET")
        #expect(try redirect(303, to: "/c", method: "HEAD")?.httpMethod == "HEAD")
        #expect(try redirect(307, to: "/c", method: "POST")?.httpBody == Data("x".utf8))
        #expect(try redirect(308, to: "/c", method: "POST")?.httpMethod == "POST")
        #expect(try redirect(304, to: "/c") == nil)
        #expect(try redirect(200, to: "/c") == nil)
        #expect(try redirect(307, to: "/c", method: "PUT", streams: true) == nil, "a stream is sent once")
    }
}
