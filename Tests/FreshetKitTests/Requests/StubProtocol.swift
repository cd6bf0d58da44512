// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A protocol class that answers requests in the process, some of them after a challenge.
final class StubProtocol: URLProtocol {
    typealias Reply = @Sendable (URLRequest) -> (status: Int, body: String)

    private struct Stub {
        var reply: Reply
        var challenge: URLProtectionSpace?
    }

    /// Tests run at once, and a protocol class has no other way to know whose request it has.
    private static let stubs = Locked<[String: Stub]>([:])

    /// Registers a stub under a host of its own.
    ///
    /// - Parameters:
    ///   - challenge: The protection space of a challenge before the reply.
    ///   - reply: The reply, which a cancelled challenge prevents.
    /// - Returns: The URL of the host.
    /// - Throws: `URLError.badURL`, which a host like this never causes.
    static func register(challenge: URLProtectionSpace? = nil, _ reply: @escaping Reply) throws -> URL {
        let host = "\(UUID().uuidString.lowercased()).test"
        guard let url = URL(string: "https://\(host)") else { throw URLError(.badURL) }
        stubs.withLock { $0[host] = Stub(reply: reply, challenge: challenge) }
        return url
    }

    static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.protocolClasses = [StubProtocol.self]
        return configuration
    }

    private var stub: Stub? { request.url?.host.flatMap { host in Self.stubs.withLock { $0[host] } } }

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let space = stub?.challenge else { return answer() }
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: nil,
            previousFailureCount: 0,
            failureResponse: nil,
            error: nil,
            sender: ChallengeSender(self)
        )
        client?.urlProtocol(self, didReceive: challenge)
    }

    override func stopLoading() {}

    fileprivate func answer() {
        guard let stub, let url = request.url else { return }
        let (status, body) = stub.reply(request)
        guard
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(body.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}

/// Lets the request of a challenge go on.
///
/// On Linux Foundation does not call it, and a test's delegate does.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, @unchecked Sendable {
    private let subject: StubProtocol

    init(_ subject: StubProtocol) { self.subject = subject }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { subject.answer() }
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { subject.answer() }
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) { subject.answer() }
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { cancel(challenge) }
    func cancel(_ challenge: URLAuthenticationChallenge) {
        subject.client?.urlProtocol(subject, didFailWithError: URLError(.cancelled))
    }
}
