// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The program's command line options.
///
/// Scripts/bench writes the command line, so it is plain.
struct Options {
    struct Server {
        var port: UInt16
        var process: Int32
        /// Where the server's standard error goes.
        var log: URL
        var sessions = 1024
    }

    var server: Server?
    var measuresSDK = true
    var seconds = 4.0
    var rounds = 3
    var json: URL?

    static let usage = """
        freshet-bench [--server PORT --pid PID --log FILE] [--sessions 1024] [--seconds 4] [--rounds 3]
                      [--only server|sdk] [--json FILE]
        """

    init(_ arguments: [String]) throws {
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let name = rest.popFirst() {
            let known = ["server", "pid", "log", "sessions", "seconds", "rounds", "only", "json"]
            guard name.hasPrefix("--"), known.contains(String(name.dropFirst(2))), let value = rest.popFirst() else {
                throw BenchmarkError("what is \(name)?\n\(Self.usage)")
            }
            values[String(name.dropFirst(2))] = value
        }
        func number<Number: LosslessStringConvertible>(_ name: String, _ fallback: Number) throws -> Number {
            guard let text = values[name] else { return fallback }
            guard let number = Number(text) else { throw BenchmarkError("--\(name) takes a number") }
            return number
        }
        seconds = max(0.2, try number("seconds", seconds))
        rounds = max(1, try number("rounds", rounds))
        json = values["json"].map { URL(filePath: $0) }
        if let log = values["log"] {
            server = Server(port: try number("server", 0), process: try number("pid", 0), log: URL(filePath: log))
            server?.sessions = max(64, try number("sessions", 1024))
        }
        switch values["only"] {
        case nil: break
        case "server": measuresSDK = false
        case "sdk": server = nil
        default: throw BenchmarkError("--only takes server or sdk")
        }
    }
}
