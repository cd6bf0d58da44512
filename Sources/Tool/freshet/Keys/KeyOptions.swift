// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetEngine
import FreshetIdentity
import FreshetServer
import FreshetSystem

/// The options of the `freshet keys` subcommands.
struct KeyOptions: ParsableArguments {
    @Option(help: DataOptions.folderHelp, completion: .directory)
    var data: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// The current time.
    var now: Timestamp { Timestamp.system() }

    /// Opens the keys.
    ///
    /// - Parameter accessTTL: The lifetime of access tokens, which only the retirement of a key needs.
    /// - Returns: The operations on the keys.
    /// - Throws: `ToolError`.
    func administration(accessTTL: String? = nil) throws -> KeyAdministration {
        let folder = DataOptions.folder(data)
        try DataOptions.require(folder)
        var access = Lifetimes().access
        if let text = accessTTL {
            guard let given = Duration(text: text) else {
                throw ToolError.usage("access-ttl: \(text) is not a duration")
            }
            access = given
        }
        return try mapErrors {
            try KeyAdministration(
                dataDirectory: folder,
                database: try DataOptions.database(),
                access: access,
                activationDelay: KeyConfiguration().activationDelay
            )
        }
    }

    /// The names of the kinds of keys, for completions.
    static let kinds = KeyKind.allCases.map(\.rawValue)

    static func kind(_ text: String) throws -> KeyKind {
        guard let kind = KeyKind(rawValue: text) else {
            throw ToolError.usage("'\(text)' is not a kind of key: es256 or mac")
        }
        return kind
    }

    /// Runs `body`, and converts its errors into errors of the tool.
    ///
    /// - Parameters:
    ///   - kind: The kind of key that is changed.
    ///   - body: The operation.
    /// - Returns: The result of `body`.
    /// - Throws: `ToolError`.
    func mapErrors<Value>(_ kind: KeyKind? = nil, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as any StartupError {
            throw ToolError(error)
        } catch let refusal as KeySchedule.Refusal {
            throw ToolError.usage(Self.message(refusal, kind))
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError.unusable(DataOptions.folder(data), error)
        }
    }

    private static func message(_ refusal: KeySchedule.Refusal, _ kind: KeyKind?) -> String {
        switch refusal {
        case .unknown: "there is no key with that number"
        case .inUse: "this key is in use, is the next one, or is the only one"
        case .missing:
            "the file of this key is missing; if it is lost, --force retires the key, and its users sign in again"
        case .needed where kind == .signing:
            "access tokens of this key may still be valid; with --force they are refused, and clients refresh them"
        case .needed: "clients may still hold tokens of this key; with --force their users sign in again"
        case .tooNew: "services that verify tokens may not have fetched this key yet: wait 15 minutes, or use --force"
        case .overtaken: "this key was in use before"
        case .exhausted: "no key number is left"
        case .underWay: "a new key is announced, and comes into use by itself; freshet keys list shows when"
        case .supplied: "these keys come from FRESHET_KEYS or keys-command: change them at their source"
        }
    }
}
