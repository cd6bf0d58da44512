// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser
import HTTPTypes
import Testing

@testable import FreshetHTTP

@Suite struct `The route of a parsed request` {
    private struct Unparsed: Error {}

    private func parsed(_ text: String) throws -> (FastPathRoute, HTTPFields) {
        try Array(text.utf8).withUnsafeBytes { bytes in
            guard case .complete(let request) = FastPathRoute.parser(RequestLimits()).parse(bytes) else {
                throw Unparsed()
            }
            let route = FastPathRoute(request)
            return (route, route.fields(request, in: bytes))
        }
    }

    @Test func `a request is parsed as its fast path route, with the fields that can change its response`() throws {
        let names =
            "X-Request-Id: 7\r\ntraceparent:  00-a\r\nX-Forwarded-For: 192.0.2.1\r\nx-forwarded-for: 192.0.2.2\r\n"
        for route in FastPathRoute.allCases {
            let body = route.hasBody ? "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" : "\r\n"
            let line = "\(route.method) \(route.path) HTTP/1.1\r\n"
            let (found, fields) = try parsed(line + "Host: a\r\nAccept: */*\r\n" + names + body)
            let expected: HTTPFields = [
                .requestID: "7", .traceParent: "00-a", .forwardedFor: "192.0.2.1", .forwardedFor: "192.0.2.2",
            ]
            #expect(found == route && fields == expected)
        }
    }

    @Test func `the Authorization field is parsed for a route with an access token, and ignored for a refresh`() throws
    {
        let token = "Host: a\r\nAuthorization: Bearer x\r\n"
        #expect(try parsed("GET /v1/me HTTP/1.1\r\n\(token)\r\n").1 == [.authorization: "Bearer x"])
        let body = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
        #expect(try parsed("POST /v1/refresh HTTP/1.1\r\n\(token)\(body)").1.isEmpty)
    }
}
