// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

extension SessionStoreContract {
    /// A requirement on a store; a ``Violation`` names the rule that was broken.
    @nonexhaustive
    public enum Rule: String, Sendable, CaseIterable {
        /// A location has one name, at every call and for every instance.
        case stableName = "a store has one name, the same at every call and for every instance on its place"
        /// A new store reads as empty and accepts a record.
        case emptyAtFirst = "a new place holds no record, and takes one"
        /// Every field, any text and 16 KiB are read as they were written.
        case wholeRecords = "a record is read as it was written: every field, any text, and 16 KiB of it"
        /// A record other than the stored one is not replaced.
        case comparison = "replace changes nothing unless the store holds exactly the expected record"
        /// The stored record can be replaced by any record, itself included.
        case sameRecord = "replace succeeds if the store holds the expected record, even if nothing changes by it"
        /// An explicit sign-in or sign-out always takes effect.
        case overwriting = "overwrite replaces whatever the store holds"
        /// A removed record leaves no data.
        case removal = "a removed record leaves nothing behind"
        /// All instances on one location share its record.
        case sharedPlace = "all instances on one place see the same record at once"
        /// Comparison and replacement are one atomic step.
        case oneWinner =
            "exactly one of several replacements of the same record succeeds, whichever threads and instances make them"
        /// Overwriting is atomic, too.
        case lastingOverwrite = "an overwrite is not undone by a replacement that compared before it"
        /// A reader never sees a partly written record.
        case atomicReads = "a reader sees a whole record at any time, also during writes"
        /// Contention is not an error.
        case noFaultUnderContention = "no call fails because of others at the same time"
        /// A failing store throws.
        case faults = "a store that fails loses nothing, and never says that nothing is there"
        /// A killed writer leaves a whole record and no lock.
        case crashes = "after a crash the last stored record is there, or the next, and no lock is left"
        /// The names of a `SessionStores` are those under which records are stored.
        case names = "the names are exactly those under which a record is stored, whatever their letters"
    }

    /// An error that names the rule a store broke.
    public struct Violation: Error, CustomStringConvertible {
        /// The rule that was broken.
        public let rule: Rule
        /// The behaviour that was observed.
        public let detail: String
        /// The rule and the observed behaviour.
        public var description: String { "The store breaks the rule \"\(rule.rawValue)\": \(detail)." }
    }

    static func expect(_ isTrue: Bool, _ rule: Rule, _ detail: @autoclosure () -> String) throws {
        guard isTrue else { throw Violation(rule: rule, detail: detail()) }
    }

    /// Runs `body`, and turns an error of the store into a violation of `rule`.
    static func keeping<Value>(_ rule: Rule, _ deed: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let fault as SessionStoreError {
            throw Violation(rule: rule, detail: "\(deed) failed: \(fault.reason)")
        }
    }
}
