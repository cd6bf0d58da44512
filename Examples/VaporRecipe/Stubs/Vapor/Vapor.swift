// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// The declarations of Vapor 4 that the recipe uses, for Scripts/check-vapor, which runs nothing.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) { fatalError() }
    public subscript(name: String) -> [String] { fatalError() }
}

public enum HTTPResponseStatus: Sendable {
    case badRequest, serviceUnavailable, unauthorized
}

public struct URI: Sendable {
    public var query: String?
}

public protocol Authenticatable {}

public final class Request: Sendable {
    public struct Authentication: Sendable {
        public func login<A: Authenticatable & Sendable>(_ instance: A) { fatalError() }
        public func require<A: Authenticatable & Sendable>(_ type: A.Type = A.self) throws -> A { fatalError() }
    }

    public var headers: HTTPHeaders {
        get { fatalError() }
        set { fatalError() }
    }
    public var url: URI {
        get { fatalError() }
        set { fatalError() }
    }
    public var auth: Authentication { fatalError() }
    init() { fatalError() }
}

public final class Response: Sendable {
    init() { fatalError() }
}

public protocol AsyncResponder: Sendable {
    @concurrent func respond(to request: Request) async throws -> Response
}

public protocol Middleware: Sendable {}

public protocol AsyncMiddleware: Middleware {
    @concurrent func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response
}

public struct Abort: Error {
    public init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:], reason: String? = nil) { fatalError() }
}

public protocol LifecycleHandler: Sendable {
    @concurrent func didBootAsync(_ application: Application) async throws
    @concurrent func shutdownAsync(_ application: Application) async
}

extension LifecycleHandler {
    public func didBootAsync(_ application: Application) async throws {}
    public func shutdownAsync(_ application: Application) async {}
}

public struct Logger: Sendable {
    public struct Message: ExpressibleByStringInterpolation {
        public init(stringLiteral value: String) { fatalError() }
    }

    public func warning(_ message: @autoclosure () -> Message) { fatalError() }
}

public protocol RoutesBuilder {}

extension RoutesBuilder {
    public func grouped(_ middleware: any Middleware...) -> any RoutesBuilder { fatalError() }
    public func get(_ path: String..., use closure: @Sendable @escaping (Request) async throws -> String) {
        fatalError()
    }
}

public final class Application: Sendable, RoutesBuilder {
    public struct Lifecycle: Sendable {
        public func use(_ handler: any LifecycleHandler) { fatalError() }
    }

    public var lifecycle: Lifecycle {
        get { fatalError() }
        set { fatalError() }
    }
    public var logger: Logger {
        get { fatalError() }
        set { fatalError() }
    }
    init() { fatalError() }
}
