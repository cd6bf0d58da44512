// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import NIOCore

extension FastPathResponder {
    /// A complete response.
    struct Response: Sendable {
        var status: HTTPResponse.Status
        var date: String
        /// The header fields of the request's envelope, and of an error.
        var fields = HTTPFields()
        /// The JSON body, or `nil` for none.
        var body: [UInt8]?

        /// The head, for a handler that writes the response in parts.
        var head: HTTPResponse {
            var head = HTTPResponse(status: status, headerFields: JSONResponse.headers)
            head.headerFields.append(contentsOf: fields)
            if let body {
                head.headerFields[.contentLength] = String(body.count)
            } else {
                head.headerFields[.contentType] = nil
            }
            head.headerFields[.date] = date
            return head
        }

        /// Writes the response as HTTP/1.1 (RFC 9112).
        func write(to buffer: inout ByteBuffer) {
            buffer.writeStaticString("HTTP/1.1 ")
            buffer.writeString(String(status.code))
            buffer.writeStaticString(" ")
            buffer.writeString(status.reasonPhrase)
            buffer.writeStaticString("\r\n")
            if let body {
                buffer.writeStaticString("Content-Type: application/json\r\nContent-Length: ")
                buffer.writeString(String(body.count))
                buffer.writeStaticString("\r\n")
            }
            buffer.writeStaticString("Cache-Control: no-store\r\nDate: ")
            buffer.writeString(date)
            for field in fields {
                buffer.writeStaticString("\r\n")
                buffer.writeString(field.name.rawName)
                buffer.writeStaticString(": ")
                buffer.writeString(field.value)
            }
            buffer.writeStaticString("\r\n\r\n")
            if let body { buffer.writeBytes(body) }
        }
    }
}
