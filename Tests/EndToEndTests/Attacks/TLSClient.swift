// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// `openssl`, which makes certificates and speaks TLS for bytes that a test writes itself.
enum TLSClient {
    private static let program = URL(filePath: "/usr/bin/openssl")

    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: program.path) }

    /// Makes a certificate in `folder`, and returns the arguments of a server that uses it.
    static func makeCertificate(in folder: URL) async throws -> [String] {
        let (certificate, key) = (folder.appending(path: "tls.pem"), folder.appending(path: "tls.key"))
        let made = try ChildProcess(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key.path, "-out",
                certificate.path,
            ],
            program: program
        )
        try #require(await made.wait().status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        return ["--tls-certificate", certificate.path, "--tls-key", key.path]
    }

    /// Connects, and writes `bytes`; what arrives is the process's output.
    static func start(_ bytes: [UInt8], port: Int, protocol name: String, in folder: URL) throws -> ChildProcess {
        let input = folder.appending(path: "tls-input-\(UUID())")
        try Data(bytes).write(to: input)
        let line = "exec openssl s_client -quiet -ign_eof -alpn \(name) -connect 127.0.0.1:\(port) < '\(input.path)'"
        return try ChildProcess(["-c", line], program: URL(filePath: "/bin/sh"))
    }

    /// Connects, writes `bytes`, and returns what arrives until the server closes.
    static func exchange(_ bytes: [UInt8], port: Int, protocol name: String, in folder: URL) async throws -> String {
        try await start(bytes, port: port, protocol: name, in: folder).wait().output
    }

    /// An HTTP/2 connection's first bytes: the preface, settings without a window, and GETs of `path` on as many streams.
    static func withoutWindow(requesting path: String, streams: Int) -> [UInt8] {
        // SETTINGS_INITIAL_WINDOW_SIZE is 4.
        var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [0, 4, 0, 0, 0, 0])
        // RFC 7541: GET, https, then :path and :authority as literals that are not indexed.
        let fields =
            [0x82, 0x87, 0x04, UInt8(path.utf8.count)] + Array(path.utf8) + [0x01, 9] + Array("localhost".utf8)
        for number in 0..<UInt32(streams) { bytes += frame(1, 0x05, 2 * number + 1, fields) }
        return bytes
    }

    /// An HTTP/2 connection's first bytes: the preface, empty settings, and the head of a POST whose body never comes.
    static func withoutBody(posting path: String) -> [UInt8] {
        var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])
        // RFC 7541: POST, https, then :path, :authority, content-type and content-length as literals that are not indexed.
        var fields: [UInt8] = [0x83, 0x87]
        for (name, value) in [
            ([0x04], path), ([0x01], "localhost"), ([0x0F, 0x10], "application/json"), ([0x0F, 0x0D], "500"),
        ] as [([UInt8], String)] {
            fields += name + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        bytes += frame(1, 0x04, 1, fields)
        return bytes
    }

    /// A PING of line feeds: its answer ends a line of what arrives, once all before it has been read.
    static let ping = frame(6, 0, 0, [UInt8](repeating: 0x0A, count: 8))

    private static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let length = UInt32(payload.count).bigEndian
        return withUnsafeBytes(of: length) { Array($0.dropFirst()) } + [kind, flags]
            + withUnsafeBytes(of: stream.bigEndian) { Array($0) } + payload
    }
}
