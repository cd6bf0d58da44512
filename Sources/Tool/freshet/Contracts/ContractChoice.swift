// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// A contract on the command line or in a profile: a preset or the content of a file.
enum ContractChoice: Codable, Equatable {
    /// The name of a preset, so that a newer version of the tool uses its newer preset.
    case preset(String)
    /// The content of a file, so that the file is not needed after the sign-in.
    case file(Contract)

    /// Parses `NAME|FILE`.
    ///
    /// - Throws: A usage error if it is neither; a contract fault with all errors in the file.
    init(_ text: String) throws {
        if Contract.presets.contains(text) {
            self = .preset(text)
        } else {
            self = .file(try Self.contract(from: try Self.data(text), named: text))
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let name = try? container.decode(String.self) {
            self = .preset(name)
        } else {
            self = .file(try container.decode(Contract.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .preset(let name): try container.encode(name)
        case .file(let contract): try container.encode(contract)
        }
    }

    /// Returns the contract.
    ///
    /// - Throws: A contract fault for a preset that this version of the tool does not have.
    func contract() throws -> Contract {
        switch self {
        case .file(let contract): return contract
        case .preset(let name):
            do throws(ContractError) { return try Contract.named(name) } catch {
                throw ToolError.contractFault(error.diagnostics.map(\.sentence).joined(separator: " "))
            }
        }
    }

    /// Returns the bytes of a preset or a file, valid or not.
    static func data(_ text: String) throws -> Data {
        if let preset = presetText(text) { return Data(preset.utf8) }
        if let data = FileManager.default.contents(atPath: text) { return data }
        throw ToolError.usage("\(text): neither a preset (see: freshet contract list) nor a readable file")
    }

    /// Returns the file of a preset.
    static func presetText(_ name: String) -> String? { (try? Contract.named(name))?.text }

    static func contract(from data: Data, named name: String) throws -> Contract {
        do throws(ContractError) { return try Contract(json: data) } catch {
            let lines = error.diagnostics.map { "\(name): \($0)" }
            throw ToolError.contractFault(lines.joined(separator: "\n"))
        }
    }
}
