// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension AuthSession {
    /// Opens the outbox in a folder, which is made for this user alone if need be, and begins to send what waits there.
    ///
    /// Keep it as long as it is to send. Several processes may share the folder, and so may several accounts: each one's
    /// requests are sent as itself.
    ///
    /// - Parameters:
    ///   - directory: A folder of its own; for an app with extensions, in the app group's container.
    ///   - configuration: What differs from the defaults.
    /// - Returns: The outbox.
    /// - Throws: ``OutboxError/storeUnavailable(_:)`` if the folder cannot be made, or others may write to it.
    public func outbox(
        directory: URL,
        configuration: OutboxConfiguration = OutboxConfiguration()
    ) throws(OutboxError) -> Outbox {
        try Outbox(self, directory: directory, configuration: configuration)
    }

    /// Sends a request with a token of `owner` or not at all, also where another user signs in meanwhile.
    ///
    /// Redirects to other origins are not followed: the request's body is for the origin that it was put down for.
    func send(_ request: URLRequest, as owner: SessionOwner) async throws -> RequestPipeline.Reply<CollectedBody> {
        var pipeline = pipeline
        pipeline.tokens = pipeline.tokens.automatic
        pipeline.tokens.owner = owner
        pipeline.redirects = .sameOrigin
        return try await pipeline.exchange(request)
    }

    /// Whether a request goes where the session's token may go.
    func isPermitted(_ request: URLRequest) -> Bool {
        Origin(request.url).map(pipeline.origins.contains) ?? false
    }

    /// What an answer to a request of the app means.
    func outcome(of data: Data, _ response: HTTPURLResponse) -> Outcome {
        contract.classify(HTTPReply(data, response), on: .api)
    }

    /// A server's words on why it refuses a request.
    func refusalText(in data: Data, _ response: HTTPURLResponse) -> String? {
        guard case .refused(let code, let message) = contract.classifier.refusal(in: HTTPReply(data, response)) else {
            return nil
        }
        return message.map { "\($0) (\(code))" } ?? code
    }
}
