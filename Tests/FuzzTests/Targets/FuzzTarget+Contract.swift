// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire

@testable import FreshetKit

extension FuzzTarget {
    // MARK: Contract files

    /// Reads a contract, and again what is written of it.
    static func checkContract(_ input: [UInt8]) throws -> Bool {
        switch read(Data(input)) {
        case .success(let contract):
            let again = try require(noThrow: { try Contract(json: Data(contract.text.utf8)) })
            try require(again == contract, "the contract's text is another contract")
            try require(again.document.unknownKeys.count == contract.document.unknownKeys.count, "unknown keys differ")
            try require(again.renewal == contract.renewal, "the renewal differs")
            return true
        case .failure(let error):
            try require(!error.diagnostics.isEmpty, "refused without a reason")
            guard let value = try? JSONParser.parse(input) else { return false }
            switch read(Data(value.jsonText.utf8)) {
            case .success: throw FuzzFinding(description: "refused, but its compact form is not: \(error)")
            case .failure(let other): try require(other == error, "\(error) is \(other) of the compact form")
            }
            return false
        }
    }

    private static func read(_ text: Data) -> Result<Contract, ContractError> {
        Result { () throws(ContractError) in try Contract(json: text) }
    }

    // MARK: Templates

    /// Matches a template against a text: two lines, or a template and the values of its names.
    static func checkTemplate(_ input: [UInt8]) throws -> Bool {
        guard let text = String(utf8: input) else { return false }
        let lines = text.unicodeScalars.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard let template = try? Template(String(lines[0])) else { return false }
        let again = try require(try? Template(template.description), "\(template) is no template")
        try require(again == template, "\(template) is read as another template")
        let subject = lines.count > 1 ? String(lines[1]) : ""
        guard let found = template.values(in: subject) else { return true }
        try require(Set(found.keys) == Set(template.names), "\(found.keys) of \(template.names)")
        try require(found.values.allSatisfy { !$0.isEmpty }, "a value is empty")
        let filled = try? template.text(TemplateValues(texts: found)) ?? ""
        try require(isSame(try require(filled, "a value is missing"), subject), "\(found) make another text")
        return true
    }

    /// Whether two texts differ at most in the case of ASCII letters.
    private static func isSame(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count
            && zip(a.utf8, b.utf8).allSatisfy {
                $0 == $1 || ($0 | 0x20 == $1 | 0x20 && (0x61...0x7A).contains($0 | 0x20))
            }
    }

    // MARK: Responses of backends

    private static let contracts = Contract.presets.compactMap { try? Contract.named($0) }
    private static let tenYears = 10 * 366 * 86_400.0

    /// Reads a response by a preset: a byte that chooses the preset, one for the status, header lines, an empty line and the body.
    static func checkReply(_ input: [UInt8]) throws -> Bool {
        guard input.count > 2 else { return false }
        let contract = contracts[Int(input[0]) % contracts.count]
        var rest = input[2...]
        var headers: [String: String] = [:]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            guard let colon = line.firstIndex(of: ":") else { break }
            headers[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let statuses = [200, 200, 200, 201, 204, 302, 400, 401, 403, 404, 409, 419, 429, 500, 503]
        let reply = HTTPReply(status: statuses[Int(input[1]) % statuses.count], headers: headers, body: Data(rest))
        for channel in Channel.allCases {
            let outcome = contract.classify(reply, on: channel)
            try require(
                outcome == contract.classify(reply, on: channel),
                "\(outcome) is another outcome the second time"
            )
            switch outcome {
            case .throttled(let delay?), .transient(let delay?):
                try require((0...tenYears).contains(delay.inSeconds), "a delay of \(delay)")
            default: break
            }
        }
        if let attempt = try? contract.attempt(from: reply) {
            try require((0...tenYears).contains(attempt.lifetime.inSeconds), "a code's lifetime of \(attempt.lifetime)")
        }
        guard let grant = try? contract.grant(from: reply) else { return false }
        for token in [grant.accessToken, grant.refreshToken].compactMap(\.self) {
            try require(!token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "no token for a header")
        }
        for time in [grant.lifetime, grant.sessionLifetime, grant.refreshAfter].compactMap(\.self) {
            try require((0...tenYears).contains(time.inSeconds), "a lifetime of \(time)")
        }
        _ = contract.result(of: reply, grant)
        return true
    }
}
