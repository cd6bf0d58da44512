// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

extension SessionStoreContract {
    /// What a store must keep to; a ``Violation`` names the rule that was broken.
    @nonexhaustive
    public enum Rule: String, Sendable, CaseIterable {
        /// One place has one name, at every call and for every instance.
        case stableName = "a store has one name, the same at every call and for every instance on its place"
        /// A store without a record says so, and takes one.
        case emptyAtFirst = "a new place holds no record, and takes one"
        /// Every field, any text and 16 KiB come back as they were written.
        case wholeRecords = "a record is read as it was written: every field, any text, and 16 KiB of it"
        /// What the store does not hold is not replaced.
        case comparison = "replace changes nothing unless the store holds exactly the expected record"
        /// What the store does hold is replaced, by whatever.
        case sameRecord = "replace succeeds if the store holds the expected record, even if nothing changes by it"
        /// An explicit sign-in or sign-out wins.
        case overwriting = "overwrite replaces whatever the store holds"
        /// Nothing of a removed record is left.
        case removal = "a removed record leaves nothing behind"
        /// The place counts, and not the instance.
        case sharedPlace = "all instances on one place see the same record at once"
        /// Comparison and replacement are one step.
        case oneWinner =
            "of several replacements of one record exactly one succeeds, whatever thread or instance it is of"
        /// Overwriting is one step, too.
        case lastingOverwrite = "an overwrite is not undone by a replacement that compared before it"
        /// Nothing is read half written.
        case atomicReads = "a reader sees a whole record at any time, also during writes"
        /// Rivals are no fault.
        case noFaultUnderContention = "no call fails because of others at the same time"
        /// A store that fails says so.
        case faults = "a store that fails loses nothing, and never says that nothing is there"
        /// A killed writer leaves a whole record and no lock.
        case crashes = "after a crash the last stored record is there, or the next, and no lock is left"
        /// The names of a ``SessionStores`` are those of its records.
        case names = "the names are exactly those under which a record is stored, whatever their letters"
    }

    /// Says what a store did wrong.
    public struct Violation: Error, CustomStringConvertible {
        /// The rule that was broken.
        public let rule: Rule
        /// What was seen.
        public let detail: String
        /// The rule, and what was seen.
        public var description: String { "The store breaks the rule \"\(rule.rawValue)\": \(detail)." }
    }

    static func expect(_ isTrue: Bool, _ rule: Rule, _ detail: @autoclosure () -> String) throws {
        guard isTrue else { throw Violation(rule: rule, detail: detail()) }
    }

    /// Runs a part in which a store may not fail.
    static func keeping<Value>(_ rule: Rule, _ deed: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let fault as SessionStoreError {
            throw Violation(rule: rule, detail: "\(deed) failed: \(fault.reason)")
        }
    }
}
