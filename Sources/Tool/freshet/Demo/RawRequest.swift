// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import FreshetWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests that bypass the SDK: they present a stolen token, or repeat a recorded request late.
struct RawRequest {
    let server: URL

    /// The status, and the reason or the error code in the body.
    struct Answer: Equatable {
        var status: Int
        var code: String?
    }

    /// Presents a refresh token with an arbitrary intent.
    func refresh(_ token: String, _ intent: Intent) async throws -> (answer: Answer, successor: String?) {
        let body = try JSONEncoder().encode(RefreshRequest(refreshToken: token, intent: intent.text))
        let (answer, data) = try await send(body)
        return (answer, (try? JSONDecoder().decode(SessionTokens.self, from: data))?.refreshToken)
    }

    /// Sends a recorded refresh again.
    func repeatRefresh(_ recorded: Data) async throws -> Answer {
        let separator = Data("\r\n\r\n".utf8)
        guard let head = recorded.range(of: separator) else { return Answer(status: 0, code: "not recorded") }
        return try await send(Data(recorded[head.upperBound...])).0
    }

    private func send(_ body: Data) async throws -> (Answer, Data) {
        var request = URLRequest(url: server.appending(path: "v1/refresh"))
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await NIOTransport().exchange(request, deadline: .seconds(10))
        let error = try? JSONDecoder().decode(ErrorBody.self, from: data)
        return (Answer(status: response.statusCode, code: error?.reason ?? error?.error), data)
    }
}
