// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem

@testable import FreshetServer

/// aiosmtpd, as `Tests/Backends/smtp.py` starts it; it ends with its standard input.
final class MailServerUnderTest: Sendable {
    /// A line of the server's output, about itself or about a mail.
    struct Line: Decodable, Sendable {
        var port: Int?
        var login: Bool?
        var hanging: String?
        var from: String?
        var to: [String]?
        var tls: Bool?
        var user: String?
        var mail: String?
    }

    struct Silent: Error {}

    let port: Int
    let lines: AsyncStream<Line>
    private let input: FileHandle
    private let program: Subprocess
    private let ended: Task<Void, Never>

    init(_ arguments: [String] = []) async throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Scripts/backends").standardized.path
        let (input, output) = (try Subprocess.pipe(), try Subprocess.pipe())
        let (endings, end) = AsyncStream.makeStream(of: Void.self)
        program = try Subprocess(
            [path, "start", "smtp"] + arguments,
            environment: ProcessInfo.processInfo.environment,
            input: input.reading,
            output: output.writing,
            log: .standardError,
            whenEnded: { _ in end.finish() }
        )
        try input.reading.close()
        try output.writing.close()
        self.input = input.writing
        ended = Task { for await _ in endings {} }
        let (first, head) = AsyncStream.makeStream(of: Int.self)
        let (lines, rest) = AsyncStream.makeStream(of: Line.self)
        self.lines = lines
        Thread.detachNewThread {
            var text = Data()
            while case let data = output.reading.availableData, !data.isEmpty {
                text += data
                while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = try? JSONDecoder().decode(Line.self, from: text[text.startIndex..<end])
                    text = Data(text[text.index(after: end)...])
                    guard let line else { continue }
                    if let port = line.port { head.yield(port) } else { rest.yield(line) }
                }
            }
            head.finish()
            rest.finish()
        }
        guard let port = await first.first(where: { _ in true }) else { throw Silent() }
        self.port = port
    }

    func end() async {
        try? input.close()
        await ended.value
    }

    /// A certificate for 127.0.0.1 with its key, signed by itself, in `folder`.
    static func certificate(in folder: URL) throws -> (both: String, certificate: String) {
        let (key, certificate) = (folder.appending(path: "key.pem").path, folder.appending(path: "cert.pem").path)
        let command = [
            "/usr/bin/env", "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=mail.test", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout",
            key, "-out", certificate,
        ]
        let openssl = try Subprocess(command, environment: ProcessInfo.processInfo.environment)
        _ = openssl.wait(until: .now + .seconds(60))
        let both = folder.appending(path: "both.pem")
        try (Data(contentsOf: URL(filePath: key)) + Data(contentsOf: URL(filePath: certificate))).write(to: both)
        return (both.path, certificate)
    }
}
