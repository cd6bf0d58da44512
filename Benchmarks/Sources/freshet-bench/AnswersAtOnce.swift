// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport without a network.
struct AnswersAtOnce: HTTPTransport {
    private let data: Data
    private let response: HTTPURLResponse

    init(_ url: URL, body: String = Responder.body) throws {
        data = Data(body.utf8)
        let fields = ["Content-Type": "application/json", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        guard let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw BenchmarkError("no answer to give") }
        self.response = response
    }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { (data, response) }

    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        (data, response)
    }
}
