// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetKit
import FreshetWire
import PostgresCluster
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `freshet serve` as a process of its own, which apps' clients reach over HTTP and in no other way.
struct RunningServer: Sendable {
    let address: String
    let folder: URL
    /// The file with the server's standard error.
    var log: URL { folder.appending(path: "log") }
    /// For signals.
    let process: ChildProcess
    /// Where it keeps its rows, for the tool and for servers beside it; empty if that is its folder.
    let database: [String: String]

    /// The program that this very build made.
    static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "freshet")

    /// The contract of an app, as it comes with the SDK.
    static func contract(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Client/FreshetKit/Contract/presets/\(name).json").standardized.path
    }

    /// Starts a server with `arguments`, lets `body` talk to it, and ends it.
    ///
    /// A `launcher` is a program that becomes the server, such as `/usr/bin/env`.
    static func run(
        _ arguments: [String],
        accessTTL: String? = "10m",
        hasData: Bool = true,
        environment: [String: String] = [:],
        launcher: URL? = nil,
        prepare: (URL) throws -> [String] = { _ in [] },
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-dialect-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let lifetime = accessTTL.map { ["--access-ttl", $0] } ?? []
        let more = try prepare(folder)
        var database: [String: String] = [:]
        if hasData, let address = try PostgresCluster.databaseIfAsked() { database["FRESHET_DATABASE"] = address }
        let data = hasData ? ["--data", folder.appending(path: "data").path] : []
        let process = try ChildProcess(
            (launcher.map { _ in [program.path] } ?? []) + ["serve", "--port", "0", "--until-stdin-closes"] + data
                + lifetime
                + arguments + more,
            program: launcher ?? program,
            environment: environment.merging(database) { $1 }.merging(["FRESHET_PASSWORD_COST": "10"]) { $1 },
            keepsInputOpen: true,
            log: try FileHandle(forWritingTo: log)
        )
        let first = await process.lines.first { _ in true }
        let address = try #require(first?.split(separator: " ").last.map(String.init), "the server does not start")
        do {
            try await body(RunningServer(address: address, folder: folder, process: process, database: database))
        } catch {
            await process.terminate()
            throw error
        }
        await process.terminate()
        // The log contains no token, even after a failure.
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(!text.contains("frt_"))
        // A random ID may contain the first letters of a JWT.
        #expect(!text.contains(/eyJ[\w-]+\.eyJ/))
    }

    /// An answer: its status, and its JSON.
    struct Reply: @unchecked Sendable {
        var status: Int
        var headers: [String: String]
        var object: [String: Any]
        var text: String

        func string(_ name: String) -> String? { object[name] as? String }
    }

    /// Sends what an app's client sends.
    func send(
        _ method: String,
        _ path: String,
        json: [String: String]? = nil,
        bearer: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Reply {
        var request = URLRequest(url: try #require(URL(string: address + path)))
        request.httpMethod = method
        request.cachePolicy = .reloadIgnoringLocalCacheData
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        if let json {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: json)
        }
        let (data, answer) = try await URLSessionTransport.shared.data(for: request)
        var fields: [String: String] = [:]
        for (name, value) in answer.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
        let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        let text = String(decoding: data, as: UTF8.self)
        return Reply(status: answer.statusCode, headers: fields, object: object ?? [:], text: text)
    }

    /// Asks with a token that has just ended; one with the same times as `bearer` is taken, so only its end is refused.
    ///
    /// No test waits for a token to end.
    func askTooLate(_ path: String, _ bearer: String) async throws -> Reply {
        #expect(try await send("GET", path, bearer: rewritten(bearer)).status == 200)
        return try await send("GET", path, bearer: ended(bearer))
    }

    /// A token that says what `bearer` says, but ended half a minute ago.
    func ended(_ bearer: String) throws -> String {
        let end = try #require(Reply.claim("exp", of: bearer))
        return try rewritten(bearer, earlierBy: Int(end - Date().timeIntervalSince1970) + 30)
    }

    /// A token that says what `bearer` says, but for its times, signed by the server's own key.
    private func rewritten(_ bearer: String, earlierBy seconds: Int = 0) throws -> String {
        let parts = bearer.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let payload = try #require(Base64URL.decode(parts[1]))
        var claims = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
        for name in ["iat", "exp"] { claims[name] = try #require(claims[name] as? Int) - seconds }
        let text = try parts[0] + "." + Base64URL.encode(JSONSerialization.data(withJSONObject: claims))
        let pem = try String(contentsOf: folder.appending(path: "data/keys/es256-1.pem"), encoding: .utf8)
        let signature = try P256.Signing.PrivateKey(pemRepresentation: pem).signature(for: Data(text.utf8))
        return text + "." + Base64URL.encode(signature.rawRepresentation)
    }

    /// Has the server read its keys and certificate again, and waits until its log says that this is done.
    func hangUp() async throws {
        let done = "SIGHUP: keys and certificate were looked at again"
        let times = try String(contentsOf: log, encoding: .utf8).components(separatedBy: done).count
        let tail = try ChildProcess(["-n", "+1", "-f", log.path], program: URL(filePath: "/usr/bin/tail"))
        process.signal(SIGHUP)
        var seen = 0
        for await line in tail.lines where line.contains(done) {
            seen += 1
            if seen == times { break }
        }
        await tail.kill()
        #expect(seen == times, "the server's log cannot be followed")
    }

    /// Makes an account the native way, for apps whose own way is not known.
    func signUp(_ email: String = "ann@example.com") async throws {
        let reply = try await send("POST", "/v1/signup", json: ["email": email, "password": "correct horse"])
        #expect(reply.status == 201)
    }

    /// The newest code that was mailed to an address: in development mail is a line of the log.
    func code(for email: String) throws -> String {
        let text = try String(contentsOf: log, encoding: .utf8)
        let lines = text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String]
        }
        return try #require(lines.last { $0["email"] == email && $0["code"] != nil }?["code"])
    }
}

extension RunningServer.Reply {
    /// A claim of an access token, which clients of these apps read for its end.
    static func claim(_ name: String, of token: String?) -> Double? {
        guard let parts = token?.split(separator: "."), parts.count == 3 else { return nil }
        // Base64url, as JWTs are written, is not what Foundation reads.
        var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        let data = Data(base64Encoded: String(text)) ?? Data()
        return (try? JSONSerialization.jsonObject(with: data) as? [String: Any])?[name] as? Double
    }
}
