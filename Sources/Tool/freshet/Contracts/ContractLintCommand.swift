// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetContract
import FreshetContractLint
import FreshetKit

/// `freshet contract lint`: reports problems in contracts, with remedies.
struct ContractLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Finds mistakes and contradictions in contracts, and says how to fix them.",
        discussion: """
            A mistake violates the file format; such a file is not a contract. An error is a contradiction, or makes \
            a client misbehave. A warning is about a choice that works but has a disadvantage. Exits with 7 if there \
            is a mistake or an error, with --strict also for warnings.

            Example:
              freshet contract lint my-backend.json
            """
    )

    @Argument(help: "The contracts: names of presets, or files.", completion: .file())
    var contracts: [String]

    @Flag(help: "Count warnings as errors.")
    var strict = false

    @Flag(help: "Print JSON, an object for each contract.")
    var json = false

    func run() throws {
        var isSound = true
        for name in contracts {
            let report = ContractReport(contract: name, findings: Self.findings(try ContractChoice.data(name)))
            isSound = isSound && report.isSound(isStrict: strict)
            if json { try Output.json(report) } else { report.lines.forEach(Output.line) }
        }
        if !isSound { throw ExitCode(7) }
    }

    /// Returns all findings about a contract file.
    static func findings(_ data: Data) -> [ContractReport.Finding] {
        do throws(ContractError) {
            let document = try Contract(json: data).document
            let later = document.unknownKeys.map {
                ContractReport.Finding($0.path, .warning, $0.sentence, "Use a newer version of this tool, or drop it.")
            }
            return later
                + ContractLint.findings(in: document).map {
                    ContractReport.Finding(
                        $0.path,
                        $0.severity == .error ? .error : .warning,
                        $0.problem,
                        $0.remedy
                    )
                }
        } catch {
            return error.diagnostics.map { ContractReport.Finding($0.path, .mistake, $0.sentence, nil) }
        }
    }
}

/// The findings of `lint` about one contract.
struct ContractReport: Encodable, Equatable {
    enum Severity: String, Encodable {
        case mistake, error, warning
    }

    struct Finding: Encodable, Equatable {
        var path: String
        var severity: Severity
        var problem: String
        /// The remedy; `nil` for a mistake, whose sentence contains it.
        var remedy: String?

        init(_ path: String, _ severity: Severity, _ problem: String, _ remedy: String?) {
            self.path = path
            self.severity = severity
            self.problem = problem
            self.remedy = remedy
        }
    }

    var contract: String
    var findings: [Finding]

    func isSound(isStrict: Bool) -> Bool { findings.allSatisfy { !isStrict && $0.severity == .warning } }

    var lines: [String] {
        guard !findings.isEmpty else { return ["\(contract): sound"] }
        return findings.map { finding in
            let sentences = [finding.problem, finding.remedy].compactMap(\.self).joined(separator: " ")
            return "\(contract): \(finding.path): \(finding.severity.rawValue): \(sentences)"
        }
    }
}
