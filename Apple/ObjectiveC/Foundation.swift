// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// Foundation of Apple's systems, as far as the delegates of URLSession need it: their methods are optional there.

@_exported public import ObjectiveC

public final class NSLock: @unchecked Sendable {
    public init() {}
    public func lock() {}
    public func unlock() {}
}

@objc public final class NSString: NSObject, Sendable {}

extension String: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { NSString() }
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout String?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout String?) -> Bool { false }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> String { "" }
}

@objc public final class Data: NSObject, Sendable, Equatable {
    public static func == (one: Data, other: Data) -> Bool { one === other }
}

@objc open class NSError: NSObject, Error, @unchecked Sendable {}

public struct URLError: Error, Sendable {
    public struct Code: Equatable, Sendable {
        public static let unsupportedURL = Code()
    }
    public let code: Code
}

@objc public final class URLRequest: NSObject, Sendable {
    public enum CachePolicy: Sendable {
        case useProtocolCachePolicy
    }
}

@objc open class URLResponse: NSObject, @unchecked Sendable {}

@objc open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public var statusCode: Int { 0 }
    public var allHeaderFields: [AnyHashable: Any] { [:] }
}

@objc open class URLCredential: NSObject, @unchecked Sendable {}
@objc open class URLCache: NSObject, @unchecked Sendable {}
@objc open class URLCredentialStorage: NSObject, @unchecked Sendable {}
@objc open class HTTPCookieStorage: NSObject, @unchecked Sendable {}

@objc open class HTTPCookie: NSObject, @unchecked Sendable {
    public enum AcceptPolicy: Sendable {
        case never
    }
}

public let NSURLAuthenticationMethodServerTrust = ""
public let NSURLAuthenticationMethodClientCertificate = ""
public let NSURLAuthenticationMethodNTLM = ""
public let NSURLAuthenticationMethodNegotiate = ""

@objc open class URLProtectionSpace: NSObject, @unchecked Sendable {
    public var authenticationMethod: String { "" }
    public func isProxy() -> Bool { false }
}

@objc open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    public var protectionSpace: URLProtectionSpace { URLProtectionSpace() }
    public var failureResponse: URLResponse? { nil }
}

@objc open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    public var requestCachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy
    public var timeoutIntervalForRequest: Double = 0
    public var timeoutIntervalForResource: Double = 0
    public var waitsForConnectivity = false
    public var httpShouldSetCookies = false
    public var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy = .never
    public var httpAdditionalHeaders: [AnyHashable: Any]?
    public var httpCookieStorage: HTTPCookieStorage?
    public var urlCredentialStorage: URLCredentialStorage?
    public var urlCache: URLCache?
    public func copy() -> Any { self }
}

@objc open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {}

@objc open class URLSessionTask: NSObject, @unchecked Sendable {
    public var taskIdentifier: Int { 0 }
    public var response: URLResponse? { nil }
}

@objc open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

@objc open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
    @objc public enum CloseCode: Int, Sendable {
        case invalid
    }
}

@objc open class URLSession: NSObject, @unchecked Sendable {
    @objc public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
    @objc public enum ResponseDisposition: Int, Sendable {
        case cancel, allow
    }
}

@objc public protocol URLSessionDelegate: Sendable {
    @objc optional func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
}

@objc public protocol URLSessionTaskDelegate: URLSessionDelegate {
    @objc optional func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)
    @objc optional func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    )
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    )
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    )
}

@objc public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    @objc optional func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    )
    @objc optional func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

@objc public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
    @objc optional func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    )
    @objc optional func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    )
}
