// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import FreshetWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests that no honest client sends: what a thief makes of a stolen token, and what a network repeats too late.
struct RawRequest {
    let server: URL

    /// Status, and the reason or error code of the body.
    struct Answer: Equatable {
        var status: Int
        var word: String?
    }

    /// Presents a refresh token under an intent of one's own choice.
    func refresh(_ token: String, _ intent: Intent) async throws -> (answer: Answer, successor: String?) {
        let body = try JSONEncoder().encode(RefreshRequest(refreshToken: token, intent: intent.text))
        let (answer, data) = try await send(body)
        return (answer, (try? JSONDecoder().decode(SessionTokens.self, from: data))?.refreshToken)
    }

    /// Delivers a recorded refresh once more.
    func repeatRefresh(_ recorded: Data) async throws -> Answer {
        let separator = Data("\r\n\r\n".utf8)
        guard let head = recorded.range(of: separator) else { return Answer(status: 0, word: "not recorded") }
        return try await send(Data(recorded[head.upperBound...])).0
    }

    private func send(_ body: Data) async throws -> (Answer, Data) {
        var request = URLRequest(url: server.appending(path: "v1/refresh"))
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await NIOTransport().exchange(request, deadline: .seconds(10))
        let error = try? JSONDecoder().decode(ErrorBody.self, from: data)
        return (Answer(status: response.statusCode, word: error?.reason ?? error?.error), data)
    }
}
