// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Support for other targets of the SDK that send requests for one owner.
extension AuthSession {
    /// A response and its request, which is the first one or the last of a chain of redirects.
    package struct OwnedResponse: Sendable {
        package var data: Data
        package var response: HTTPURLResponse
        package var request: URLRequest
    }

    /// Sends a request with a token of `owner`; fails if that owner is not signed in, or another user signs in in the
    /// meantime.
    ///
    /// Does not follow redirects to other origins: the request's body is intended for its original origin.
    package func send(_ request: URLRequest, as owner: SessionOwner) async throws -> OwnedResponse {
        var pipeline = pipeline
        pipeline.tokens = pipeline.tokens.automatic
        pipeline.tokens.owner = owner
        pipeline.redirects = .sameOrigin
        let reply: RequestPipeline.Reply<CollectedBody> = try await pipeline.exchange(request)
        let (body, response) = reply.answer
        return OwnedResponse(data: try body.whole(), response: response, request: reply.request)
    }

    /// Whether the session's token may go to the request's origin.
    package func isPermitted(_ request: URLRequest) -> Bool {
        Origin(request.url).map(pipeline.origins.contains) ?? false
    }

    /// Classifies a response to a request of the app.
    package func outcome(of data: Data, _ response: HTTPURLResponse) -> Outcome {
        contract.classify(HTTPReply(data, response), on: .api)
    }

    /// The server's message and code in a response that refuses a request.
    package func refusalText(in data: Data, _ response: HTTPURLResponse) -> String? {
        guard case .refused(let code, let message) = contract.classifier.refusal(in: HTTPReply(data, response)) else {
            return nil
        }
        return message.map { "\($0) (\(code))" } ?? code
    }

    /// The backend's origin, such as `https://api.example.com:443`.
    package var origin: String { driver.origin }

    /// The session's clock.
    package var clock: SessionClock { endpoint.clock }

    /// The names of the header fields that carry the session's token or accompany it.
    package var credentialHeaderNames: [String] { contract.document.requestAuthorization.headerNames }

    /// Reads the store again if the session is signed out: another process may have signed in.
    package func readStoreIfSignedOut() async { await driver.readStoreIfSignedOut() }

    /// Requests a token without a waiting user, so that the session reads its store again when that is due.
    package func pollToken() async { _ = try? await driver.token(for: .valid, isUserInitiated: false) }

    /// Calls `body` once, after the next request that the server accepts with the session's token.
    package func onNextAcceptedRequest(_ body: @escaping @Sendable () -> Void) { published.acceptance.onNext(body) }

    /// Calls `observer` with each later event until ``removeObserver(_:)``, as ``observe(_:)`` does.
    ///
    /// - Returns: The observer's ID.
    package func addObserver(_ observer: @escaping @Sendable (SessionEvent) -> Void) -> Int {
        published.hub.addObserver(observer)
    }

    /// Removes an observer.
    package func removeObserver(_ id: Int) { published.hub.removeObserver(id) }
}
