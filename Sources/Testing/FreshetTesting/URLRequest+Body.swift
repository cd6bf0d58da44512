// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

extension URLRequest {
    /// Returns the request's body.
    ///
    /// A stream is read to its end, which blocks until its writer is done.
    ///
    /// - Throws: The error of the stream.
    func wholeBody() throws -> Data {
        if let httpBody { return httpBody }
        guard let stream = httpBodyStream else { return Data() }
        var body = Data()
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        stream.open()
        defer { stream.close() }
        while case let count = stream.read(&buffer, maxLength: buffer.count), count != 0 {
            guard count > 0 else { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
            body.append(contentsOf: buffer[..<count])
        }
        return body
    }

    /// Returns the request with its body buffered.
    ///
    /// A stream is read on a separate thread: its writer may be a task that needs the current one.
    ///
    /// - Throws: The error of the stream.
    package func withBufferedBody() async throws -> URLRequest {
        guard httpBodyStream != nil, httpBody == nil else { return self }
        let source = StreamedRequest(request: self)
        let body = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try source.request.wholeBody() }) }
        }
        var whole = self
        whole.httpBodyStream = nil
        whole.httpBody = body
        return whole
    }
}

/// A request whose stream is read by one thread only.
private struct StreamedRequest: @unchecked Sendable {
    let request: URLRequest
}
