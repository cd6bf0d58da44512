// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract

/// A JSON file with settings: one object, whose members are named like the flags, without the dashes.
struct SettingsFile {
    /// The settings by name, in the format of command-line arguments.
    let values: [String: String]
    let path: String

    /// Reads the file at `path`.
    ///
    /// - Throws: A usage error if it is not a JSON file with settings, for a setting that stands twice, and for a member
    ///   that is not in `names`: a misspelt setting must not be mistaken for an absent one.
    init(path: String, names: Set<String>) throws {
        self.path = path
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw ToolError.usage("\(path): cannot be read (\(ToolError.reason(of: error)))")
        }
        // Foundation's parser has no line of a mistake, and takes one of two members with the same name.
        do { _ = try JSONParser.parseStrictly(data) } catch { throw ToolError.usage("\(path): \(error)") }
        let settings: [String: Setting]
        do { settings = try JSONDecoder().decode([String: Setting].self, from: data) } catch {
            let member = (error as? DecodingError).flatMap(Self.member)
            throw ToolError.usage(
                member.map { "\(path): \($0) is neither text, a whole number, a Boolean nor a list of texts" }
                    ?? "\(path): not a JSON file with settings"
            )
        }
        let unknown = settings.keys.filter { !names.contains($0) }.sorted()
        guard unknown.isEmpty else {
            let nearest = unknown.count == 1 ? unknown[0].nearest(of: names.sorted()) : nil
            let suggestion = nearest.map { "; did you mean \($0)?" } ?? ""
            throw ToolError.usage("\(path): there is no setting \(unknown.joined(separator: ", "))\(suggestion)")
        }
        values = settings.mapValues(\.text)
    }

    /// Returns the member whose value has the wrong type.
    private static func member(_ error: DecodingError) -> String? {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context): context.codingPath.first?.stringValue
        default: nil
        }
    }

    /// A value in a file: text, a whole number, a Boolean or a list of texts.
    private struct Setting: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                text = String(value)
            } else if let value = try? container.decode(Int.self) {
                text = String(value)
            } else if let values = try? container.decode([String].self) {
                text = values.joined(separator: ",")
            } else {
                text = try container.decode(String.self)
            }
        }
    }
}
