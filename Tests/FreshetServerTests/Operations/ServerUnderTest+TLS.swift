// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Testing

@testable import FreshetHTTP
@testable import FreshetServer

extension ServerUnderTest {
    /// Whether the programs that these methods run are installed.
    static let hasTLSPrograms = ["openssl", "curl"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    /// Runs a program, and returns its standard output.
    static func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        // Not Foundation's Process: it looks through all open files, which other tests open and close meanwhile.
        let quoted = (["/usr/bin/\(program)"] + arguments).map { "'\($0.replacing("'", with: "'\\''"))'" }
        let line = quoted.joined(separator: " ") + " </dev/null 2>/dev/null"
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                guard let stream = popen(line, "r") else {
                    return continuation.resume(throwing: POSIXError(.init(rawValue: errno) ?? .EIO))
                }
                var (output, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
                while case let count = fread(&part, 1, part.count, stream), count > 0 { output += part[..<count] }
                let status = pclose(stream) >> 8
                continuation.resume(returning: (status, String(decoding: output, as: UTF8.self)))
            }
        }
    }

    /// The files of a certificate in the server's folder.
    func certificateFiles(_ name: String) -> TLSFiles {
        TLSFiles(
            certificate: folder.appending(path: "\(name).pem"),
            key: folder.appending(path: "\(name).key")
        )
    }

    /// Creates a self-signed certificate for `localhost`, with openssl.
    func makeCertificate(_ name: String) async throws -> TLSFiles {
        try PrivateFiles.prepare(folder)
        let files = certificateFiles(name)
        let made = try await Self.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", files.key.path, "-out",
                files.certificate.path,
            ]
        )
        try #require(made.status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.key.path)
        return files
    }

    /// Sends a request with curl; the output has the head of the response and its body.
    func curl(_ caller: TestHTTPClient, _ path: String, trusting files: TLSFiles, _ more: [String] = [])
        async throws
        -> (
            status: Int32, output: String
        )
    {
        let port = try #require(caller.port)
        let url = "https://localhost:\(port)\(path)"
        let resolve = ["--resolve", "localhost:\(port):127.0.0.1", "--cacert", files.certificate.path]
        return try await Self.run("curl", ["-s", "-i", "--noproxy", "*", "--max-time", "30"] + resolve + more + [url])
    }
}
