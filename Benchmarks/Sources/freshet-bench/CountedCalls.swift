// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// One kind of request, so many times, and nothing else: for a program that counts the instructions of a process.
///
/// A count says what CPU time cannot on a shared machine: the same requests take the same number within a few per mille.
struct CountedCalls {
    enum Kind: String, CaseIterable {
        case urlSession = "urlsession"
        /// By its delegate.
        case delegatedURLSession = "urlsession-delegate"
        case sessionOverURLSession = "urlsession-delegate+session"
        case httpClient = "httpclient"
        case sessionOverHTTPClient = "httpclient+session"
        case validToken = "token"
    }

    /// Where a responder listens that somebody else started: a program that counts may not let this one start others.
    let port: UInt16
    let kind: Kind
    let callers: Int
    let requests: Int

    init(_ arguments: ArraySlice<String>) throws {
        let arguments = Array(arguments)
        guard arguments.count == 4, let port = UInt16(arguments[0]), let kind = Kind(rawValue: arguments[1]),
            let callers = Int(arguments[2]), let requests = Int(arguments[3]), callers > 0, requests >= callers
        else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: "|")
            throw BenchmarkError("freshet-bench calls PORT \(kinds) CALLERS REQUESTS")
        }
        (self.port, self.kind, self.callers, self.requests) = (port, kind, callers, requests)
    }

    func run() async throws {
        let subjects = try await SDKSubjects(port: port)
        let call = subjects.call(kind)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    for _ in 0..<requests / callers { try await call() }
                }
            }
            try await group.waitForAll()
        }
        try await subjects.shutDown()
    }
}
