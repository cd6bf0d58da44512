// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

open class Session: @unchecked Sendable {
    public init() {}
}

open class Request: @unchecked Sendable {
    public let id = UUID()
    public var request: URLRequest? { nil }
    public var response: HTTPURLResponse? { nil }
    public var retryCount: Int { 0 }
}

public enum RetryResult: Sendable {
    case retry
    case retryWithDelay(TimeInterval)
    case doNotRetry
    case doNotRetryWithError(any Error)
}

public struct RequestAdapterState: Sendable {
    public let requestID: UUID
    public let session: Session
}

public protocol RequestAdapter: Sendable {
    func adapt(
        _ urlRequest: URLRequest,
        for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    )
    func adapt(
        _ urlRequest: URLRequest,
        using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    )
}

public protocol RequestRetrier: Sendable {
    func retry(
        _ request: Request,
        for session: Session,
        dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    )
}

public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    public func adapt(
        _ urlRequest: URLRequest,
        for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {}
}
