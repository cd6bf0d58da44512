// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLRequest {
    /// The body, wherever it stands; a stream is read to its end, which waits for its writer.
    ///
    /// - Throws: What the stream fails with.
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

    /// The same request with its body in one piece.
    ///
    /// A stream is read on a thread of its own: its writer may be a task that needs this one.
    ///
    /// - Throws: What the stream fails with.
    func withBufferedBody() async throws -> URLRequest {
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

/// A request whose stream only one thread reads.
private struct StreamedRequest: @unchecked Sendable {
    let request: URLRequest
}
